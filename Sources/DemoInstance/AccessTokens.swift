internal import Clocks
internal import Locks

/// Who makes a request, as far as request limits and tokens go.
enum Account: Hashable, Sendable {
    /// Anybody, where no credentials are asked for.
    case everybody
    /// The user.
    case user
    /// The application on its own behalf.
    case application
}

/// The tokens that `/oauth_token.do` has given out. Within an access token's lifetime an account is given the same one
/// again, as on an instance.
final class AccessTokens: Sendable {
    /// What an account is given.
    struct Grant: Equatable, Sendable {
        /// The access token.
        var access: String
        /// The whole seconds that it remains valid.
        var remaining: Int
        /// The refresh token; `nil` for an application on its own behalf.
        var refresh: String?
    }

    private struct Kept {
        var access: String
        var accessEnds: Timestamp
        var refresh: String
        var refreshEnds: Timestamp
    }

    private let lifetime: Int
    private let clock: ServiceClock
    private let kept = Lock<[Account: Kept]>([:])

    /// Makes an empty register. The lifetime counts from 1 second.
    init(lifetime: Duration, clock: ServiceClock) {
        self.lifetime = max(1, Int(clamping: lifetime.components.seconds))
        self.clock = clock
    }

    /// Gives an account its tokens.
    func grant(to account: Account) -> Grant {
        let now = clock.now()
        return kept.withLock { kept in
            var entry =
                kept[account]
                ?? Kept(access: Self.random(), accessEnds: now, refresh: Self.random(), refreshEnds: now)
            if entry.accessEnds <= now {
                entry.access = Self.random()
                entry.accessEnds = now.adding(seconds: lifetime)
            }
            if entry.refreshEnds <= now {
                entry.refresh = Self.random()
                entry.refreshEnds = now.adding(seconds: lifetime * 100)
            }
            kept[account] = entry
            return Grant(
                access: entry.access, remaining: entry.accessEnds.secondsLater(than: now),
                refresh: account == .application ? nil : entry.refresh)
        }
    }

    /// Whose access token it is; `nil` for one that was never given out or has expired.
    func account(access token: String) -> Account? {
        let now = clock.now()
        return kept.withLock { kept in
            kept.first { isSameSecret(token, $0.value.access) && now < $0.value.accessEnds }?.key
        }
    }

    /// Whose refresh token it is; `nil` for one that was never given out or has expired.
    func account(refresh token: String) -> Account? {
        let now = clock.now()
        return kept.withLock { kept in
            kept.first {
                $0.key != .application && isSameSecret(token, $0.value.refresh) && now < $0.value.refreshEnds
            }?.key
        }
    }

    /// 64 letters and digits out of 384 bits that nobody can guess.
    private static func random() -> String {
        let digits = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_".utf8)
        var generator = SystemRandomNumberGenerator()
        return String(decoding: (0..<64).map { _ in digits[Int(generator.next() & 63)] }, as: UTF8.self)
    }
}
