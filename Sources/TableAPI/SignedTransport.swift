import HTTPModel
import Pagination

/// Sends requests to an instance with whatever proves who they come from.
struct SignedTransport: Sendable {
    private let transport: any HTTPTransport
    private let credentials: any CredentialSource

    /// Signs what goes through that transport.
    init(_ transport: any HTTPTransport, credentials: any CredentialSource) {
        self.transport = transport
        self.credentials = credentials
    }

    /// Makes one attempt, and one more where the instance refused credentials for which there are newer ones.
    ///
    /// - Returns: a whole answer of whatever status.
    /// - Throws: `PageSourceError` where there are no credentials or there is no whole answer.
    func send(_ request: OutgoingRequest) async throws(PageSourceError) -> IncomingResponse {
        let signature = try await credentials.signature()
        let response = try await attempt(request, signature)
        guard response.status == 401, await credentials.refuse(signature) else { return response }
        return try await attempt(request, try await credentials.signature())
    }

    private func attempt(
        _ request: OutgoingRequest, _ signature: Signature
    ) async throws(PageSourceError) -> IncomingResponse {
        var request = request
        for field in signature.headers.fields { request.headers.append(field.name, field.value) }
        do {
            return try await transport.send(request)
        } catch {
            throw PageSourceError(error)
        }
    }
}
