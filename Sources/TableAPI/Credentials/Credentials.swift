import FoundationEssentials
import HTTPModel

/// How requests to an instance prove who they come from.
public enum Credentials: Sendable, Equatable {
    /// They don't.
    case none
    /// With a user name and a password (RFC 7617).
    case basic(username: String, password: Secret)
    /// With a token that somebody else looks after (RFC 6750).
    case bearer(Secret)
    /// With a key of the instance's REST API (`x-sn-apikey`).
    case apiKey(Secret)
    /// With access tokens that the instance grants (RFC 6749).
    case oauth(OAuthClient)
    /// With a client certificate (mutual TLS), which the transport presents. PEM files; the key unencrypted.
    case certificate(certificateFile: String, keyFile: String)
    /// With whatever the caller brings: see `ForwardedAuthorization`.
    case forward

    /// Checks that they can be sent.
    ///
    /// - Throws: `InstanceError.invalidUsername`, `.invalidSecret`.
    func validate() throws(InstanceError) {
        switch self {
        case .none, .oauth, .certificate, .forward: break
        case .basic(let username, _):
            guard !username.utf8.contains(where: { $0 == 0x3A || $0 < 0x20 || $0 == 0x7F }) else {
                throw .invalidUsername("the user name must have no colon and no control characters")
            }
        case .bearer(let secret), .apiKey(let secret):
            guard isHeaderText(secret.revealed) else {
                throw .invalidSecret("the secret must be ASCII without line breaks and control characters")
            }
        }
    }

    /// What signs requests with them.
    ///
    /// - Parameter tokens: makes what gives out the access tokens, where there are to be any.
    func source(tokens: (OAuthClient) -> any TokenSource) -> any CredentialSource {
        switch self {
        case .none, .certificate: UnsignedSource()
        case .basic(let username, let password):
            SecretSource(header: "Authorization", secret: password) { password in
                "Basic " + Data("\(username):\(password)".utf8).base64EncodedString()
            }
        case .bearer(let token): SecretSource(header: "Authorization", secret: token) { "Bearer " + $0 }
        case .apiKey(let key): SecretSource(header: "x-sn-apikey", secret: key) { $0 }
        case .forward: ForwardingSource()
        case .oauth(let client): TokenCredentialSource(tokens: tokens(client))
        }
    }
}
