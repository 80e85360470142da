internal import HTTPModel

/// Decides who makes a request.
struct Authentication: Sendable {
    /// The user that there is.
    let credentials: BasicCredentials?
    /// The application that there is.
    let client: OAuthClient?
    /// The tokens that were given out.
    let tokens: AccessTokens

    /// The account whose credentials a request carries.
    /// - Throws: `.notAuthenticated` where it has none, or wrong or expired ones.
    func account(_ headers: HeaderFields) throws(InstanceError) -> Account {
        guard credentials != nil || client != nil else { return .everybody }
        if let credentials, credentials.areGiven(in: headers) { return .user }
        let parts = (headers["Authorization"] ?? "").split(separator: " ", maxSplits: 1)
        guard parts.count == 2, equalIgnoringCase(String(parts[0]), "Bearer"),
            let account = tokens.account(access: String(parts[1]))
        else { throw .notAuthenticated }
        return account
    }

    /// Answers a request for a token (RFC 6749 §4.3, §4.4, §6).
    func answer(_ request: Request) -> Response {
        do throws(TokenError) {
            return Self.response(try grant(request))
        } catch {
            return error.response
        }
    }

    private func grant(_ request: Request) throws(TokenError) -> AccessTokens.Grant {
        guard request.head.method == "POST" else { throw .methodNotAllowed }
        let type = (request.head.headers["Content-Type"] ?? "").split(separator: ";").first ?? ""
        guard equalIgnoringCase(type.trimmingSpaces, "application/x-www-form-urlencoded"),
            let form = RequestTarget("/?" + String(decoding: request.body, as: UTF8.self))?.parameters()
        else { throw .invalidRequest }
        let fields = Dictionary(form.map { ($0.name, $0.value) }) { _, last in last }
        // The application's name and password come in the form or as basic credentials (RFC 6749 §2.3.1).
        let pair = BasicCredentials.pair(in: request.head.headers["Authorization"] ?? "")
        guard let client, isSameSecret(fields["client_id"] ?? pair?.username ?? "", client.id),
            isSameSecret(fields["client_secret"] ?? pair?.password ?? "", client.secret)
        else { throw .accessDenied }
        switch fields["grant_type"] {
        case "client_credentials": return tokens.grant(to: .application)
        case "password":
            guard let credentials,
                credentials.areGiven(username: fields["username"] ?? "", password: fields["password"] ?? "")
            else { throw .accessDenied }
            return tokens.grant(to: .user)
        case "refresh_token":
            guard let account = tokens.account(refresh: fields["refresh_token"] ?? "") else { throw .accessDenied }
            return tokens.grant(to: account)
        case nil: throw .invalidRequest
        default: throw .unsupportedGrant
        }
    }

    private static func response(_ grant: AccessTokens.Grant) -> Response {
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("access_token", grant.access)
            if let refresh = grant.refresh { writer.member("refresh_token", refresh) }
            writer.member("scope", "useraccount")
            writer.member("token_type", "Bearer")
            writer.member("expires_in", grant.remaining)
        }
        var response = Response(status: 200, headers: InstanceError.jsonHeaders, body: .bytes(writer.bytes))
        response.headers["Cache-Control"] = "no-store"
        return response
    }
}

/// Why there is no token (RFC 6749 §5.2; access that is denied is written as instances write it).
enum TokenError: Error, Equatable {
    /// Another method than POST.
    case methodNotAllowed
    /// No form, or one without a grant type.
    case invalidRequest
    /// A grant type that this instance does not have.
    case unsupportedGrant
    /// Wrong credentials of the application or the user, or a refresh token that is not valid.
    case accessDenied

    /// The response.
    var response: Response {
        let (status, error, description) =
            switch self {
            case .methodNotAllowed: (405, "invalid_request", "use POST")
            case .invalidRequest: (400, "invalid_request", "a form with a grant_type is needed")
            case .unsupportedGrant: (400, "unsupported_grant_type", "unsupported_grant_type")
            case .accessDenied: (401, "server_error", "access_denied")
            }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("error_description", description)
            writer.member("error", error)
        }
        var response = Response(status: status, headers: InstanceError.jsonHeaders, body: .bytes(writer.bytes))
        if self == .methodNotAllowed { response.headers["Allow"] = "POST" }
        return response
    }
}

extension StringProtocol {
    /// The text without spaces around it.
    var trimmingSpaces: String {
        String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
