import HTTPModel
import Testing

@testable import Gateway

private let allowedMethods = [
    "/sessions": "GET, HEAD, POST, OPTIONS", "/sessions/{id}": "GET, HEAD, PATCH, DELETE, OPTIONS",
    "/sessions/{id}/first": "GET, POST, OPTIONS", "/sessions/{id}/next": "GET, POST, OPTIONS",
    "/sessions/{id}/previous": "GET, POST, OPTIONS", "/sessions/{id}/last": "GET, POST, OPTIONS",
    "/sessions/{id}/reset": "POST, OPTIONS", "/sessions/{id}/pages/1": "GET, HEAD, OPTIONS",
    "/sessions/{id}/records": "GET, HEAD, OPTIONS", "/tables/incident": "GET, HEAD, OPTIONS",
    "/instances": "GET, HEAD, OPTIONS",
    "/problems": "GET, HEAD, OPTIONS", "/problems/not-found": "GET, HEAD, OPTIONS", "/livez": "GET, HEAD, OPTIONS",
    "/readyz": "GET, HEAD, OPTIONS",
]
private let paths = allowedMethods.keys.sorted()
private let methodsToTry = [
    "GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE", "CONNECT", "get", "Post", "PROPFIND", "",
]

struct RouteTests {
    @Test("Every route takes its methods and no others", arguments: paths, methodsToTry)
    func methods(path: String, method: String) async throws {
        let service = try Service()
        let target = path.replacing("/sessions/{id}", with: try await service.open())
        let allowed = try #require(allowedMethods[path])
        let answer = try await service.send(method, target)
        if method == "OPTIONS" {
            #expect(answer.status == 204 && answer.body.isEmpty)
            #expect(answer.headers["Allow"] == allowed)
        } else if allowed.split(separator: ", ").contains(Substring(method)) {
            #expect(answer.status != 405 && answer.headers["Allow"] == nil)
        } else {
            #expect(try answer.problem == "method-not-allowed")
            #expect(answer.headers["Allow"] == allowed)
        }
        if answer.status == 405 || method == "OPTIONS" { #expect(service.transport.urls.isEmpty) }
    }

    @Test("HEAD has the status and the headers of GET", arguments: paths)
    func head(path: String) async throws {
        let service = try Service()
        let target = path.replacing("/sessions/{id}", with: try await service.open())
        guard allowedMethods[path]?.contains("HEAD") == true else { return }
        let (get, head) = (try await service.get(target), try await service.send("HEAD", target))
        #expect(get.status == head.status)
        #expect(get.headers.fields.dropLast() == head.headers.fields.dropLast())
    }

    @Test(
        "No second spelling reaches a route",
        arguments: [
            "/", "//", "/Sessions", "/LIVEZ", "//sessions", "/sessions/", "/sessions//", "/%73essions", "/sessions%2F",
            "/sessions;a=b", "/./sessions", "/x/../sessions", "/sessions/..", "/sessions/%2e%2e", "/sessions/{id}/",
            "/sessions/{id}/.", "/sessions/{id};a=b", "/sessions//{id}", "/sessions/{id}%20", "/sessions/{ID}",
            "/sessions/{id}/next/", "/sessions/{id}//next", "/sessions/{id}/%6eext", "/sessions/{id}/next;a=b",
            "/sessions/{id}/NEXT", "/sessions/{id}/./next", "/sessions/{id}/x/../next", "/sessions/{id}/nextt",
            "/sessions/..%2fsessions/{id}", "/sessions/{id}%2fnext", "/sessions/{id}/pages", "/sessions/{id}/pages/",
            "/sessions/{id}/pages/1/", "/sessions/{id}/pages//1", "/sessions/{id}/p%61ges/1", "/tables", "/tables/",
            "/tables/incident/", "/tables//incident", "/tables/a/b", "/livez/", "/readyz//", "/%6civez", "/instances/",
            "/problems/", "/problems//not-found", "/problems/not-found/", "/problems/Not-Found",
            "/problems/not%2Dfound",
            "/sessions/{id}/Events", "/sessions/{id}/events/", "/sessions/{id}/records/", "/sessions/{id}/record",
            "/openapi.json", "/client.js",
            "/metrics",
        ])
    func aliases(path: String) async throws {
        let service = try Service()
        let id = try await service.open().dropFirst("/sessions/".count)
        let target = path.replacing("{id}", with: id).replacing("{ID}", with: id.uppercased())
        for method in ["GET", "POST", "DELETE"] {
            // An upper-case name may consist of digits alone.
            if path.contains("{ID}"), id == id.uppercased() { continue }
            let answer = try await service.send(method, target)
            #expect([400, 404, 405].contains(answer.status), "\(method) \(target)")
        }
        #expect(try await service.get("/sessions/\(id)").status == 200)
        #expect(service.transport.urls.isEmpty)
    }

    @Test(
        "A target that is no well-formed path is malformed",
        arguments: [
            "*", "sessions", "localhost:80", "", "/sessions/a%00b", "/livez?x=%00", "/sessions/%", "/sessions/%4",
            "/sessions/%zz", "/a b", "/a#b", "/sessions/\u{E9}", "/a\tb", "ftp://localhost/livez", "/\u{7F}",
            "http://local\\host/livez",
        ])
    func malformed(target: String) async throws {
        #expect(try await Service().get(target).problem == "malformed-request")
    }

    @Test(
        "Query parameters that are not text are malformed", arguments: ["x=%ff", "%C3=1", "after=%ED%A0%80"])
    func undecodable(query: String) async throws {
        let service = try Service()
        let session = try await service.open()
        for target in [session, session + "/next", "/tables/incident", "/livez"] {
            #expect(try await service.get("\(target)?\(query)").problem == "malformed-request")
        }
    }

    @Test("Unknown and repeated query parameters are refused on every route, all at once", arguments: paths)
    func parameters(path: String) async throws {
        let service = try Service()
        let target = path.replacing("/sessions/{id}", with: try await service.open())
        let methods = try #require(allowedMethods[path]).split(separator: ", ").map(String.init)
        for method in methods where method != "OPTIONS" {
            let body = method == "PATCH" || method == "POST" ? #"{"bogus":1}"# : nil
            let answer = try await service.send(method, target + "?zz=1&y~%2F=2&zz=3&", body: body)
            #expect(try answer.problem == "invalid-parameter")
            #expect(try answer.faults.prefix(3) == ["?zz", "?y~/", "?zz"])
        }
        #expect(service.transport.urls.isEmpty)
    }

    @Test(
        "A known parameter may stand once",
        arguments: [
            ("/sessions?limit=5&limit=5", "?limit"), ("/sessions?before=5&limit=1&before=6", "?before"),
            ("/sessions/{id}/next?after=0&after=0", "?after"), ("/sessions/{id}/reset?after=0&%61fter=0", "?after"),
            ("/sessions/{id}/records?guard=true&guard=true", "?guard"), ("/tables/incident?page=1&page=1", "?page"),
            ("/tables/incident?view=&view", "?view"),
        ])
    func repeated(target: String, fault: String) async throws {
        let service = try Service()
        let target = target.replacing("/sessions/{id}", with: try await service.open())
        let method = target.contains("reset") ? "POST" : "GET"
        #expect(try await service.send(method, target).faults == [fault])
        #expect(service.transport.urls.isEmpty)
    }

    @Test("The body of a move is ignored", arguments: ["{", "[]", "x=1"])
    func moveBody(body: String) async throws {
        let service = try Service()
        let session = try await service.open()
        #expect(try await service.send("POST", session + "/next", body: body, contentType: "text/plain").status == 200)
        #expect(try await service.send("POST", session + "/next", body: body, contentType: nil).status == 200)
    }

    @Test("While it drains, the service answers only whether it lives", arguments: paths)
    func draining(path: String) async throws {
        let service = try Service()
        let target = path.replacing("/sessions/{id}", with: try await service.open())
        service.gateway.drain()
        let method = path.hasSuffix("reset") ? "POST" : "GET"
        let answer = try await service.send(method, target)
        guard path != "/livez" else {
            #expect(answer.status == 200)
            return
        }
        #expect(try answer.problem == "shutting-down")
        #expect(answer.headers["Retry-After"] == "1")
        #expect(service.transport.urls.isEmpty)
    }

    @Test("Health is a status and a word", arguments: ["/livez", "/readyz"])
    func health(path: String) async throws {
        let answer = try await Service().get(path)
        #expect(answer.status == 200 && answer.text == #"{"status":"ok"}"#)
    }

    @Test("It lives, but is not ready, while sessions cannot be kept", arguments: ["GET", "HEAD"])
    func notReady(method: String) async throws {
        let service = try Service(store: AbsentStore())
        let answer = try await service.send(method, "/readyz")
        #expect(answer.status == 503 && answer.headers["Retry-After"] != nil)
        if method == "GET" { #expect(try answer.problem == "store-unavailable") }
        #expect(try await service.send(method, "/livez").status == 200)
    }
}
