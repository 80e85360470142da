/// An application that may ask for tokens (RFC 6749 §2.3).
public struct OAuthClient: Sendable, Equatable {
    /// Its name, the `client_id`.
    public var id: String
    /// Its password, the `client_secret`.
    public var secret: String

    /// Makes a client.
    public init(id: String, secret: String) {
        self.id = id
        self.secret = secret
    }
}
