import HTTPModel
import Sessions
import Testing

@testable import Gateway

struct SessionRouteTests {
    @Test("The list is newest first, and its next links lead through all of it", arguments: [1, 2, 3, 5, 6])
    func list(limit: Int) async throws {
        let service = try Service()
        var opened: [String] = []
        for _ in 0..<5 { opened.insert(try await service.open(), at: 0) }
        var target: String? = "/sessions?limit=\(limit)"
        var listed: [String] = []
        while let page = target {
            let answer = try await service.get(page)
            guard case .array(let sessions)? = try answer["sessions"] else { break }
            #expect(sessions.count <= limit && !sessions.isEmpty)
            for case .object(let session) in sessions {
                if case .string(let id)? = session["id"] { listed.append("/sessions/" + id) }
            }
            let link = answer.headers["Link"]
            #expect(link?.hasSuffix(">; rel=\"next\"") != false)
            target = link.map { String($0.dropFirst().prefix { $0 != ">" }) }
        }
        #expect(listed == opened)
    }

    @Test("Every entry of the list is the session’s own answer")
    func entries() async throws {
        let service = try Service()
        let path = try await service.open()
        _ = try await service.post(path + "/next")
        let (list, session) = (try await service.get("/sessions"), try await service.get(path))
        #expect(list.text == "{\"sessions\":[\(session.text)]}" && list.headers["Link"] == nil)
    }

    @Test(
        "What bounds the list is checked",
        arguments: [
            ("limit=0", ["?limit"]), ("limit=1001", ["?limit"]), ("limit=-1", ["?limit"]), ("limit=x", ["?limit"]),
            ("limit=", ["?limit"]), ("limit=99999999999999999999", ["?limit"]), ("before=x", ["?before"]),
            ("before=", ["?before"]), ("before=-1", ["?before"]), ("before=99999999999999999999", ["?before"]),
            ("limit=0&before=x&y=1", ["?y", "?limit", "?before"]), ("after=1", ["?after"]),
        ])
    func listFaults(query: String, faults: [String]) async throws {
        #expect(try await Service().get("/sessions?\(query)").faults == faults)
    }

    @Test("Only whether the publisher finishes can be changed", arguments: ["true", "false"])
    func change(flag: String) async throws {
        let service = try Service()
        let path = try await service.open()
        let answer = try await service.send("PATCH", path, body: "{\"publisherShouldFinish\":\(flag)}")
        #expect(answer.status == 200)
        #expect(try answer["publisherShouldFinish"] == .bool(flag == "true") && answer["position"] == .integer(0))
        #expect(try await service.get(path).text == answer.text)
    }

    @Test(
        "Any other change is refused, all at once",
        arguments: [
            ("{}", ["/publisherShouldFinish"]), (#"{"publisherShouldFinish":null}"#, ["/publisherShouldFinish"]),
            (#"{"publisherShouldFinish":1}"#, ["/publisherShouldFinish"]),
            (#"{"publisherShouldFinish":"true"}"#, ["/publisherShouldFinish"]),
            (#"{"publisherShouldFinish":true,"position":3}"#, ["/position"]),
            (#"{"publisherShouldFinish":true,"publisherShouldFinish":false}"#, ["/publisherShouldFinish"]),
            (#"{"b/~":1,"a":2}"#, ["/a", "/b~1~0", "/publisherShouldFinish"]),
        ])
    func badChange(body: String, faults: [String]) async throws {
        let service = try Service()
        let path = try await service.open()
        #expect(try await service.send("PATCH", path, body: body).faults == faults)
        #expect(try await service.get(path)["publisherShouldFinish"] == .bool(false))
    }

    @Test("A session can be closed again and again, and is gone for everything else")
    func close() async throws {
        let service = try Service()
        let path = try await service.open()
        for _ in 0..<3 {
            let answer = try await service.send("DELETE", path)
            #expect(answer.status == 204 && answer.body.isEmpty && answer.headers["Content-Type"] == nil)
        }
        try await expectGone(path, in: service)
        #expect(try await service.get("/sessions").text == #"{"sessions":[]}"#)
    }

    @Test("A session that was not used in time has expired, and can still be closed", arguments: [false, true])
    func expiry(sweeps: Bool) async throws {
        let service = try Service()
        let path = try await service.open(#"{"table":"incident","idleTimeout":60}"#)
        service.time.advance(milliseconds: 59_999)
        #expect(try await service.get(path).text(("expiresAt")) == "2026-11-30T03:01:59.999Z")
        service.time.advance(milliseconds: 60_000)
        if sweeps { await service.registry.sweep() }
        try await expectGone(path, in: service)
        #expect(try await service.send("DELETE", path).status == 204)
        service.time.advance(milliseconds: 3_700_000)
        await service.registry.sweep()
        #expect(try await service.get(path).problem == "session-not-found")
    }

    private func expectGone(_ path: String, in service: Service) async throws {
        let requests = [
            ("GET", path, nil), ("PATCH", path, #"{"publisherShouldFinish":true}"#), ("POST", path + "/next", nil),
            ("POST", path + "/reset", nil), ("GET", path + "/pages/1", nil), ("GET", path + "/last?after=0", nil),
        ]
        for (method, target, body) in requests {
            let answer = try await service.send(method, target, body: body)
            #expect(try answer.problem == "session-expired", "\(method) \(target)")
        }
        #expect(service.transport.urls.isEmpty)
    }

    @Test("A session that never was is not found, under whatever name")
    func neverIssued() async throws {
        let service = try Service()
        for id in [String(repeating: "0", count: 32), "x", "a%20b", String(repeating: "g", count: 32)] {
            for method in ["GET", "DELETE", "HEAD"] {
                #expect(try await service.send(method, "/sessions/\(id)").problem == "session-not-found")
            }
            #expect(try await service.post("/sessions/\(id)/next").problem == "session-not-found")
        }
    }

    @Test("A store that is away is said so", arguments: ["POST", "GET"])
    func storeAway(method: String) async throws {
        let service = try Service(store: AbsentStore())
        let answer = try await service.send(method, "/sessions", body: #"{"table":"incident"}"#)
        #expect(try answer.problem == "store-unavailable" && answer.headers["Retry-After"] == "5")
    }
}
