import HTTPModel
import Pagination
import Testing

@testable import TableAPI

@Suite struct TableServiceTests {
    typealias Upstream = PageSourceError.Upstream

    private func service(
        _ transport: ScriptedTransport, credentials: Credentials = .none, timeout: Duration = .seconds(65),
        maxPageBytes: Int = 64 << 20
    ) throws -> TableService {
        let instance = try Instance(
            url: "https://x.service-now.com", credentials: credentials, timeout: timeout, maxPageBytes: maxPageBytes,
            restraint: Restraint(retries: 0))
        return TableService(instance: instance, transport: transport, clock: ManualTime().clock)
    }

    private func offsets(_ transport: ScriptedTransport) -> [String] {
        transport.requests.map {
            String($0.url[($0.url.firstRange(of: "sysparm_limit=")?.lowerBound ?? $0.url.startIndex)...])
        }
    }

    @Test("A request carries what the instance was configured with")
    func request() async throws {
        let transport = ScriptedTransport(.page(1, total: 1))
        let credentials = Credentials.basic(username: "Aladdin", password: Secret("open sesame"))
        let service = try service(transport, credentials: credentials, timeout: .seconds(7), maxPageBytes: 1000)
        _ = try await service.source(of: "incident").fetch(PageRequest(offset: 0, limit: 20))
        let request = try #require(transport.requests.first)
        #expect(request.method == "GET" && request.body.isEmpty)
        #expect(request.headers["Authorization"] == "Basic QWxhZGRpbjpvcGVuIHNlc2FtZQ==")
        #expect(request.headers["Accept"] == "application/json")
        #expect(request.timeout == .seconds(7) && request.maxBodyBytes == 1000)
    }

    @Test("Without credentials no authorization is sent; a name beyond ASCII is sent as UTF-8")
    func authorization() async throws {
        let transport = ScriptedTransport(.page(1, total: 1))
        _ = try await service(transport).source(of: "incident").fetch(PageRequest(offset: 0, limit: 20))
        #expect(transport.requests.first?.headers["Authorization"] == nil)
        let credentials = Credentials.basic(username: "jürgen", password: Secret("£:"))
        _ = try await service(transport, credentials: credentials).source(of: "incident")
            .fetch(PageRequest(offset: 0, limit: 20))
        #expect(transport.requests.last?.headers["Authorization"] == "Basic asO8cmdlbjrCozo=")
    }

    @Test(
        "Every way in which a transport fails is one kind of error",
        arguments: [
            (TransportError.timedOut(receivedBytes: true), PageSourceError.timedOut(nil)),
            (.timedOut(receivedBytes: false), .timedOut(nil)), (.bodyTooLarge(limit: 9), .tooLarge(limit: 9)),
            (.cancelled, .stopping),
            (
                .bodyIncomplete("d", status: 200),
                .incomplete(Upstream(status: 200), reason: "the answer was cut on its way: d")
            ),
            (
                .bodyIncomplete("d", status: 403),
                .incomplete(Upstream(status: 403), reason: "the answer was cut on its way: d")
            ),
            (.connectionFailed("d"), .failed(nil, reason: "no connection to the instance: d")),
            (.tlsFailed("d"), .failed(nil, reason: "no secure connection to the instance: d")),
            (.noResponse("d"), .failed(nil, reason: "the instance did not answer: d")),
            (.invalidRequest("d"), .failed(nil, reason: "the request cannot be sent: d")),
        ])
    func transportErrors(error: TransportError, expected: PageSourceError) async throws {
        let source = try service(ScriptedTransport([.failure(error)])).source(of: "incident")
        await #expect(throws: expected) { try await source.fetch(PageRequest(offset: 0, limit: 20)) }
    }

    @Test(
        "A paginator advances by its limit, however few rows come",
        arguments: [
            [12, 20, 5], [20, 0, 5], [0, 0, 0],
        ])
    func advances(rows: [Int]) async throws {
        let transport = ScriptedTransport(rows.map { .success(.page($0, total: 45)) })
        let paginator = try service(transport).paginator(from: "incident")
        var counts: [Int] = []
        while await paginator.hasNext { counts.append(try await paginator.next().rows.count) }
        #expect(counts == rows)
        #expect(
            offsets(transport) == [
                "sysparm_limit=20&sysparm_offset=0", "sysparm_limit=20&sysparm_offset=20",
                "sysparm_limit=20&sysparm_offset=40",
            ])
        await #expect(throws: PaginationError.noNextPage) { try await paginator.next() }
    }

    @Test("The configuration's limit is the paginator's page size", arguments: [1, 5, 100, 10_000])
    func limits(limit: Int) async throws {
        let transport = ScriptedTransport(.page(1, total: 20_000))
        let paginator = try service(transport).paginator(
            from: "incident", configuration: FetchConfiguration(limit: limit))
        #expect(paginator.itemsPerPage == limit)
        try await paginator.next()
        try await paginator.next()
        #expect(
            offsets(transport) == [
                "sysparm_limit=\(limit)&sysparm_offset=0", "sysparm_limit=\(limit)&sysparm_offset=\(limit)",
            ])
    }

    @Test("A limit that no page can have is refused", arguments: [0, -1, 10_001, .max])
    func badLimits(limit: Int) throws {
        let service = try service(ScriptedTransport(.page(0, total: 0)))
        #expect(throws: TableServiceError.invalidLimit(limit)) {
            try service.paginator(from: "incident", configuration: FetchConfiguration(limit: limit))
        }
    }

    @Test("The last page is found by a count that asks for one key")
    func last() async throws {
        let transport = ScriptedTransport(.page(1, total: 45), .page(5, total: 45))
        let page = try await service(transport).paginator(from: "incident").last()
        #expect(page.rows.count == 5)
        #expect(
            transport.requests.first?.url.hasSuffix("&sysparm_fields=sys_id&sysparm_limit=1&sysparm_offset=0") == true)
        #expect(offsets(transport).last == "sysparm_limit=20&sysparm_offset=40")
    }

    @Test("Without a count an instance that gives the same rows again is noticed")
    func noProgress() async throws {
        let transport = ScriptedTransport(.page(20, total: nil))
        let paginator = try service(transport).paginator(from: "incident")
        try await paginator.next()
        await #expect(throws: PaginationError.self) { try await paginator.next() }
        #expect(await paginator.page == 1)
    }

    @Test("After a cut page, where nothing is retried, the same move fetches it again")
    func repeats() async throws {
        let transport = ScriptedTransport(.page(20, total: 45), .json(#"{"result":[{"n":1},"#), .page(20, total: 45))
        let paginator = try service(transport).paginator(from: "incident")
        try await paginator.next()
        await #expect(throws: PaginationError.self) { try await paginator.next() }
        #expect(await paginator.page == 1)
        #expect(try await paginator.next().rows.count == 20)
        #expect(
            offsets(transport).dropFirst() == [
                "sysparm_limit=20&sysparm_offset=20", "sysparm_limit=20&sysparm_offset=20",
            ])
    }
}
