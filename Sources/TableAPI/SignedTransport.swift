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

    /// Makes one attempt, and asks once more in it where the instance refused credentials for which there are newer ones.
    ///
    /// - Parameters:
    ///   - slot: which of the instance's slots the request has; each carries one request at a time. Without one it goes
    ///     without cookies.
    ///   - course: the attempt; its time is the requests' time, whatever they say themselves.
    /// - Returns: a whole answer of whatever status.
    /// - Throws: `AttemptFailure` where there are no credentials or there is no whole answer.
    func send(
        _ request: OutgoingRequest, slot: Int?, _ course: inout AttemptCourse
    ) async throws(AttemptFailure) -> IncomingResponse {
        let signature = try await signature(&course)
        let response = try await send(request, signature, slot: slot, &course)
        guard response.status == 401 else { return response }
        jars.drop(holder: signature.holder)
        guard await credentials.refuse(signature) else { return response }
        return try await send(request, try await self.signature(&course), slot: slot, &course)
    }

    private func signature(_ course: inout AttemptCourse) async throws(AttemptFailure) -> Signature {
        do {
            return try await credentials.signature(&course)
        } catch {
            throw .credentials(error)
        }
    }

    private func send(
        _ request: OutgoingRequest, _ signature: Signature, slot: Int?, _ course: inout AttemptCourse
    ) async throws(AttemptFailure) -> IncomingResponse {
        // The credentials took all the time there was.
        guard let remaining = course.begin() else { throw .credentials(.shared(.timedOut(nil))) }
        var request = request
        request.timeout = remaining
        request.headers = HeaderFields(signature.headers.fields + request.headers.fields)
        var jar = slot.map { jars.take(slot: $0, holder: signature.holder) } ?? CookieJar()
        let url = request.url
        func target() -> String { authorityAndTarget(ofURL: url)?.target ?? "/" }
        if !jar.isEmpty, let cookies = jar.header(target: target(), now: now()) {
            request.headers.append("Cookie", cookies)
        }
        var response: IncomingResponse
        do {
            response = try await transport.send(request)
        } catch {
            // The jar is gone with the attempt: the instance may still be at work for its session, and the next request in
            // it would have to wait for that.
            throw .transport(error)
        }
        // Nor is it kept where that session is over, or has too many requests waiting.
        if let slot, response.status != 401, response.status != 202 {
            if response.headers["Set-Cookie"] != nil {
                jar.take(response.headers, target: target(), host: host, now: now())
            }
            jars.put(jar, slot: slot, holder: signature.holder)
        }
        if response.status != 200 || response.body.starts(with: errorStart) {
            response.body = signature.removed(from: Array(response.body.prefix(maxErrorBytes)))
        }
        return response
    }
}

/// What is looked at of an error; longer ones have nothing to say.
private let maxErrorBytes = 1 << 20
/// How a body begins that is an error and no page.
private let errorStart = Array("{\"error\"".utf8)
