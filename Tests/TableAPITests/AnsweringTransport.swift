import HTTPModel
import Synchronization

@testable import TableAPI

/// Answers every request by a closure, and remembers what it was asked, in order.
final class AnsweringTransport: HTTPTransport {
    typealias Answer = @Sendable (OutgoingRequest) async throws(TransportError) -> IncomingResponse

    private let answer: Answer
    private let list = Mutex<[OutgoingRequest]>([])

    init(_ answer: @escaping Answer) {
        self.answer = answer
    }

    var requests: [OutgoingRequest] {
        list.withLock { $0 }
    }

    /// Those for tables.
    var reads: [OutgoingRequest] {
        requests.filter { !$0.url.hasSuffix(tokenPath) }
    }

    /// The forms that were sent to the token endpoint.
    var grants: [String] {
        requests.filter { $0.url.hasSuffix(tokenPath) }.map { String(decoding: $0.body, as: UTF8.self) }
    }

    @concurrent func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        list.withLock { $0.append(request) }
        return try await answer(request)
    }
}

let tokenPath = "/oauth_token.do"

/// An instance that grants the tokens `token-1`, `token-2`, … and takes the latest one only.
final class GrantingInstance: Sendable {
    private struct State {
        var count = 0
        var isRevoked = false
    }

    private let lifetime: Int?
    private let refreshes: Bool
    private let state = Mutex(State())

    init(lifetime: Int? = 1800, refreshes: Bool = false) {
        self.lifetime = lifetime
        self.refreshes = refreshes
    }

    /// Whether the latest token is refused.
    var isRevoked: Bool { state.withLock { $0.isRevoked } }

    /// From now on the latest token is refused.
    func revoke() {
        state.withLock { $0.isRevoked = true }
    }

    func answer(_ request: OutgoingRequest) -> IncomingResponse {
        if request.url.hasSuffix(tokenPath) { return grant() }
        let takes = state.withLock { !$0.isRevoked && request.headers["Authorization"] == "Bearer token-\($0.count)" }
        return takes ? .page(20, total: 60) : .refused
    }

    private func grant() -> IncomingResponse {
        let number = state.withLock { state in
            state.count += 1
            state.isRevoked = false
            return state.count
        }
        let expiry = lifetime.map { ",\"expires_in\":\($0)" } ?? ""
        let refresh = refreshes ? ",\"refresh_token\":\"refresh-\(number)\"" : ""
        return .json("{\"access_token\":\"token-\(number)\",\"token_type\":\"Bearer\"\(expiry)\(refresh)}")
    }
}

extension IncomingResponse {
    static var refused: IncomingResponse {
        .json(
            #"{"error":{"message":"User Not Authenticated","detail":"Required to provide Auth information"},"status":"failure"}"#,
            status: 401)
    }
}

extension OAuthClient {
    static let sample = OAuthClient(id: "paginatord", secret: Secret("client secret"), grant: .clientCredentials)
    static let ofUser = OAuthClient(
        id: "paginatord", secret: Secret("client secret"),
        grant: .password(username: "reader", password: Secret("p+w&é")))
}
