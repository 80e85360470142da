import Pagination

/// What a token source knows: its token, how long that is good, and what became of the latest attempt to get one. Times are
/// in seconds since 1970.
struct TokenState {
    /// What whoever wants a token has to do.
    enum Action: Equatable {
        /// Send this one.
        case use(Secret)
        /// Get a new one, and say what came of it with `complete`. Where somebody else is at it, the old one will do
        /// meanwhile, if it is still good.
        case renew(refreshToken: Secret?, meanwhile: Secret?)
        /// Give up: the latest attempt failed too short a time ago.
        case fail(PageSourceError)
    }

    private struct Token {
        var text: Secret
        var obtainedAt: Int
        /// From when on it should be replaced, and until when it can be used where that fails.
        var renewal: ClosedRange<Int>?
        /// Whether it came in place of one that the instance refused.
        var replacesRefused: Bool

        func isDue(at now: Int) -> Bool {
            renewal.map { now >= $0.lowerBound } ?? false
        }

        func isGone(at now: Int) -> Bool {
            renewal.map { now >= $0.upperBound } ?? false
        }
    }

    private struct Failure {
        var error: PageSourceError
        var pause: Range<Int>
    }

    private var token: Token?
    private var refreshToken: Secret?
    private var failure: Failure?
    private var wasRefused = false

    /// What to do now.
    func action(now: Int) -> Action {
        if let token, !token.isDue(at: now) { return .use(token.text) }
        let usable = token.flatMap { $0.isGone(at: now) ? nil : $0.text }
        // A clock that was put back ends the pause.
        guard let failure, failure.pause.contains(now) else {
            return .renew(refreshToken: refreshToken, meanwhile: usable)
        }
        if let usable { return .use(usable) }
        return .fail(failure.error)
    }

    /// Takes what came of an attempt to get a token.
    ///
    /// - Parameter start: when the attempt was begun: the lifetime is counted from there.
    mutating func complete(_ result: Result<TokenGrant, PageSourceError>, start: Int, now: Int) {
        switch result {
        case .success(let grant):
            token = Token(
                text: grant.token, obtainedAt: now, renewal: grant.lifetime.map { renewal(of: $0, from: start) },
                replacesRefused: wasRefused)
            refreshToken = grant.refreshToken
            failure = nil
            wasRefused = false
        // Whoever asked has gone; that says nothing of the instance.
        case .failure(.stopping): break
        case .failure(let error):
            var pause = failure.map { min(2 * $0.pause.count, 30) } ?? 1
            // What the instance asked for, and an hour at most, as at the gate: requests that have passed that before stay.
            if case .rateLimited(_, let seconds?) = error { pause = max(pause, min(seconds, 3600)) }
            failure = Failure(error: error, pause: now..<now + pause)
        }
    }

    /// Takes back a token that the instance refused.
    ///
    /// - Returns: whether the next one may be another. It is not where a token that was got for this very reason is refused
    ///   within a second: the instance then refuses more than the token, and its endpoint is left in peace.
    mutating func refuse(_ text: Secret, now: Int) -> Bool {
        // Somebody else may have brought the news before.
        guard let token, token.text == text else { return true }
        if token.replacesRefused, token.obtainedAt == now { return false }
        self.token = nil
        wasRefused = true
        return true
    }

    /// A tenth of the lifetime, and a minute at most, before its end.
    private func renewal(of lifetime: Int, from start: Int) -> ClosedRange<Int> {
        let lifetime = min(lifetime, 1 << 40)
        return start + lifetime - min(60, lifetime / 10)...start + lifetime
    }
}
