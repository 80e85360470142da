internal import FoundationEssentials
internal import HTTPModel

/// A user name and a password that callers have to give (RFC 7617).
public struct BasicCredentials: Sendable {
    private let username: String
    private let password: String

    /// Makes credentials. The user name must have no colon.
    public init(username: String, password: String) {
        self.username = username
        self.password = password
    }

    /// Whether a request carries them.
    func areGiven(in headers: HeaderFields) -> Bool {
        guard let value = headers["Authorization"], let given = Self.pair(in: value) else { return false }
        return areGiven(username: given.username, password: given.password)
    }

    /// Whether these are they.
    func areGiven(username: String, password: String) -> Bool {
        let isUser = isSameSecret(username, self.username)
        return isSameSecret(password, self.password) && isUser
    }

    /// The user name and the password of an `Authorization` field.
    static func pair(in value: String) -> (username: String, password: String)? {
        let parts = value.split(separator: " ", maxSplits: 1)
        guard parts.count == 2, equalIgnoringCase(String(parts[0]), "Basic"),
            let data = Data(base64Encoded: String(parts[1])), let text = String(validating: data, as: UTF8.self),
            let colon = text.utf8.firstIndex(of: 0x3A)
        else { return nil }
        return (String(text[..<colon]), String(text[text.utf8.index(after: colon)...]))
    }
}

/// Compares in a time that does not depend on where the first difference is.
func isSameSecret(_ given: String, _ secret: String) -> Bool {
    let (given, secret) = (Array(given.utf8), Array(secret.utf8))
    guard given.count == secret.count else { return false }
    return zip(given, secret).reduce(0) { $0 | ($1.0 ^ $1.1) } == 0
}
