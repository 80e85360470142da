internal import FoundationEssentials
internal import HTTPModel

/// A user name and a password that callers have to give (RFC 7617).
public struct BasicCredentials: Sendable {
    private let token: [UInt8]

    /// Makes credentials. The user name must have no colon.
    public init(username: String, password: String) {
        token = Array(Data("\(username):\(password)".utf8).base64EncodedString().utf8)
    }

    /// Whether a request carries them.
    func areGiven(in headers: HeaderFields) -> Bool {
        guard let value = headers["Authorization"] else { return false }
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, equalIgnoringCase(String(parts[0]), "Basic") else { return false }
        // Compares in a time that does not depend on where the first difference is.
        let given = Array(parts[1].utf8)
        guard given.count == token.count else { return false }
        return zip(given, token).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
    }
}
