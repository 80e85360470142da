import HTTPModel
import Pagination
import Sessions
import TableAPI
import Testing

@testable import Gateway

/// Callers who bring their own credentials for the instance.
@Suite struct ForwardTests {
    private let alice: HeaderFields = ["Authorization": "Bearer alice-hunter2"]
    private let bob: HeaderFields = ["Authorization": "Basic Ym9iOmh1bnRlcjI="]

    private func service(store: (any SessionStore)? = nil, concurrency: Int = 8) throws -> Service {
        try Service(
            store: store, credentials: ["default": .forward],
            restraint: Restraint(concurrency: concurrency, retries: 0))
    }

    private func open(_ service: Service, _ caller: HeaderFields) async throws -> String {
        try #require(try await service.post("/sessions", #"{"table":"incident"}"#, caller).headers["Location"])
    }

    @Test("A caller's own header goes to the instance, on every request, as it is")
    func forwarded() async throws {
        let service = try service()
        for caller in [alice, bob, ["Authorization": "Bearer  two  spaces, and a comma"]] {
            let path = try await open(service, caller)
            #expect(try await service.post(path + "/next", nil, caller).status == 200)
            #expect(try await service.post(path + "/last", nil, caller).status == 200)
            #expect(try await service.get(path + "/pages/2", caller).status == 200)
            #expect(try await service.get("/tables/incident", caller).status == 200)
            let sent = service.transport.requests.suffix(4).map { $0.headers.values(of: "Authorization") }
            #expect(sent == Array(repeating: caller.values(of: "Authorization"), count: 4))
        }
    }

    @Test(
        "Without a header that can be sent on, nothing is done",
        arguments: [
            [:], ["Authorization": ""], ["Authorization": "Bearer é"], ["Authorization": "a\u{7F}"],
            ["Authorization": "Bearer a", "authorization": "Bearer b"], ["Proxy-Authorization": "Bearer a"],
            ["X-Sn-Apikey": "a"],
        ] as [HeaderFields])
    func unauthenticated(headers: HeaderFields) async throws {
        let service = try service()
        let path = try await open(service, alice)
        for (method, target) in [
            ("POST", "/sessions"), ("GET", "/sessions"), ("GET", path), ("POST", path + "/next"), ("DELETE", path),
            ("GET", path + "/pages/1"), ("GET", "/tables/incident"), ("GET", "/instances"), ("GET", "/nothing"),
            ("PUT", "/sessions"), ("GET", "/tables/incident?page=x"),
        ] {
            let answer = try await service.send(
                method, target, headers: HeaderFields([.init("Host", "localhost")] + headers.fields))
            #expect(try answer.status == 401 && answer.problem == "authentication-required", "\(method) \(target)")
            #expect(answer.headers["WWW-Authenticate"] == "Bearer realm=\"paginatord\"")
            #expect(try answer["upstream"] == nil)
        }
        #expect(service.transport.urls.isEmpty)
        #expect(try await service.post(path + "/next", nil, alice).status == 200)
    }

    @Test("What is open to everybody stays so")
    func openRoutes() async throws {
        let service = try service()
        for target in ["/problems", "/problems/not-found", "/livez", "/readyz"] {
            #expect(try await service.get(target).status == 200)
        }
        #expect(try await service.send("OPTIONS", "/sessions").status == 401)
        // Who must not call at all learns that first.
        let foreign = try await service.send("GET", "/sessions", headers: ["Host": "evil.example"])
        #expect(foreign.status == 421)
    }

    @Test("Two callers' sessions are invisible to each other; a renewed token is another caller")
    func invisible() async throws {
        let service = try service()
        let path = try await open(service, alice)
        _ = try await service.post(path + "/next", nil, alice)
        for other in [bob, ["Authorization": "Bearer alice-hunter3"], ["Authorization": "bearer alice-hunter2"]] {
            for (method, target) in [
                ("GET", path), ("DELETE", path), ("POST", path + "/next"), ("POST", path + "/next?after=0"),
                ("GET", path + "/pages/1"), ("POST", path + "/reset"),
            ] {
                let answer = try await service.send(
                    method, target, headers: HeaderFields([.init("Host", "localhost")] + other.fields))
                #expect(try answer.problem == "session-not-found", "\(method) \(target)")
            }
            #expect(try await service.get("/sessions", other)["sessions"] == .array([]))
        }
        guard case .array(let own)? = try await service.get("/sessions", alice)["sessions"] else {
            Issue.record("no list")
            return
        }
        #expect(own.count == 1)
        #expect(service.transport.urls.count == 1)
        #expect(try await service.get(path, alice)["position"] == .integer(1))
    }

    @Test("An instance that refuses a caller's credentials refuses the caller, and the move can be made again")
    func refused() async throws {
        let service = try service()
        let path = try await open(service, alice)
        service.transport.answer(
            401, #"{"error":{"message":"User Not Authenticated","detail":"no alice-hunter2"},"status":"failure"}"#)
        for answer in [
            try await service.post(path + "/next", nil, alice), try await service.get(path + "/pages/1", alice),
            try await service.get("/tables/incident", alice),
        ] {
            #expect(try answer.status == 401 && answer.problem == "authentication-required")
            #expect(answer.headers["WWW-Authenticate"] == "Bearer realm=\"paginatord\"")
            #expect(try answer["upstream", "message"] == "User Not Authenticated")
            #expect(!answer.text.contains("hunter2"))
        }
        // One attempt each: only the caller has other credentials.
        #expect(service.transport.urls.count == 3)
        service.transport.answer(rows: 45)
        #expect(try await service.post(path + "/next?after=0", nil, alice)["position"] == .integer(1))
    }

    @Test("The header's value is nowhere but on its way")
    func nowhere() async throws {
        let store = MemorySessionStore()
        let service = try service(store: store)
        let path = try await open(service, alice)
        _ = try await service.post(path + "/next", nil, alice)
        let id = try #require(SessionID(String(path.dropFirst("/sessions/".count))))
        let stored = store.read(id)
        guard case .live(let record) = stored else {
            Issue.record("not stored")
            return
        }
        #expect(record.owner.utf8.count == 32 && record.owner != "")
        var dumped = ""
        dump(record, to: &dumped)
        dump(service.events.all, to: &dumped)
        dump(service.gateway, to: &dumped)
        dump(try #require(ForwardedAuthorization(alice)), to: &dumped)
        dumped += "\(try #require(ForwardedAuthorization(alice)))"
        #expect(!dumped.contains("alice") && dumped.contains(record.owner))
        #expect(ForwardedAuthorization.current == nil)
    }

    @Test("Callers at once each send their own header, and only their own cookies")
    func atOnce() async throws {
        // With a slot for each: the service's clock moves on by whatever somebody waits.
        let service = try service(concurrency: 20)
        service.transport.answer { request in
            let caller = request.headers["Authorization"] ?? "-"
            await Task.yield()
            if let cookie = request.headers["Cookie"], cookie != "JSESSIONID=\(caller)" {
                return IncomingResponse(status: 500)
            }
            return IncomingResponse(
                status: 200, headers: ["Set-Cookie": "JSESSIONID=\(caller)", "X-Total-Count": "1000"],
                body: Array("{\"result\":[{\"caller\":\"\(caller)\"}]}".utf8))
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<20 {
                group.addTask {
                    let caller: HeaderFields = ["Authorization": "Bearer caller-\(number)"]
                    let path = try await open(service, caller)
                    for _ in 0..<10 {
                        let answer = try await service.post(path + "/next", nil, caller)
                        #expect(answer.status == 200)
                        #expect(answer.text.contains("[{\"caller\":\"Bearer caller-\(number)\"}]"))
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(service.transport.requests.contains { $0.headers["Cookie"] != nil })
    }

    @Test("Beside an instance that forwards, others keep the service's own credentials")
    func mixed() async throws {
        let service = try Service(instances: ["default", "other"], credentials: ["default": .forward])
        #expect(try await service.get("/tables/incident?instance=other").status == 401)
        #expect(try await service.get("/tables/incident?instance=other", alice).status == 200)
        #expect(service.transport.requests.last?.headers["Authorization"] == "Basic cmVhZGVyOmh1bnRlcjI=")
        service.transport.answer(401, "{}")
        let answer = try await service.get("/tables/incident?instance=other", alice)
        #expect(try answer.status == 502 && answer.problem == "upstream-unauthenticated")
    }

    @Test("Where nobody forwards, a caller's header is nobody's business")
    func ignored() async throws {
        let service = try Service()
        let path = try await service.open()
        #expect(try await service.post(path + "/next", nil, alice).status == 200)
        #expect(try await service.get(path, bob).status == 200)
        #expect(service.transport.requests.last?.headers["Authorization"] == "Basic cmVhZGVyOmh1bnRlcjI=")
    }
}
