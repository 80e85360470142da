import HTTPModel
import Pagination
import PaginatordTesting
import Testing

@testable import TableAPI

/// What holds for requests for pages holds for requests for tokens, too.
struct TokenRestraintTests {
    private let time = ManualTime(skipsSleep: true)

    private func service(
        _ transport: any HTTPTransport, _ restraint: Restraint = Restraint()
    ) throws -> (TableService, LocalGate) {
        let time = time
        let gate = LocalGate(restraint, clock: time.clock)
        let instance = try Instance(
            url: "https://x.service-now.com", credentials: .oauth(.sample), restraint: restraint)
        let service = TableService(
            instance: instance, transport: transport, now: { Int(time.now.components.seconds) }, gate: gate,
            clock: gate.clock, jitter: { 0 })
        return (service, gate)
    }

    private func read(_ service: TableService, offset: Int = 0) async throws -> PageAnswer {
        try await service.source(of: "incident").fetch(PageRequest(offset: offset, limit: 20))
    }

    /// What each of so many fetches at once comes to.
    private func outcomes(_ count: Int, _ service: TableService) async -> [PageSourceError?] {
        await withTaskGroup(of: PageSourceError?.self) { group in
            for number in 0..<count {
                group.addTask {
                    do {
                        _ = try await read(service, offset: number * 20)
                        return nil
                    } catch {
                        return error as? PageSourceError
                    }
                }
            }
            return await group.reduce(into: []) { $0.append($1) }
        }
    }

    @Test(
        "Pages and tokens together are never more than there are slots, and nobody waits for ever",
        arguments: [1, 2, 8], [false, true])
    func slots(concurrency: Int, isRevoked: Bool) async throws {
        let instance = GrantingInstance(lifetime: nil)
        let underWay = Shared<(now: Int, most: Int)>((0, 0))
        let transport = AnsweringTransport { request in
            underWay.change { count in
                count.now += 1
                count.most = max(count.most, count.now)
            }
            for _ in 0..<20 { await Task.yield() }
            // A page waits until there were two at once, which there have to be where there is more than one slot.
            if request.method == "GET" {
                try? await eventually("two at once") { underWay.current.most >= min(2, concurrency) }
            }
            underWay.change { $0.now -= 1 }
            return instance.answer(request)
        }
        // In whose time nobody sleeps to an end: who waits for a token has to get it.
        let still = ManualTime()
        let restraint = Restraint(concurrency: concurrency)
        let service = TableService(
            instance: try Instance(
                url: "https://x.service-now.com", credentials: .oauth(.sample), restraint: restraint),
            transport: transport, now: { 0 }, clock: still.clock)
        if isRevoked {
            _ = try await read(service)
            instance.revoke()
        }
        let outcomes = await outcomes(40, service)
        #expect(outcomes == Array(repeating: nil, count: 40))
        #expect((min(2, concurrency)...concurrency).contains(underWay.current.most))
        #expect(transport.grants.count == (isRevoked ? 2 : 1))
        #expect(still.sleeping == 0)
    }

    @Test(
        "A renewal that fails counts once for the circuit, however many waited for it",
        arguments: [
            .success(IncomingResponse(status: 503)), .success(IncomingResponse(status: 502)),
            .success(IncomingResponse(status: 500)), .failure(.connectionFailed("refused")),
            .failure(.timedOut(receivedBytes: false)),
        ] as [Result<IncomingResponse, TransportError>])
    func circuit(end: Result<IncomingResponse, TransportError>) async throws {
        let (waiting, still) = (Gate(), ManualTime())
        let transport = AnsweringTransport { _ throws(TransportError) in
            await waiting.wait()
            return try end.get()
        }
        let restraint = Restraint(retries: 0, circuit: Restraint.Circuit(failures: 2))
        let gate = LocalGate(restraint, clock: still.clock)
        let service = TableService(
            instance: try Instance(
                url: "https://x.service-now.com", credentials: .oauth(.sample), restraint: restraint),
            transport: transport, now: { Int(still.now.components.seconds) }, gate: gate, clock: still.clock)
        async let failures = outcomes(8, service)
        try await eventually("seven wait for one") { still.sleeping == 7 }
        waiting.open()
        #expect(await failures.allSatisfy { $0 != nil })
        #expect(transport.requests.count == 1)
        #expect(gate.current.passage == .ok)
        still.advance(.seconds(1))
        await #expect(throws: PageSourceError.self) { try await read(service) }
        #expect(transport.requests.count == 2)
        #expect(gate.current.passage == .open)
    }

    @Test("A token endpoint that wants to be left alone is left alone, by those that passed the gate before, too")
    func coolDown() async throws {
        let instance = GrantingInstance(lifetime: nil)
        let page = Gate()
        let isLimited = Shared(false)
        let transport = AnsweringTransport { request in
            if request.url.hasSuffix("=100") { await page.wait() }
            return request.url.hasSuffix(tokenPath) && isLimited.current
                ? .json("", status: 429, headers: ["Retry-After": "60"]) : instance.answer(request)
        }
        let (service, gate) = try service(transport)
        _ = try await read(service)
        let early = Task { try await read(service, offset: 100) }
        try await eventually("a page is under way") { transport.reads.count == 2 }
        instance.revoke()
        isLimited.change { $0 = true }
        let expected = PageSourceError.rateLimited(.init(status: 429), retryAfter: 60)
        await #expect(throws: expected) { try await read(service, offset: 2000) }
        #expect(gate.current.passage == .cooling && gate.current.retryAfter == .seconds(60))
        let grants = transport.grants.count
        time.advance(.seconds(30))
        page.open()
        await #expect(throws: expected) { try await early.value }
        await #expect(throws: PageSourceError.rateLimited(nil, retryAfter: 30)) { try await read(service) }
        #expect(transport.grants.count == grants)
        // Those that waited did not prolong it.
        #expect(gate.current.retryAfter == .seconds(30))
    }

    @Test("Requests for tokens are requests of the hour")
    func hour() async throws {
        let instance = GrantingInstance(lifetime: nil)
        let transport = AnsweringTransport { instance.answer($0) }
        let (service, _) = try service(transport, Restraint(requestsPerHour: 6))
        // A token and a page; a page; a page that is refused, a token, and the page.
        for _ in 0..<2 { _ = try await read(service) }
        instance.revoke()
        _ = try await read(service)
        #expect(transport.requests.count == 6)
        await #expect(throws: PageSourceError.rateLimited(nil, retryAfter: 600)) { try await read(service) }
        #expect(transport.requests.count == 6)
    }
}
