package import HTTPModel
import Pagination
import SimdJSON

/// Where an instance grants access tokens: `/oauth_token.do`, which takes forms and nothing else.
///
/// What it says in an error is not passed on but for the words of RFC 6749 §5.2: it was sent secrets and may repeat them.
package struct TokenEndpoint: Sendable {
    private let url: String
    private let client: OAuthClient
    private let transport: any HTTPTransport
    /// The time that one request may take.
    let timeout: Duration
    private let now: @Sendable () -> Int

    /// The endpoint of an instance.
    ///
    /// - Parameters:
    ///   - timeout: the time that one request may take.
    ///   - now: the present in seconds since 1970, against which a `Retry-After` date is read.
    package init(
        of url: InstanceURL, client: OAuthClient, transport: any HTTPTransport, timeout: Duration,
        now: @escaping @Sendable () -> Int
    ) {
        self.url = "\(url)/oauth_token.do"
        self.client = client
        self.transport = transport
        self.timeout = timeout
        self.now = now
    }

    /// Gets a new token: by the refresh token where there is one, and where the instance does not take it any more, by
    /// the client's own grant.
    ///
    /// - Parameter course: the attempt that needs it; in whose time it must come.
    /// - Throws: `CredentialFailure`.
    package func grant(
        refreshToken: Secret?, _ course: inout AttemptCourse
    ) async throws(CredentialFailure) -> TokenGrant {
        client.secret.readAgain()
        if let refreshToken {
            do throws(CredentialFailure) {
                var grant = try await request(
                    [("grant_type", "refresh_token"), ("refresh_token", refreshToken.revealed)], &course)
                grant.refreshToken = grant.refreshToken ?? refreshToken
                return grant
            } catch {
                guard case .asked(.unauthenticated) = error else { throw error }
            }
        }
        switch client.grant {
        case .clientCredentials: return try await request([("grant_type", "client_credentials")], &course)
        case .password(let username, let password):
            password.readAgain()
            return try await request(
                [("grant_type", "password"), ("username", username), ("password", try password.sendable)], &course)
        }
    }

    private func request(
        _ parameters: [(name: String, value: String)], _ course: inout AttemptCourse
    ) async throws(CredentialFailure) -> TokenGrant {
        let secret = try client.secret.sendable
        guard let remaining = course.begin() else { throw .shared(.timedOut(nil)) }
        do throws(PageSourceError) {
            return try await request(
                parameters + [("client_id", client.id), ("client_secret", secret)],
                timeout: min(timeout, remaining))
        } catch {
            throw .asked(error)
        }
    }

    private func request(
        _ parameters: [(name: String, value: String)], timeout: Duration
    ) async throws(PageSourceError) -> TokenGrant {
        var body: [UInt8] = []
        for (name, value) in parameters {
            if !body.isEmpty { body.append(UInt8(ascii: "&")) }
            body += name.utf8
            body.append(UInt8(ascii: "="))
            appendPercentEncoded(value, to: &body)
        }
        let response: IncomingResponse
        do {
            response = try await transport.send(
                OutgoingRequest(
                    method: "POST", url: url,
                    headers: ["Accept": "application/json", "Content-Type": "application/x-www-form-urlencoded"],
                    body: body, timeout: timeout, maxBodyBytes: 1 << 16))
        } catch {
            throw PageSourceError(error)
        }
        guard response.status == 200 else { throw refusal(response) }
        if let grant = TokenGrant(response.body) { return grant }
        // A sleeping instance answers this path, too, with its page.
        do throws(PageSourceError) {
            _ = try TableAnswer(response, now: now).page(countOnly: true)
        } catch {
            if case .unavailable = error { throw error }
        }
        throw .failed(
            PageSourceError.Upstream(status: 200), reason: "the instance's token endpoint answered without a token")
    }

    private func refusal(_ response: IncomingResponse) -> PageSourceError {
        var upstream = PageSourceError.Upstream(status: response.status)
        if case .string(let code)? = (try? JSONObject(response.body))?.members["error"], errorCodes.contains(code) {
            upstream.message = code
        }
        switch response.status {
        case 400, 401, 403: return .unauthenticated(upstream)
        case 429: return .rateLimited(upstream, retryAfter: response.headers.retryAfter(now: now))
        case 502, 503, 504: return .unavailable(upstream, retryAfter: response.headers.retryAfter(now: now))
        default:
            return .failed(
                upstream, reason: "the instance's token endpoint answered with status \(response.status)")
        }
    }
}

/// What an endpoint may say (RFC 6749 §5.2), and what an instance says of its own.
private let errorCodes: Set<String> = [
    "invalid_request", "invalid_client", "invalid_grant", "unauthorized_client", "unsupported_grant_type",
    "invalid_scope", "access_denied", "server_error",
]

extension TokenGrant {
    /// Reads an endpoint's answer; `nil` where there is no token in it that could be sent.
    fileprivate init?(_ body: [UInt8]) {
        guard let members = (try? JSONObject(body))?.members, case .string(let token)? = members["access_token"],
            isHeaderText(token)
        else { return nil }
        if let type = members["token_type"], type != .null {
            guard case .string(let name) = type, equalIgnoringCase(name, "Bearer") else { return nil }
        }
        self.token = Secret(token)
        switch members["expires_in"] {
        case .integer(let seconds): lifetime = max(0, seconds)
        case .number(let seconds): lifetime = Int(exactly: max(0, seconds).rounded(.down))
        case .string(let digits): lifetime = decimalNumber(digits)
        default: lifetime = nil
        }
        if case .string(let text)? = members["refresh_token"], !text.isEmpty { refreshToken = Secret(text) }
    }
}
