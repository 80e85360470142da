import RedisSessions

/// A Redis database, as `sessions.store` names it: `redis://HOST:PORT/DATABASE` or `redis+unix:/PATH?db=DATABASE`.
struct RedisLocation: Sendable, Equatable {
    /// Where the server listens.
    var address: RedisAddress
    /// Which of its databases.
    var database = 0

    /// Why a text names none. No reason repeats the text, which may hold a password.
    enum Fault: Error, Equatable {
        /// It asks for TLS.
        case encrypted
        /// It has a user's name or password in it.
        case credentials
        /// Something in it is not understood; this says what would be right.
        case malformed(String)

        /// One line for a person.
        var reason: String {
            switch self {
            case .encrypted:
                "rediss:// is not possible, because Debian 12's hiredis has no TLS; use a Unix socket, a network that is "
                    + "yours alone, or a tunnel that listens on this machine"
            case .credentials:
                "has credentials in it; the user's name belongs in sessions.redisUsername, the password in "
                    + "sessions.redisPassword"
            case .malformed(let expected): "expected \(expected)"
            }
        }
    }

    /// The longest path that a Unix socket can have, in bytes.
    private static let longestPath = 107

    /// Whether a text means to name a Redis database, rightly or wrongly.
    static func isMeant(by text: String) -> Bool {
        ["redis:", "rediss:", "redis+unix:"].contains { text.hasPrefix($0) }
    }

    /// Reads a text.
    init(_ text: String) throws(Fault) {
        if text.hasPrefix("rediss:") { throw .encrypted }
        if text.hasPrefix("redis+unix:") {
            let form = "redis+unix:/PATH?db=DATABASE, of which ?db=DATABASE (0) may be left out; the path has at most "
            let parts = text.dropFirst("redis+unix:".count).split(
                separator: "?", maxSplits: 1, omittingEmptySubsequences: false)
            let path = String(parts[0])
            guard path.hasPrefix("/"), !path.hasPrefix("//"), path.utf8.count <= Self.longestPath,
                !path.contains(where: { "#\0".contains($0) }),
                let database = parts.count == 1 ? 0 : Self.database(parts[1].dropPrefix("db="))
            else { throw .malformed(form + "\(Self.longestPath) bytes") }
            address = .socket(path: path)
            self.database = database
            return
        }
        let form = "redis://HOST:PORT/DATABASE, of which PORT (6379) and DATABASE (0) may be left out"
        guard text.hasPrefix("redis://") else { throw .malformed(form) }
        let rest = text.dropFirst("redis://".count)
        if rest.contains("@") { throw .credentials }
        let parts = rest.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        guard let (host, port) = Self.hostAndPort(parts[0]) else { throw .malformed(form) }
        address = .network(host: host, port: port)
        guard parts.count == 2, !parts[1].isEmpty else { return }
        guard let database = Self.database(parts[1]) else { throw .malformed(form) }
        self.database = database
    }

    private static func database(_ text: Substring?) -> Int? {
        text.flatMap { decimal($0) }.flatMap { $0 <= 99_999 ? $0 : nil }
    }

    private static func hostAndPort(_ text: Substring) -> (String, Int)? {
        let host: Substring
        var rest: Substring
        if text.hasPrefix("["), let end = text.firstIndex(of: "]") {
            host = text[text.index(after: text.startIndex)..<end]
            rest = text[text.index(after: end)...]
            guard host.contains(":"), host.allSatisfy({ $0.isHexDigit || $0 == ":" || $0 == "." }) else { return nil }
        } else {
            let end = text.firstIndex(of: ":") ?? text.endIndex
            host = text[..<end]
            rest = text[end...]
            guard !host.isEmpty, host.allSatisfy({ $0.isASCII && ($0.isLetter || $0.isNumber || "-._".contains($0)) })
            else { return nil }
        }
        if rest.isEmpty { return (String(host), 6379) }
        guard rest.removeFirst() == ":", let port = decimal(rest), (1...65_535).contains(port) else { return nil }
        return (String(host), port)
    }
}

extension Substring {
    /// What stands behind a beginning; `nil` where the text does not begin so.
    fileprivate func dropPrefix(_ prefix: String) -> Substring? {
        hasPrefix(prefix) ? dropFirst(prefix.count) : nil
    }
}
