import Locks
import Pagination

/// The tokens of one process: whoever needs a new one first gets it for all who wait.
///
/// It gets it in its own task, so that nothing runs that nobody waits for; if that task is cancelled, the next in the queue
/// starts over. It also gets it in its own slot of the instance, in which it sends nothing else meanwhile, as those who wait
/// send nothing in theirs: so no more requests are under way than there are slots, be it only one, and nobody who holds a
/// slot ever waits for another. What the instance does to the renewal counts once, for the attempt that asked.
///
/// Where there is a vault, what a replica was granted serves the others, too, and one of them at a time has a token granted.
package final class OAuthTokenSource: TokenSource {
    private let endpoint: TokenEndpoint
    private let vault: (any TokenVault)?
    private let now: @Sendable () -> Int
    private let state = Lock(TokenState())
    private let renewals = TurnQueue()

    /// Gets tokens from that endpoint.
    ///
    /// - Parameter vault: where replicas leave each other tokens; `nil` for a process that is alone.
    package init(_ endpoint: TokenEndpoint, now: @escaping @Sendable () -> Int, vault: (any TokenVault)? = nil) {
        self.endpoint = endpoint
        self.vault = vault
        self.now = now
    }

    /// The present token, or a new one.
    package func token(_ course: inout AttemptCourse) async throws(CredentialFailure) -> Secret {
        switch action(now: now()) {
        case .use(let token): return token
        case .fail(let error): throw .shared(error)
        case .renew(_, let meanwhile):
            if !renewals.take() {
                if let meanwhile { return meanwhile }
                try await waitForTurn(course)
            }
        }
        defer { renewals.pass() }
        let start = now()
        // Whoever had the turn before may have got one.
        switch action(now: start) {
        case .use(let token): return token
        case .fail(let error): throw .shared(error)
        case .renew(let refreshToken, _): return try await renew(by: refreshToken, start: start, &course)
        }
    }

    /// Takes the token back.
    package func refuse(_ token: Secret) async -> Bool {
        await vault?.forget(token)
        return state.withLock { $0.refuse(token, now: now()) }
    }

    private func action(now: Int) -> TokenState.Action {
        state.withLock { $0.action(now: now) }
    }

    /// Waits for the turn to renew the token, as long as the attempt may take: whoever renews it may have more time.
    private func waitForTurn(_ course: AttemptCourse) async throws(CredentialFailure) {
        let outcome = await withTaskGroup(of: TurnQueue.Outcome?.self) { [renewals] group in
            group.addTask { await renewals.wait() }
            group.addTask {
                await course.waitForEnd()
                return nil
            }
            var outcome: TurnQueue.Outcome?
            for await ended in group {
                group.cancelAll()
                outcome = outcome ?? ended
            }
            return outcome
        }
        // A turn that comes with the end of the time is taken, too: it has to be passed on.
        if outcome == .taken { return }
        throw Task.isCancelled ? .absent(.stopping) : .shared(.timedOut(nil))
    }

    private func renew(
        by refreshToken: Secret?, start: Int, _ course: inout AttemptCourse
    ) async throws(CredentialFailure) -> Secret {
        let isInTime = course.remaining >= endpoint.timeout / 2
        do {
            let grant = try await grant(by: refreshToken, &course)
            state.withLock { $0.complete(.success(grant), start: start, now: now()) }
            return grant.token
        } catch {
            // What was not asked is no failure, nor is what had little time left: the next in the queue tries for itself.
            guard case .asked(let problem) = error, isInTime || problem != .timedOut(nil) else { throw error }
            state.withLock { $0.complete(.failure(problem), start: start, now: now()) }
            guard case .use(let token) = action(now: now()) else { throw error }
            return token
        }
    }

    private func grant(
        by refreshToken: Secret?, _ course: inout AttemptCourse
    ) async throws(CredentialFailure) -> TokenGrant {
        guard let vault else { return try await endpoint.grant(refreshToken: refreshToken, &course) }
        // Half of the time is kept for asking the endpoint, should the other replica not come to an end.
        switch await vault.turn(within: course.remaining / 2) {
        case .use(let grant): return grant
        case .renew(let done):
            do {
                let grant = try await endpoint.grant(refreshToken: refreshToken, &course)
                await done(grant)
                return grant
            } catch {
                await done(nil)
                throw error
            }
        }
    }
}
