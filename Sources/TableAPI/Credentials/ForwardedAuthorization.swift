public import HTTPModel
import Locks

/// The credentials that a caller of ours brings for the instance, in its own `Authorization` header.
///
/// They are a task's own, and are never stored: whoever answers a request binds them to `current` for as long as that takes,
/// and every fetch made in the course of it takes them from there. What a session keeps is `owner`.
public struct ForwardedAuthorization: Sendable, Equatable {
    /// Those of the caller for whom the present task works.
    @TaskLocal public static var current: ForwardedAuthorization?

    /// The header's value.
    let value: Secret
    /// A name for whoever has this value: 32 hexadecimal digits that tell nothing of it. Another value is another owner, be
    /// it only a renewed token, and the names are others in every process, but for those that share their key.
    public let owner: String

    /// Takes the credentials from a request; `nil` unless there is exactly one `Authorization` header with something in it
    /// that can be sent on.
    public init?(_ headers: HeaderFields) {
        let values = headers.values(of: "Authorization")
        guard values.count == 1, isHeaderText(values[0]) else { return nil }
        value = Secret(values[0])
        owner = Self.name(of: values[0])
    }

    /// SipHash-2-4 is made to be a MAC under a secret key, which is drawn for each process here unless it is kept with the
    /// sessions: without it nobody can tell from a name which value it stands for, nor find a value for somebody else's
    /// name. 128 bits keep two callers from meeting by chance.
    private static func name(of value: String) -> String {
        let (first, second) = SipHash.digest(Array(value.utf8), key: key)
        return [first, second].map { word in
            let digits = String(word, radix: 16)
            return String(repeating: "0", count: 16 - digits.utf8.count) + digits
        }.joined()
    }

    /// The key of this process.
    package static var key: (UInt64, UInt64) { sharedKey.withLock { $0 } }

    /// Names callers under that key from now on, as the other processes do that have it.
    package static func share(key: (UInt64, UInt64)) {
        sharedKey.withLock { $0 = key }
    }

    private static let sharedKey = Lock<(UInt64, UInt64)>((.random(in: 0...(.max)), .random(in: 0...(.max))))
}
