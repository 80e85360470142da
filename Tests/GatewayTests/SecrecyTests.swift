import HTTPModel
import Observability
import Sessions
import TableAPI
import Testing

@testable import Gateway

/// Plants secrets wherever the service is given any, and looks for them in everything that it says.
@Suite struct SecrecyTests {
    private static let planted = ["hunter2", "cmVhZGVyOmh1bnRlcjI"]
    private static let caller: HeaderFields = ["Authorization": "Bearer hunter2"]

    private static let kinds: [Credentials] = [
        .basic(username: "reader", password: Secret("hunter2")), .bearer(Secret("hunter2")), .apiKey(Secret("hunter2")),
        .oauth(OAuthClient(id: "id", secret: Secret("hunter2-client"), grant: .clientCredentials)),
        .oauth(
            OAuthClient(
                id: "id", secret: Secret("hunter2-client"),
                grant: .password(username: "reader", password: Secret("hunter2-password")))),
        .forward,
    ]

    /// Every way in which an instance may fail, each repeating whatever it was sent.
    private enum Failure: Sendable, CaseIterable {
        case error200, dropped, redirect, rejected, refused, forbidden, missing, limited, broken, away
        case noConnection, noAnswer, webPage, cut

        func answer(_ request: OutgoingRequest) throws(TransportError) -> IncomingResponse {
            switch self {
            case .noConnection: throw .connectionFailed("refused")
            case .noAnswer: throw .timedOut(receivedBytes: true)
            case .webPage: response(200, "<html>\(echo(of: request))</html>")
            case .cut: response(200, "{\"result\":[{\"echo\":\"\(echo(of: request))\"},")
            default: response(status, error(echo(of: request)))
            }
        }

        private var status: Int {
            switch self {
            case .dropped: 202
            case .redirect: 301
            case .rejected: 400
            case .refused: 401
            case .forbidden: 403
            case .missing: 404
            case .limited: 429
            case .broken: 500
            case .away: 503
            default: 200
            }
        }

        private func response(_ status: Int, _ body: String) -> IncomingResponse {
            IncomingResponse(
                status: status, headers: ["Set-Cookie": "JSESSIONID=hunter2", "Location": "https://x/?hunter2"],
                body: Array(body.utf8))
        }

        private func error(_ echo: String) -> String {
            "{\"error\":{\"message\":\"\(echo)\",\"detail\":\"\(echo)\"},\"status\":\"failure\"}"
        }

        private func echo(of request: OutgoingRequest) -> String {
            (request.headers.fields.filter { $0.name != "Cookie" }.map { "\($0.name): \($0.value)" }
                + [String(decoding: request.body, as: UTF8.self)]).joined(separator: "; ")
        }
    }

    @Test("Nothing secret is in any answer, event, or list of instances", arguments: kinds)
    func nothingSecret(credentials: Credentials) async throws {
        // Either the token endpoint fails as well, where one is asked, or it grants tokens that are secrets, too.
        let endpoints = if case .oauth = credentials { [true, false] } else { [false] }
        for (grants, failure) in Failure.allCases.flatMap({ failure in endpoints.map { ($0, failure) } }) {
            let service = try Service(
                credentials: ["default": credentials],
                status: [
                    InstanceStatus(
                        name: "default", state: .ok, since: ManualTime().now, inFlight: 0, queued: 0, retryAfter: nil)
                ])
            service.transport.answer { request throws(TransportError) in
                if grants, request.url.hasSuffix("/oauth_token.do") {
                    return IncomingResponse(
                        status: 200,
                        body: Array(
                            #"{"access_token":"hunter2-token","refresh_token":"hunter2-refresh","expires_in":1800}"#
                                .utf8))
                }
                return try failure.answer(request)
            }
            let path = try #require(
                try await service.post("/sessions", #"{"table":"incident"}"#, Self.caller).headers["Location"])
            let answers = [
                try await service.post(path + "/next", nil, Self.caller),
                try await service.post(path + "/last", nil, Self.caller),
                try await service.get(path + "/pages/3", Self.caller),
                try await service.get("/tables/incident", Self.caller), try await service.get(path, Self.caller),
                try await service.get("/sessions", Self.caller), try await service.get("/instances", Self.caller),
                try await service.get("/nothing", Self.caller),
            ]
            #expect(answers.prefix(4).allSatisfy { $0.status >= 400 })
            var said = answers.map { "\($0.headers) \($0.text)" }.joined()
            var events = ""
            for event in service.events.all { events += "\(event)" }
            said += events
            for word in Self.planted { #expect(!said.contains(word), "\(word) in \(said)") }
        }
    }
}
