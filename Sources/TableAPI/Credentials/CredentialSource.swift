import HTTPModel
import Pagination

/// Signs requests, anew for every attempt: what it signs with may have been renewed since the last one.
protocol CredentialSource: Sendable {
    /// The signature of one attempt.
    ///
    /// - Throws: `PageSourceError` where there is nothing to sign with.
    func signature() async throws(PageSourceError) -> Signature

    /// Hears that the instance refused a signature.
    ///
    /// - Returns: whether another attempt is worth it, because the next signature may be another one.
    func refuse(_ signature: Signature) async -> Bool
}

/// By what an instance tells who a request comes from. Like a secret, it never prints.
struct Signature: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The headers that say so.
    var headers: HeaderFields
    /// Whose they are; empty for the service's own. Cookies are kept apart by it.
    var holder: String

    /// Makes a signature.
    init(headers: HeaderFields = [:], holder: String = "") {
        self.headers = headers
        self.holder = holder
    }

    /// Always the same.
    var description: String { "<redacted>" }
    /// Always the same.
    var debugDescription: String { description }
    /// A mirror without children.
    var customMirror: Mirror { Mirror(self, children: []) }
}

/// Signs nothing.
struct UnsignedSource: CredentialSource {
    /// A signature without a header.
    func signature() async throws(PageSourceError) -> Signature { Signature() }

    /// There is no other.
    func refuse(_ signature: Signature) async -> Bool { false }
}
