import HTTPModel
import Pagination
import PaginatordTesting
import Synchronization
import Testing

@testable import TableAPI

/// An instance that gives every request without a session a session of its own, and watches how many requests are under
/// way in each at once.
private final class SessionKeepingInstance: Sendable {
    private struct State {
        var sessions = 0
        var underWay: [String: Int] = [:]
        var mostAtOnce = 0
        var total = 0
    }

    private let state = Mutex(State())
    private let gate: Gate?

    init(holdingBack gate: Gate? = nil) {
        self.gate = gate
    }

    var sessions: Int { state.withLock { $0.sessions } }
    var mostAtOnce: Int { state.withLock { $0.mostAtOnce } }
    var total: Int { state.withLock { $0.total } }

    func answer(_ request: OutgoingRequest) async -> IncomingResponse {
        let session = request.headers["Cookie"].flatMap { $0.hasPrefix("JSESSIONID=") ? $0 : nil }
        let (waiting, newSession) = state.withLock { state in
            state.total += 1
            if session == nil { state.sessions += 1 }
            let name = session ?? "JSESSIONID=\(state.sessions)"
            state.underWay[name, default: 0] += 1
            state.mostAtOnce = max(state.mostAtOnce, state.underWay[name] ?? 0)
            return (state.underWay[name] ?? 0, session == nil ? name : nil)
        }
        // More than ten requests that wait in one session are dropped.
        if waiting > 10 { return IncomingResponse(status: 202) }
        if let gate { await gate.wait() }
        await Task.yield()
        if let name = session ?? newSession { state.withLock { $0.underWay[name, default: 1] -= 1 } }
        var response = IncomingResponse.page(20, total: 1000)
        if let newSession { response.headers.append("Set-Cookie", "\(newSession); Path=/; HttpOnly") }
        return response
    }
}

@Suite struct CookieTests {
    private func service(_ transport: any HTTPTransport, _ credentials: Credentials = .none) throws -> TableService {
        TableService(
            instance: try Instance(
                url: "https://x.service-now.com", credentials: credentials, restraint: Restraint(retries: 0)),
            transport: transport)
    }

    private func read(_ service: TableService, offset: Int = 0) async throws {
        _ = try await service.source(of: "incident").fetch(PageRequest(offset: offset, limit: 20))
    }

    @Test("Requests made one after the other are in one session of the instance")
    func oneSession() async throws {
        let instance = SessionKeepingInstance()
        let transport = AnsweringTransport { await instance.answer($0) }
        let service = try service(transport)
        for _ in 0..<5 { try await read(service) }
        #expect(transport.requests.map { $0.headers["Cookie"] } == [nil] + Array(repeating: "JSESSIONID=1", count: 4))
    }

    @Test("E9: fifteen sessions at once never share a session of the instance, and none of their requests is dropped")
    func parallel() async throws {
        let instance = SessionKeepingInstance()
        let transport = AnsweringTransport { await instance.answer($0) }
        let service = try service(transport)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<15 {
                group.addTask {
                    let paginator = try service.paginator(from: "incident\(number)")
                    for _ in 0..<20 { try await paginator.next() }
                }
            }
            try await group.waitForAll()
        }
        #expect(instance.mostAtOnce == 1)
        #expect(instance.total == 300)
    }

    @Test("Each slot keeps one session, however many requests wait for a slot")
    func bounded() async throws {
        let gate = Gate()
        let instance = SessionKeepingInstance(holdingBack: gate)
        let transport = AnsweringTransport { await instance.answer($0) }
        let service = try service(transport)
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<12 { group.addTask { try await read(service, offset: number * 20) } }
            try await eventually("every slot is taken") { instance.total == 8 }
            gate.open()
            try await group.waitForAll()
        }
        #expect(instance.sessions == 8)
        for _ in 0..<12 { try await read(service) }
        let cookies = transport.requests.dropFirst(12).map { $0.headers["Cookie"] }
        #expect(!cookies.contains(nil) && Set(cookies).count == 1)
    }

    @Test("Cookies are dropped with refused credentials, and never shown to the token endpoint")
    func refused() async throws {
        let instance = GrantingInstance()
        let transport = AnsweringTransport { request in
            var response = instance.answer(request)
            response.headers.append("Set-Cookie", "JSESSIONID=\(request.headers["Authorization"] ?? "-")")
            return response
        }
        let service = try service(transport, .oauth(.sample))
        try await read(service)
        try await read(service)
        instance.revoke()
        try await read(service)
        try await read(service)
        #expect(
            transport.reads.map { $0.headers["Cookie"] } == [
                nil, "JSESSIONID=Bearer token-1", "JSESSIONID=Bearer token-1", nil, "JSESSIONID=Bearer token-2",
            ])
        #expect(transport.requests.filter { $0.url.hasSuffix(tokenPath) }.allSatisfy { $0.headers["Cookie"] == nil })
    }

    @Test(
        "A session that may be busy or over is left alone",
        arguments: [
            .success(IncomingResponse(status: 202, headers: ["Set-Cookie": "JSESSIONID=2"])),
            .success(.refused), .failure(.timedOut(receivedBytes: false)), .failure(.cancelled),
            .failure(.bodyIncomplete("cut", status: 200)), .failure(.noResponse("gone")),
        ] as [Result<IncomingResponse, TransportError>])
    func leftAlone(outcome: Result<IncomingResponse, TransportError>) async throws {
        var first = IncomingResponse.page(1, total: 1)
        first.headers.append("Set-Cookie", "JSESSIONID=1")
        let transport = ScriptedTransport([.success(first), outcome, .success(.page(1, total: 1))])
        let service = try service(transport)
        try await read(service)
        await #expect(throws: PageSourceError.self) { try await read(service) }
        try await read(service)
        #expect(transport.requests.map { $0.headers["Cookie"] } == [nil, "JSESSIONID=1", nil])
    }

    @Test("Errors that leave the session whole keep it", arguments: [400, 403, 404, 429, 500, 503])
    func kept(status: Int) async throws {
        var first = IncomingResponse.page(1, total: 1)
        first.headers.append("Set-Cookie", "JSESSIONID=1")
        let transport = ScriptedTransport(first, .json("{}", status: status), .page(1, total: 1))
        let service = try service(transport)
        try await read(service)
        await #expect(throws: PageSourceError.self) { try await read(service) }
        try await read(service)
        #expect(transport.requests.map { $0.headers["Cookie"] } == [nil, "JSESSIONID=1", "JSESSIONID=1"])
    }

    @Test("Holders never see each other's jars, and only so many are kept")
    func holders() {
        let jars = CookieJars(maxHolders: 2)
        func jar(_ value: String) -> CookieJar {
            var jar = CookieJar()
            jar.take(["Set-Cookie": "a=\(value)"], target: "/", host: "x", now: 0)
            return jar
        }
        jars.put(jar("1"), slot: 0, holder: "one")
        jars.put(jar("2"), slot: 0, holder: "two")
        jars.put(jar("2b"), slot: 1, holder: "two")
        #expect(jars.take(slot: 0, holder: "one") == jar("1"))
        // It is out now: nobody else gets it.
        #expect(jars.take(slot: 0, holder: "one").isEmpty)
        #expect(jars.take(slot: 1, holder: "two") == jar("2b"))
        jars.put(jar("3"), slot: 0, holder: "three")
        jars.put(jar("4"), slot: 0, holder: "four")
        #expect(jars.take(slot: 0, holder: "two").isEmpty)
        #expect(jars.take(slot: 0, holder: "three") == jar("3"))
        jars.drop(holder: "four")
        #expect(jars.take(slot: 0, holder: "four").isEmpty)
    }
}
