import HTTPModel
import Pagination

/// Sends requests to an instance with whatever proves who they come from, and with the cookies that it gave.
struct SignedTransport: Sendable {
    private let transport: any HTTPTransport
    private let credentials: any CredentialSource
    private let host: String
    private let now: @Sendable () -> Int
    private let jars = CookieJars()

    /// Signs what goes through that transport.
    ///
    /// - Parameters:
    ///   - url: of the instance; nothing goes anywhere else.
    ///   - now: the present in seconds since 1970, by which cookies end.
    init(
        _ transport: any HTTPTransport, to url: InstanceURL, credentials: any CredentialSource,
        now: @escaping @Sendable () -> Int
    ) {
        self.transport = transport
        self.credentials = credentials
        host = url.host
        self.now = now
    }

    /// Makes one attempt, and one more where the instance refused credentials for which there are newer ones.
    ///
    /// - Parameter slot: which of the instance's slots the request has; each carries one request at a time. Without one it
    ///   goes without cookies.
    /// - Returns: a whole answer of whatever status.
    /// - Throws: `PageSourceError` where there are no credentials or there is no whole answer.
    func send(_ request: OutgoingRequest, slot: Int?) async throws(PageSourceError) -> IncomingResponse {
        let signature = try await credentials.signature()
        let response = try await attempt(request, signature, slot: slot)
        guard response.status == 401 else { return response }
        jars.drop(holder: signature.holder)
        guard await credentials.refuse(signature) else { return response }
        return try await attempt(request, try await credentials.signature(), slot: slot)
    }

    private func attempt(
        _ request: OutgoingRequest, _ signature: Signature, slot: Int?
    ) async throws(PageSourceError) -> IncomingResponse {
        var request = request
        for field in signature.headers.fields { request.headers.append(field.name, field.value) }
        var jar = slot.map { jars.take(slot: $0, holder: signature.holder) } ?? CookieJar()
        let target = authorityAndTarget(ofURL: request.url)?.target ?? "/"
        if let cookies = jar.header(target: target, now: now()) { request.headers.append("Cookie", cookies) }
        let response: IncomingResponse
        do {
            response = try await transport.send(request)
        } catch {
            // The jar is gone with the attempt: the instance may still be at work for its session, and the next request in
            // it would have to wait for that.
            throw PageSourceError(error)
        }
        // Nor is it kept where that session is over, or has too many requests waiting.
        if let slot, response.status != 401, response.status != 202 {
            jar.take(response.headers, target: target, host: host, now: now())
            jars.put(jar, slot: slot, holder: signature.holder)
        }
        return response
    }
}
