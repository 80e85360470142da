/// What an instance's OAuth registry knows the service as, and how the service asks it for access tokens (RFC 6749).
public struct OAuthClient: Sendable, Equatable {
    /// What a token is granted for.
    public enum Grant: Sendable, Equatable {
        /// The client itself; the instance decides which user that is.
        case clientCredentials
        /// A user's name and password.
        case password(username: String, password: Secret)
    }

    /// The client's name.
    public var id: String
    /// The client's secret.
    public var secret: Secret
    /// What tokens are granted for.
    public var grant: Grant

    /// Describes a client.
    public init(id: String, secret: Secret, grant: Grant) {
        self.id = id
        self.secret = secret
        self.grant = grant
    }
}
