import HTTPModel
import TableAPI

/// How sessions are kept.
struct SessionsConfiguration: Sendable {
    /// Where they live; `nil` for a file in the data directory, or in memory where there is none.
    var store: SessionStoreKind?
    /// As which user Redis is asked; `nil` for its default one.
    var redisUsername: String?
    /// That user's password; `nil` where Redis wants none.
    var redisPassword: Secret?
    /// How long an unused session lives, where its creator does not say.
    var idleTimeout: Duration = .seconds(15 * 60)
    /// The most that its creator may say.
    var maxIdleTimeout: Duration = .seconds(24 * 3600)
    /// The most sessions of one caller at once, where callers are told apart.
    var maxPerOwner = 1000
    /// The most sessions at once.
    var maxTotal = 100_000
    /// How many bytes of pages are kept to be sent again.
    var replayMemory = 256 << 20
    /// The largest page, in bytes, that is kept.
    var replayPageBytes = 1 << 20
}

/// The kinds of session store.
enum SessionStoreKind: Sendable, Equatable {
    /// In this process; sessions end with it.
    case memory
    /// In a file; a relative path starts from the data directory.
    case sqlite(path: String)
    /// On a Redis server, which other processes may share.
    case redis(RedisLocation)
}

extension SettingKind<Result<SessionStoreKind, RedisLocation.Fault>> {
    /// A store as it is written; what means to be a Redis database and is none comes with the reason.
    fileprivate static var sessionStore: SettingKind {
        func read(_ text: String) -> Value? {
            if text == "memory" { return .success(.memory) }
            if RedisLocation.isMeant(by: text) {
                do throws(RedisLocation.Fault) {
                    return .success(.redis(try RedisLocation(text)))
                } catch {
                    return .failure(error)
                }
            }
            guard text.hasPrefix("sqlite:"), text.utf8.count > 7, !text.utf8.contains(0) else { return nil }
            return .success(.sqlite(path: String(text.dropFirst(7))))
        }
        return SettingKind(
            expected: #""memory", "sqlite:PATH", "redis://HOST:PORT/DATABASE" or "redis+unix:/PATH?db=DATABASE""#,
            fromJSON: { value in
                guard case .string(let text) = value else { return nil }
                return read(text)
            }, fromText: read)
    }
}

extension SessionsConfiguration {
    /// Takes `sessions`.
    init(in root: inout ConfigurationSection) {
        var section = root.section("sessions")
        switch section.value("store", .sessionStore) {
        case .success(let kind): store = kind
        case .failure(let fault): section.complain("store", fault.reason)
        case nil: break
        }
        redisUsername = section.value("redisUsername", .text("a user's name"))
        redisPassword = section.secret("redisPassword")
        if section.has("redisUsername"), !section.has("redisPassword") {
            section.complain("redisUsername", "needs redisPassword beside it")
        }
        idleTimeout = section.value(
            "idleTimeout", .duration(.seconds(1)...(.seconds(365 * 86_400))), default: idleTimeout)
        maxIdleTimeout = section.value(
            "maxIdleTimeout", .duration(.seconds(1)...(.seconds(365 * 86_400))), default: maxIdleTimeout)
        maxPerOwner = section.value("maxPerOwner", .integer(1...100_000_000), default: maxPerOwner)
        maxTotal = section.value("maxTotal", .integer(1...100_000_000), default: maxTotal)
        replayMemory = section.value("replayMemory", .size(0...1 << 44), default: replayMemory)
        replayPageBytes = section.value("replayPageBytes", .size(0...1 << 31), default: replayPageBytes)
        if idleTimeout > maxIdleTimeout {
            section.complain("idleTimeout", "must not be longer than maxIdleTimeout")
        }
        section.finish()
    }
}
