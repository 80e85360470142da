import FoundationEssentials
import HTTPModel
import Pagination

/// How requests to an instance prove who they come from.
public enum Credentials: Sendable, Equatable {
    /// They don't.
    case none
    /// With a user name and a password (RFC 7617).
    case basic(username: String, password: Secret)

    /// Checks that they can be sent.
    ///
    /// - Throws: `InstanceError.invalidUsername`.
    func validate() throws(InstanceError) {
        switch self {
        case .none: break
        case .basic(let username, _):
            guard !username.utf8.contains(where: { $0 == 0x3A || $0 < 0x20 || $0 == 0x7F }) else {
                throw .invalidUsername("the user name must have no colon and no control characters")
            }
        }
    }

    /// What gives the headers that carry them.
    var source: any CredentialSource {
        switch self {
        case .none: FixedCredentialSource(authorization: nil)
        case .basic(let username, let password):
            FixedCredentialSource(
                authorization: Secret("Basic " + Data("\(username):\(password.revealed)".utf8).base64EncodedString()))
        }
    }
}

/// Gives the headers that prove who a request comes from, anew for every attempt: what they hold may have been renewed
/// since the last one.
protocol CredentialSource: Sendable {
    /// The headers for one attempt on behalf of `caller` (`nil` for the service itself).
    ///
    /// - Throws: `PageSourceError` where none can be had.
    func headers(for caller: String?) async throws(PageSourceError) -> HeaderFields
}

/// Credentials that never change.
struct FixedCredentialSource: CredentialSource {
    /// The value of the `Authorization` header, where there is one.
    let authorization: Secret?

    /// The same headers every time.
    func headers(for caller: String?) async throws(PageSourceError) -> HeaderFields {
        guard let authorization else { return [:] }
        return ["Authorization": authorization.revealed]
    }
}
