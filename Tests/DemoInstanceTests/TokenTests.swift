import Clocks
import Foundation
import HTTPModel
import PaginatordTesting
import Testing

@testable import DemoInstance

@Suite("Tokens of the demo instance")
struct TokenTests {
    private struct Tokens: Decodable, Equatable {
        var access_token: String
        var refresh_token: String?
        var scope: String
        var token_type: String
        var expires_in: Int
    }

    private let clock = ManualClock()

    private func instance(_ change: (inout DemoInstance.Options) -> Void = { _ in }) async throws -> Client {
        var options = DemoInstance.Options()
        options.incidents = 1
        options.credentials = BasicCredentials(username: "reader", password: "s&cret=1 ü")
        options.oauthClient = OAuthClient(id: "client", secret: "client+secret")
        options.tokenLifetime = .seconds(60)
        options.clock = clock.clock
        change(&options)
        return Client(instance: try await DemoInstance(options))
    }

    private func post(
        _ client: Client, _ form: [(String, String)], headers: HeaderFields = [:], method: String = "POST",
        type: String = "application/x-www-form-urlencoded"
    ) async throws -> (status: Int, body: [UInt8]) {
        var headers = headers
        headers["Content-Type"] = type
        let head = RequestHead(method: method, target: "/oauth_token.do", headers: headers)
        let response = await client.instance.respond(to: Request(head, body: Array(Client.encoded(form).utf8)))
        guard case .pieces(let pieces) = response.body else { return (response.status, []) }
        return (response.status, Array(pieces.joined()))
    }

    private func tokens(_ client: Client, _ form: [(String, String)]) async throws -> Tokens {
        let (status, body) = try await post(client, form)
        #expect(status == 200, "\(String(decoding: body, as: UTF8.self))")
        return try JSONDecoder().decode(Tokens.self, from: Data(body))
    }

    private func status(_ client: Client, _ authorization: String) async throws -> Int {
        try await client.call("/api/now/table/incident", headers: ["Authorization": authorization]).response.status
    }

    private static let application = [("client_id", "client"), ("client_secret", "client+secret")]
    private static let user = [("username", "reader"), ("password", "s&cret=1 ü")]

    @Test("are given to an application, the same ones while they are valid, and no refresh token")
    func clientCredentials() async throws {
        let client = try await instance()
        let form = Self.application + [("grant_type", "client_credentials")]
        let first = try await tokens(client, form)
        #expect(first.scope == "useraccount" && first.token_type == "Bearer" && first.expires_in == 60)
        #expect(first.refresh_token == nil)
        #expect(try await status(client, "Bearer \(first.access_token)") == 200)
        clock.advance(seconds: 20)
        let second = try await tokens(client, form)
        #expect(second.access_token == first.access_token && second.expires_in == 40)
        clock.advance(seconds: 40)
        #expect(try await status(client, "Bearer \(first.access_token)") == 401)
        let third = try await tokens(client, form)
        #expect(third.access_token != first.access_token && third.expires_in == 60)
        #expect(try await status(client, "bearer \(third.access_token)") == 200)
        #expect(try await status(client, "Bearer \(first.access_token)") == 401)
    }

    @Test("are given to a user with a refresh token, which gives further ones")
    func passwordAndRefresh() async throws {
        let client = try await instance()
        let first = try await tokens(client, Self.application + Self.user + [("grant_type", "password")])
        let refresh = try #require(first.refresh_token)
        #expect(try await status(client, "Bearer \(first.access_token)") == 200)
        // The refresh token is no access token.
        #expect(try await status(client, "Bearer \(refresh)") == 401)
        let form = Self.application + [("grant_type", "refresh_token"), ("refresh_token", refresh)]
        #expect(try await tokens(client, form) == first)
        clock.advance(seconds: 61)
        let second = try await tokens(client, form)
        #expect(second.access_token != first.access_token && second.refresh_token == refresh)
        #expect(try await status(client, "Bearer \(second.access_token)") == 200)
        clock.advance(seconds: 6000)
        #expect(try await post(client, form).status == 401)
    }

    @Test("are given for the application's basic credentials too")
    func basic() async throws {
        let client = try await instance()
        let basic = Data("client:client+secret".utf8).base64EncodedString()
        let (status, _) = try await post(
            client, [("grant_type", "client_credentials")], headers: ["Authorization": "Basic \(basic)"])
        #expect(status == 200)
    }

    private static let refusals: [(form: [(String, String)], status: Int)] = [
        ([("grant_type", "client_credentials"), ("client_id", "client"), ("client_secret", "wrong")], 401),
        ([("grant_type", "client_credentials")], 401),
        (application + [("grant_type", "password"), ("username", "reader"), ("password", "wrong")], 401),
        (application + [("grant_type", "password")], 401),
        (application + [("grant_type", "refresh_token"), ("refresh_token", "")], 401),
        (application + [("grant_type", "authorization_code")], 400), (application, 400),
    ]

    @Test("are given to nobody else", arguments: refusals.indices)
    func refused(index: Int) async throws {
        let (form, status) = Self.refusals[index]
        let client = try await instance()
        let (found, body) = try await post(client, form)
        #expect(found == status)
        if status == 401 {
            #expect(
                String(decoding: body, as: UTF8.self)
                    == #"{"error_description":"access_denied","error":"server_error"}"#)
        }
    }

    @Test("are asked for with a form by POST, and with nothing else")
    func formOnly() async throws {
        let client = try await instance()
        let form = Self.application + [("grant_type", "client_credentials")]
        #expect(try await post(client, form, type: "application/json").status == 400)
        #expect(try await post(client, form, method: "GET").status == 405)
        #expect(try await post(client, form, type: "application/x-www-form-urlencoded; charset=UTF-8").status == 200)
    }

    @Test("are not given where there is no application, and not for a user where there is none")
    func without() async throws {
        let noApplication = try await instance { $0.oauthClient = nil }
        let form = Self.application + [("grant_type", "client_credentials")]
        #expect(try await post(noApplication, form).status == 401)
        let noUser = try await instance { $0.credentials = nil }
        #expect(try await post(noUser, Self.application + Self.user + [("grant_type", "password")]).status == 401)
        #expect(try await post(noUser, form).status == 200)
        #expect(try await status(noUser, "Basic \(Data("reader:s&cret=1 ü".utf8).base64EncodedString())") == 401)
    }

    @Test("count against the limit of whom they were given to")
    func limits() async throws {
        let client = try await instance { $0.requestsPerHour = 1 }
        let application = try await tokens(client, Self.application + [("grant_type", "client_credentials")])
        let user = try await tokens(client, Self.application + Self.user + [("grant_type", "password")])
        #expect(try await status(client, "Bearer \(application.access_token)") == 200)
        #expect(try await status(client, "Bearer \(user.access_token)") == 200)
        #expect(try await status(client, "Bearer \(application.access_token)") == 429)
        #expect(try await status(client, "Basic \(Data("reader:s&cret=1 ü".utf8).base64EncodedString())") == 429)
    }
}
