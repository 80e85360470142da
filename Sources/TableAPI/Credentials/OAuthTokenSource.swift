import Locks
import Pagination

/// The tokens of one process: whoever needs a new one first gets it for all who wait.
///
/// It gets it in its own task, so that nothing runs that nobody waits for; if that task is cancelled, the next in the queue
/// starts over.
final class OAuthTokenSource: TokenSource {
    private let endpoint: TokenEndpoint
    private let now: @Sendable () -> Int
    private let state = Lock(TokenState())
    private let renewals = TurnQueue()

    /// Gets tokens from that endpoint.
    init(_ endpoint: TokenEndpoint, now: @escaping @Sendable () -> Int) {
        self.endpoint = endpoint
        self.now = now
    }

    /// The present token, or a new one.
    func token() async throws(PageSourceError) -> Secret {
        switch action(now: now()) {
        case .use(let token): return token
        case .fail(let error): throw error
        case .renew(_, let meanwhile):
            if !renewals.take() {
                if let meanwhile { return meanwhile }
                guard await renewals.wait() == .taken else { throw .stopping }
            }
        }
        defer { renewals.pass() }
        let start = now()
        // Whoever had the turn before may have got one.
        switch action(now: start) {
        case .use(let token): return token
        case .fail(let error): throw error
        case .renew(let refreshToken, _): return try await renew(by: refreshToken, start: start)
        }
    }

    /// Takes the token back.
    func refuse(_ token: Secret) async -> Bool {
        state.withLock { $0.refuse(token, now: now()) }
    }

    private func action(now: Int) -> TokenState.Action {
        state.withLock { $0.action(now: now) }
    }

    private func renew(by refreshToken: Secret?, start: Int) async throws(PageSourceError) -> Secret {
        do {
            let grant = try await endpoint.grant(refreshToken: refreshToken)
            state.withLock { $0.complete(.success(grant), start: start, now: now()) }
            return grant.token
        } catch {
            state.withLock { $0.complete(.failure(error), start: start, now: now()) }
            guard case .use(let token) = action(now: now()) else { throw error }
            return token
        }
    }
}
