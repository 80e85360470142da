import HTTPModel
import Pagination
import Testing

@testable import TableAPI

@Suite struct CredentialsTests {
    /// Every kind, with the word that must not show planted in all of its secrets.
    static let kinds: [Credentials] = [
        .basic(username: "reader", password: Secret("hunter2")), .bearer(Secret("hunter2")),
        .apiKey(Secret("hunter2")),
        .oauth(OAuthClient(id: "id", secret: Secret("hunter2"), grant: .clientCredentials)),
        .oauth(
            OAuthClient(
                id: "id", secret: Secret("hunter2"), grant: .password(username: "u", password: Secret("hunter2")))),
        .bearer(
            Secret(
                in: SecretFile(
                    "hunter2",
                    access: SecretFile.Access(version: { nil }, text: { "hunter2" }, uptime: { .zero })))),
    ]

    @Test(
        "Each kind signs in its own way",
        arguments: [
            (.none, [:]),
            (.basic(username: "u", password: Secret("p")), ["Authorization": "Basic dTpw"]),
            (.bearer(Secret("t")), ["Authorization": "Bearer t"]), (.apiKey(Secret("k")), ["x-sn-apikey": "k"]),
            (.oauth(.sample), ["Authorization": "Bearer token-1"]),
            (.certificate(certificateFile: "c", keyFile: "k"), [:]),
        ] as [(Credentials, HeaderFields)])
    func headers(credentials: Credentials, expected: HeaderFields) async throws {
        let instance = GrantingInstance()
        let transport = AnsweringTransport { request in
            request.url.hasSuffix(tokenPath) ? instance.answer(request) : .page(1, total: 1)
        }
        let service = TableService(
            instance: try Instance(url: "https://x.service-now.com", credentials: credentials), transport: transport)
        _ = try await service.source(of: "incident").fetch(PageRequest(offset: 0, limit: 1))
        var headers = try #require(transport.reads.first).headers
        #expect(headers["Accept"] == "application/json")
        headers["Accept"] = nil
        #expect(headers == expected)
    }

    @Test(
        "A secret that no header can carry is refused without being repeated",
        arguments: ["", "a\nb", "a\r\nX: hunter2", "\u{0}", "é", "a\u{7F}"])
    func unsendable(text: String) {
        for credentials in [Credentials.bearer(Secret(text)), .apiKey(Secret(text))] {
            let error = #expect(throws: InstanceError.self) {
                try Instance(url: "https://x.service-now.com", credentials: credentials)
            }
            #expect(!"\(error as Any)".contains("hunter2"))
        }
    }

    @Test("Nothing secret prints, however it is printed, before and after a request", arguments: kinds)
    func redacts(credentials: Credentials) async throws {
        let transport = AnsweringTransport { request in
            request.url.hasSuffix(tokenPath)
                ? .json(#"{"access_token":"hunter2","refresh_token":"hunter2","expires_in":1800}"#)
                : .page(1, total: 1)
        }
        let instance = try Instance(url: "https://x.service-now.com", credentials: credentials)
        let tokens = OAuthTokenSource(
            TokenEndpoint(
                of: instance.url, client: .sample, transport: ScriptedTransport(.refused), timeout: .seconds(1),
                now: { 0 }), now: { 0 })
        let source = credentials.source { client in
            OAuthTokenSource(
                TokenEndpoint(
                    of: instance.url, client: client, transport: transport, timeout: .seconds(1), now: { 0 }),
                now: { 0 })
        }
        var course = AttemptCourse(timeout: .seconds(1), clock: ManualTime().clock)
        let signature = try await source.signature(&course)
        #expect(signature.headers.fields.count == 1)
        var state = TokenState()
        state.complete(
            .success(TokenGrant(token: Secret("hunter2"), lifetime: 1, refreshToken: Secret("hunter2"))), start: 0,
            now: 0)
        let all: [Any] = [
            credentials, instance, source, signature, tokens, state,
            TableService(instance: instance, transport: ScriptedTransport(.refused)),
        ]
        for value in all {
            var dumped = ""
            dump(value, to: &dumped)
            let printed = "\(value) \(String(reflecting: value)) \(Mirror(reflecting: value).children) \(dumped)"
            #expect(!printed.contains("hunter2") && !printed.contains("cmVhZGVyOmh1bnRlcjI="))
        }
        #expect("\(credentials)".contains("<redacted>"))
    }
}
