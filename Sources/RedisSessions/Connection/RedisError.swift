/// Why a command has no reply that can be used.
public enum RedisError: Error, Sendable, Equatable, CustomStringConvertible {
    /// There is no connection; the command was not sent.
    case away(String)
    /// The connection ended, or the command's time was up, after the command may have been sent: nobody knows whether it was
    /// carried out.
    case lost(String)
    /// The server answered with an error.
    case refused(Refusal, String)
    /// The reply has a shape that this command's replies do not have.
    case malformed
    /// The client was shut down.
    case stopped

    /// What kind of error a server answered with, by its first word.
    public enum Refusal: String, Sendable, CaseIterable {
        /// It is reading its data after a start.
        case loading = "LOADING"
        /// It wants a password.
        case noAuthentication = "NOAUTH"
        /// User name or password are wrong.
        case wrongPassword = "WRONGPASS"
        /// The user may not do this.
        case noPermission = "NOPERM"
        /// It is a node of a cluster, and the key is another one's.
        case moved = "MOVED"
        /// It is a replica, which takes no writes.
        case readOnly = "READONLY"
        /// Its memory is full.
        case outOfMemory = "OOM"
        /// It cannot save to its disk, and takes no writes for that reason.
        case misconfigured = "MISCONF"
        /// It lost its primary, or too many of its replicas.
        case primaryDown = "MASTERDOWN"
        /// It has too few replicas to take writes.
        case tooFewReplicas = "NOREPLICAS"
        /// It is busy with somebody's script.
        case busy = "BUSY"
        /// It does not have the script.
        case noScript = "NOSCRIPT"
        /// Anything else.
        case other = "ERR"

        /// Whether the whole connection is of no use as long as the server is like that.
        var concernsConnection: Bool {
            switch self {
            case .loading, .noAuthentication, .wrongPassword, .noPermission, .moved, .readOnly, .misconfigured,
                .primaryDown, .tooFewReplicas:
                true
            case .outOfMemory, .busy, .noScript, .other: false
            }
        }
    }

    /// The error for the text of an error reply.
    init(reply text: String) {
        let words = text.split(separator: " ")
        var kind = words.first.flatMap { Refusal(rawValue: String($0)) }
        // A server before version 7 puts what a script ran into behind words of its own, with a dash.
        if text.hasPrefix("ERR Error running script") {
            kind =
                words.lazy.filter { $0.hasPrefix("-") }.compactMap { Refusal(rawValue: String($0.dropFirst())) }.first
        }
        // Nor has what a script may not do a word of its own; the second text is Valkey's.
        if kind == .other || kind == nil,
            ["The user executing the script can't", "ACL failure in script"].contains(where: text.contains)
        {
            kind = .noPermission
        }
        self = .refused(kind ?? .other, text)
    }

    /// What those are told who come while the server is gone for this reason: that nothing of theirs was sent.
    var standing: RedisError {
        switch self {
        case .stopped, .refused: self
        case .away, .lost, .malformed: .away(description)
        }
    }

    /// What kind of error the server answered with; `nil` where it did not.
    var refusal: Refusal? {
        if case .refused(let refusal, _) = self { refusal } else { nil }
    }

    /// One line for a person.
    public var description: String {
        switch self {
        case .away(let reason), .lost(let reason): reason
        case .refused(_, let text): "Redis answered: \(text.prefix(200).filter { !$0.isNewline })"
        case .malformed: "Redis gave an answer that no such command has"
        case .stopped: "the connection to Redis was shut down"
        }
    }
}
