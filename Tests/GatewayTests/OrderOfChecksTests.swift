import HTTPModel
import Testing

@testable import Gateway

/// Each request is wrong in two neighbouring ways; the check that comes first answers.
struct OrderOfChecksTests {
    private struct Wrong {
        var method = "POST"
        var target = "/sessions"
        var headers: HeaderFields = ["Host": "localhost"]
        var body: String? = #"{"table":"incident"}"#
        var contentType: String? = "application/json"
    }

    private func problem(of wrong: Wrong) async throws -> String? {
        let service = try Service(configuration: GatewayConfiguration(maxRequestBody: 100))
        let answer = try await service.send(
            wrong.method, wrong.target, headers: wrong.headers, body: wrong.body, contentType: wrong.contentType)
        #expect(service.transport.urls.isEmpty)
        return try answer.problem
    }

    private static let unknown = "/sessions/00000000000000000000000000000000"

    @Test("The host is looked at before the origin")
    func host() async throws {
        let headers: HeaderFields = ["Host": "evil.example", "Origin": "http://evil.example"]
        #expect(try await problem(of: Wrong(headers: headers)) == "host-not-allowed")
    }

    @Test("The origin is looked at before the route")
    func origin() async throws {
        let headers: HeaderFields = ["Host": "localhost", "Origin": "null"]
        #expect(try await problem(of: Wrong(target: "/nowhere", headers: headers)) == "origin-not-allowed")
    }

    @Test("The route is looked at before the method")
    func route() async throws {
        #expect(try await problem(of: Wrong(method: "BREW", target: "/nowhere")) == "not-found")
    }

    @Test("The method is looked at before the media type")
    func method() async throws {
        #expect(try await problem(of: Wrong(method: "PUT", contentType: "text/plain")) == "method-not-allowed")
    }

    @Test(
        "The media type is looked at before the size",
        arguments: [("POST", "/sessions"), ("PATCH", unknown)])
    func mediaType(method: String, target: String) async throws {
        let wrong = Wrong(
            method: method, target: target, body: String(repeating: "x", count: 101), contentType: "text/plain")
        #expect(try await problem(of: wrong) == "unsupported-media-type")
    }

    @Test(
        "The size is looked at before the JSON, and on every route that reads a body",
        arguments: [
            ("POST", "/sessions?x=1"), ("PATCH", unknown), ("POST", unknown + "/next?x=1"),
            ("POST", unknown + "/reset"), ("GET", unknown + "?x=1"), ("DELETE", unknown), ("GET", "/tables/A?x=1"),
        ])
    func size(method: String, target: String) async throws {
        let wrong = Wrong(method: method, target: target, body: String(repeating: "x", count: 101))
        #expect(try await problem(of: wrong) == "content-too-large")
    }

    @Test(
        "The JSON is looked at before the parameters",
        arguments: [("POST", "/sessions?x=1"), ("PATCH", unknown + "?x=1")])
    func json(method: String, target: String) async throws {
        #expect(try await problem(of: Wrong(method: method, target: target, body: "{")) == "malformed-request")
        #expect(try await problem(of: Wrong(method: method, target: target, body: "[]")) == "malformed-request")
    }

    @Test(
        "The parameters are looked at before the session",
        arguments: [
            ("PATCH", unknown, #"{"table":"incident"}"#), ("POST", unknown + "/next?after=x", nil),
            ("GET", unknown + "?x=1", nil), ("DELETE", unknown + "?x=1", nil), ("GET", unknown + "/pages/0", nil),
            ("POST", unknown + "/reset?x=1", nil), ("GET", "/sessions/none?x=1", nil),
            ("GET", unknown + "/records?x=1", nil), ("HEAD", unknown + "/records?guard=1", nil),
        ])
    func parameters(method: String, target: String, body: String?) async throws {
        #expect(try await problem(of: Wrong(method: method, target: target, body: body)) == "invalid-parameter")
    }

    @Test(
        "The session is looked at before its position",
        arguments: [
            ("PATCH", unknown, #"{"publisherShouldFinish":true}"#), ("POST", unknown + "/next?after=7", nil),
            ("POST", unknown + "/reset?after=7", nil), ("GET", unknown + "/pages/1", nil), ("DELETE", unknown, nil),
            ("GET", unknown, nil), ("GET", "/sessions/none", nil), ("DELETE", "/sessions/none", nil),
            ("GET", unknown + "/records?format=csv&afterKey=00000000000000000000000000000000", nil),
        ])
    func session(method: String, target: String, body: String?) async throws {
        #expect(try await problem(of: Wrong(method: method, target: target, body: body)) == "session-not-found")
    }

    @Test(
        "A body has to be declared as JSON, in whatever spelling",
        arguments: [
            ("application/json", 201), ("Application/JSON", 201), ("application/json; charset=utf-8", 201),
            ("application/json;charset=\"utf-8\"", 201), ("application/json \t;x", 201), ("text/plain", 415),
            ("application/jsonx", 415), ("application/json, text/plain", 415), (";application/json", 415),
            ("appli cation/json", 415), ("application/x-www-form-urlencoded", 415), ("multipart/form-data", 415),
            ("application/problem+json", 415), ("", 415), (";", 415), (nil, 415),
        ])
    func spellings(contentType: String?, status: Int) async throws {
        let service = try Service()
        let answer = try await service.send(
            "POST", "/sessions", body: #"{"table":"incident"}"#, contentType: contentType)
        #expect(answer.status == status)
        let twice: HeaderFields = ["Host": "localhost", "Content-Type": "application/json"]
        #expect(
            try await service.send("POST", "/sessions", headers: twice, body: #"{"table":"incident"}"#).status == 415)
    }
}
