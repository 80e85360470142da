import HTTPModel
import Observability
import PaginatordTesting
import Sessions
import Synchronization
import TableAPI
import Testing

@testable import Gateway

/// A service that asks for access tokens.
struct TokenTests {
    private let alice = bearer(AccessPolicy.alice)
    private let bob = bearer(AccessPolicy.bob)

    private func service(_ policy: AccessPolicy? = nil, store: (any SessionStore)? = nil) throws -> Service {
        try Service(configuration: .sample(try policy ?? .sample()), store: store)
    }

    private func open(_ service: Service, _ caller: HeaderFields, itemsPerPage: Int = 20) async throws -> String {
        let body = #"{"table":"incident","itemsPerPage":\#(itemsPerPage)}"#
        return try #require(try await service.post("/sessions", body, caller).headers["Location"])
    }

    private static let unknown = "/sessions/00000000000000000000000000000000"

    @Test(
        "Without a token that is known, nothing is read and nothing is done",
        arguments: [
            [:], bearer("wrong-0123456789abcdef"), bearer(AccessPolicy.alice + "x"), bearer(""),
            ["Authorization": "Basic " + AccessPolicy.alice], ["Cookie": "access_token=" + AccessPolicy.alice],
            ["X-Access-Token": AccessPolicy.alice], ["Proxy-Authorization": "Bearer " + AccessPolicy.alice],
            ["Authorization": "Bearer " + AccessPolicy.alice, "authorization": "Bearer " + AccessPolicy.alice],
        ] as [HeaderFields], [ConnectionKind.tcp, .tls, .unix])
    func refused(headers: HeaderFields, connection: ConnectionKind) async throws {
        let service = try service()
        let path = try await open(service, alice)
        let inURL = "access_token=\(AccessPolicy.alice)&token=\(AccessPolicy.alice)"
        for (method, target) in [
            ("POST", "/sessions"), ("GET", "/sessions"), ("GET", path), ("POST", path + "/next"), ("DELETE", path),
            ("GET", path + "/pages/1"), ("GET", path + "/events"), ("GET", path + "/records"), ("PUT", "/sessions"),
            ("GET", "/tables/incident"), ("GET", "/instances"), ("GET", "/nothing"), ("OPTIONS", "/sessions"),
            ("GET", "/metrics"), ("GET", "/debug"), ("GET", "/tables/incident?" + inURL), ("GET", path + "?" + inURL),
        ] {
            let answer = try await service.send(
                method, target, headers: HeaderFields([.init("Host", "localhost")] + headers.fields),
                body: method == "POST" ? #"{"table":"incident"}"# : nil, connection: connection)
            #expect(try answer.status == 401 && answer.problem == "authentication-required", "\(method) \(target)")
            #expect(answer.headers["WWW-Authenticate"] == "Bearer realm=\"paginatord\"")
        }
        #expect(service.transport.urls.isEmpty)
        #expect(try await service.get(path, alice)["position"] == .integer(0))
    }

    @Test("What needs no token needs none, even a wrong one does no harm there")
    func openRoutes() async throws {
        for headers in [[:], bearer("wrong-0123456789abcdef"), alice] {
            for target in ["/problems", "/problems/not-found", "/livez", "/readyz"] {
                #expect(try await service().get(target, headers).status == 200)
            }
        }
    }

    @Test("A token is no way past host and origin, and comes before the path")
    func order() async throws {
        for (headers, problem) in [
            (["Host": "evil.example"], "host-not-allowed"),
            (["Host": "localhost", "Origin": "https://evil.example"], "origin-not-allowed"),
            (["Host": "localhost"], "authentication-required"),
        ] as [(HeaderFields, String)] {
            #expect(try await service().send("GET", "/nowhere", headers: headers).problem == problem)
        }
        let known: HeaderFields = ["Host": "evil.example", "Authorization": "Bearer " + AccessPolicy.alice]
        #expect(try await service().send("GET", "/sessions", headers: known).problem == "host-not-allowed")
        #expect(try await service().get("/nowhere", alice).problem == "not-found")
    }

    @Test("Another owner’s session is answered exactly as one that never was")
    func invisible() async throws {
        let service = try service()
        let path = try await open(service, alice)
        _ = try await service.post(path + "/next", nil, alice)
        for (method, suffix, body) in [
            ("GET", "", nil), ("HEAD", "", nil), ("DELETE", "", nil), ("POST", "/next", nil),
            ("POST", "/next?after=0", nil),
            ("POST", "/reset", nil), ("GET", "/pages/1", nil), ("GET", "/events", nil), ("GET", "/records", nil),
            ("PATCH", "", #"{"publisherShouldFinish":true}"#),
        ] as [(String, String, String?)] {
            let headers = HeaderFields([.init("Host", "localhost")] + bob.fields)
            let answer = try await service.send(method, path + suffix, headers: headers, body: body)
            let never = try await service.send(method, Self.unknown + suffix, headers: headers, body: body)
            #expect(answer.status == 404 && answer.body == never.body && answer.status == never.status)
            let names = answer.headers.fields.map(\.name)
            #expect(names == never.headers.fields.map(\.name))
        }
        #expect(try await service.get("/sessions", bob)["sessions"] == .array([]))
        #expect(try await service.get(path, alice)["position"] == .integer(1))
        #expect(service.transport.urls.count == 1)
    }

    @Test("Sessions belong to the token’s name: they outlive its secret and the process, and no longer than the name")
    func persistent() async throws {
        let store = MemorySessionStore()
        let before = try service(store: store)
        let path = try await open(before, alice)
        var tokens = before.gateway.tokens
        try tokens.set(Secret("fresh-0123456789abcdef"), for: "alice")
        before.gateway.renew(tokens)
        let fresh = bearer("fresh-0123456789abcdef")
        #expect(try await before.get(path, alice).status == 401)
        #expect(try await before.post(path + "/next", nil, fresh).status == 200)
        let after = try service(
            .sample(tokens: ["alice": "later-0123456789abcdef", "bob": AccessPolicy.alice]), store: store)
        #expect(try await after.get(path, bearer("later-0123456789abcdef"))["position"] == .integer(1))
        // The secret is bob's now, the session is not.
        #expect(try await after.get(path, alice).status == 404)
        #expect(try await service(.sample(tokens: [:]), store: store).get(path).status == 404)
    }

    @Test("A token’s requests under way are bounded, and nobody else’s by them")
    func bounded() async throws {
        let service = try service(.sample(requestsPerToken: 2))
        // Each with a window of its own, so that none waits for the fetch of another.
        var paths: [String] = []
        for (caller, size) in [(alice, 1), (alice, 2), (bob, 3)] {
            paths.append(try await open(service, caller, itemsPerPage: size))
        }
        let gate = Gate()
        defer { gate.open() }
        service.transport.answer { _ in
            await gate.wait()
            return IncomingResponse(status: 200, headers: ["X-Total-Count": "0"], body: Array(#"{"result":[]}"#.utf8))
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for (path, caller) in [(paths[0], alice), (paths[1], alice), (paths[2], bob)] {
                group.addTask { try await service.post(path + "/next", nil, caller).status }
            }
            try await eventually("all three are under way") { service.transport.urls.count == 3 }
            for (method, target) in [("GET", "/sessions"), ("GET", "/instances"), ("PUT", "/nowhere")] {
                let answer = try await service.send(
                    method, target, headers: HeaderFields([.init("Host", "localhost")] + alice.fields))
                #expect(try answer.status == 429 && answer.problem == "too-many-requests")
                #expect(answer.headers["Retry-After"] == "1")
                #expect(try answer["limit"] == .integer(2))
            }
            #expect(try await service.get(paths[2], bob).status == 200)
            #expect(try await service.get("/livez", alice).status == 200)
            gate.open()
            for try await status in group { #expect(status == 200) }
        }
        for _ in 0..<5 { #expect(try await service.get(paths[0], alice).status == 200) }
    }

    @Test("Whatever becomes of a request, it is under way no longer: refused, answered, streamed, given up")
    func released() async throws {
        let service = try service(.sample(requestsPerToken: 1))
        let path = try await open(service, alice)
        let headers = HeaderFields([.init("Host", "localhost")] + alice.fields)
        for _ in 0..<3 {
            for (method, target) in [
                ("GET", path), ("POST", path + "/next?x=1"), ("GET", "/nowhere"), ("PUT", "/sessions"),
                ("HEAD", path + "/events"), ("HEAD", path + "/records"), ("GET", "/instances"), ("OPTIONS", path),
            ] {
                #expect(try await service.send(method, target, headers: headers).status != 429, "\(method) \(target)")
            }
            // The body never comes.
            _ = service.gateway.receive(RequestHead(method: "GET", target: path, headers: headers))
            // Too large a body.
            if case .body(_, let tooLarge, _) = service.gateway.receive(
                RequestHead(method: "GET", target: path, headers: headers))
            {
                #expect(tooLarge().status == 413)
            }
            // A stream that is never begun, and one that is read to its end.
            _ = try await service.get(path + "/records", alice)
            let answer = try await service.get(path + "/records", alice)
            #expect(try await service.get(path, alice).status == 429)
            #expect(await answer.receive().isWhole)
            #expect(try await service.get(path, alice).status == 200)
        }
    }

    @Test("A token opens no more than maxPerOwner sessions, and others still can")
    func sessionsPerOwner() async throws {
        let service = try Service(
            configuration: .sample(.sample()),
            sessions: SessionConfiguration(limits: SessionLimits(perOwner: 3, total: 100)))
        for _ in 0..<3 { _ = try await open(service, alice) }
        for _ in 0..<50 {
            let answer = try await service.post("/sessions", #"{"table":"incident"}"#, alice)
            #expect(try answer.problem == "too-many-sessions" && answer["limit"] == .integer(3))
            #expect(answer.headers["Retry-After"] != nil)
        }
        _ = try await open(service, bob)
    }

    @Test("The log names the token and holds nothing of it")
    func logged() async throws {
        let service = try service()
        _ = try await open(service, alice)
        _ = try await service.get("/livez", alice)
        _ = try await service.get("/sessions", bearer("wrong-0123456789abcdef"))
        let owners: [String?] = service.events.all.map { event in
            guard case .requestAnswered(let request) = event else { return nil }
            return request.owner
        }
        #expect(owners == ["alice", nil, nil])
    }
}
