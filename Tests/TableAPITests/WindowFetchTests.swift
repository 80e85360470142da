import HTTPModel
import Locks
import Pagination
import PaginatordTesting
import Testing

@testable import TableAPI

/// A table in memory that answers as a list of scripted troubles says, and then as it should.
private final class TroubledTable: HTTPTransport {
    enum Trouble: Sendable {
        case none
        case answer(IncomingResponse)
        case failure(TransportError)
        /// Nothing comes until the time of the attempt is up.
        case silence
    }

    struct Window: Equatable, Sendable {
        var offset: Int
        var limit: Int
    }

    private let state: Lock<(troubles: [Trouble], forever: Trouble, windows: [Window], timeouts: [Duration])>
    private let time: ManualTime
    private let rows: Int
    private let counts: Bool
    /// A cut answer to every window of more rows.
    private let longestWindow: Int

    init(
        _ troubles: [Trouble], then forever: Trouble = .none, time: ManualTime, rows: Int = 45, counts: Bool = true,
        longestWindow: Int = .max
    ) {
        state = Lock((troubles, forever, [], []))
        self.time = time
        self.rows = rows
        self.counts = counts
        self.longestWindow = longestWindow
    }

    var windows: [Window] { state.withLock { $0.windows } }
    var timeouts: [Duration] { state.withLock { $0.timeouts } }

    @concurrent func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        let numbers = request.url.split { !$0.isASCII || !$0.isNumber }.suffix(2).compactMap { Int($0) }
        let window = Window(offset: numbers[1], limit: numbers[0])
        let trouble = state.withLock { state in
            state.windows.append(window)
            state.timeouts.append(request.timeout)
            return state.troubles.isEmpty ? state.forever : state.troubles.removeFirst()
        }
        switch trouble {
        case .answer(let response): return response
        case .failure(let error): throw error
        case .silence:
            time.advance(request.timeout)
            throw .timedOut(receivedBytes: false)
        case .none: break
        }
        guard window.limit <= longestWindow else { throw .bodyIncomplete("cut", status: 200) }
        let end = max(window.offset, min(rows, window.offset + window.limit))
        let texts = (min(window.offset, end)..<end).map { "{\"sys_id\":\"\($0)\"}" }
        var headers: HeaderFields = counts ? ["X-Total-Count": String(rows)] : [:]
        if end < rows { headers.append("Link", "<http://h/?sysparm_offset=\(end)>;rel=\"next\"") }
        return .json("{\"result\":[\(texts.joined(separator: ","))]}", headers: headers)
    }
}

private let cancelled =
    #"{"error":{"message":"Transaction cancelled: maximum execution time exceeded","detail":"d"},"status":"failure"}"#
private let cutByInstance =
    #"{"result":[{"sys_id":"a"},{"sys_id":"b""# + cancelled.dropFirst()

private func answer(_ status: Int, _ body: String = "", _ headers: HeaderFields = [:]) -> TroubledTable.Trouble {
    .answer(IncomingResponse(status: status, headers: headers, body: Array(body.utf8)))
}

struct WindowFetchTests {
    private let time = ManualTime(skipsSleep: true)

    private func source(
        _ table: TroubledTable, _ restraint: Restraint = Restraint(), jitter: Double = 0.5,
        gate: LocalGate? = nil
    ) throws -> TablePageSource {
        let instance = try Instance(url: "https://x.service-now.com", restraint: restraint)
        return try TableService(
            instance: instance, transport: table, now: { 784_111_770 }, gate: gate, clock: time.clock,
            jitter: { jitter }
        ).source(of: "incident")
    }

    private func window(_ offset: Int, _ limit: Int) -> TroubledTable.Window {
        TroubledTable.Window(offset: offset, limit: limit)
    }

    private func error(_ source: TablePageSource, limit: Int = 20) async -> PageSourceError? {
        do throws(PageSourceError) {
            _ = try await source.fetch(PageRequest(offset: 0, limit: limit))
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "What may pass is tried again and the page comes (C10, C11, D5)",
        arguments: [
            .failure(.connectionFailed("refused")), .failure(.noResponse("closed")), .failure(.tlsFailed("reset")),
            answer(202), answer(429, "Rejecting request"), answer(502, "<html>nginx</html>"), answer(503),
            answer(504), answer(503, "", ["Retry-After": "2"]), answer(202, "", ["Retry-After": "1"]),
        ] as [TroubledTable.Trouble])
    fileprivate func repetition(trouble: TroubledTable.Trouble) async throws {
        let table = TroubledTable([trouble, trouble], time: time)
        let page = try await source(table).fetch(PageRequest(offset: 20, limit: 20))
        #expect(page.rows.count == 20 && page.total == 45 && page.nextOffset == 40)
        #expect(table.windows == Array(repeating: window(20, 20), count: 3))
    }

    @Test(
        "What will not pass is told at once (D3, D13)",
        arguments: [
            answer(400), answer(401), answer(403), answer(404), answer(414), answer(302), answer(418), answer(500),
            answer(501), answer(200), answer(200, "<html>login</html>"),
            answer(200, "<html>Your instance is hibernating</html>"), answer(200, #"{"result":{}}"#),
            .failure(.bodyTooLarge(limit: 9)), .failure(.invalidRequest("odd")), .failure(.cancelled),
        ] as [TroubledTable.Trouble])
    fileprivate func noRepetition(trouble: TroubledTable.Trouble) async throws {
        let table = TroubledTable([trouble], time: time)
        #expect(await error(try source(table)) != nil)
        #expect(table.windows.count == 1 && time.slept.isEmpty)
    }

    @Test(
        "What is read ahead is tried once, whatever might help, while nobody waits for it",
        arguments: [
            .failure(.connectionFailed("refused")), .failure(.bodyIncomplete("cut", status: 200)), .silence,
            answer(202), answer(429), answer(502), answer(503, "", ["Retry-After": "1"]), answer(500, cancelled),
            answer(200, cutByInstance),
        ] as [TroubledTable.Trouble])
    fileprivate func readAhead(trouble: TroubledTable.Trouble) async throws {
        let table = TroubledTable([trouble], time: time)
        let source = try source(table)
        await #expect(throws: PageSourceError.self) {
            try await source.fetch(PageRequest(offset: 20, limit: 20, priority: .readAhead))
        }
        #expect(table.windows == [window(20, 20)] && time.slept.isEmpty)
    }

    @Test("After its retries the last problem is told; without any, the first", arguments: [0, 1, 4])
    func retries(retries: Int) async throws {
        let table = TroubledTable(
            [answer(503)], then: .failure(.connectionFailed("refused")), time: time)
        let restraint = Restraint(retries: retries, circuit: Restraint.Circuit(failures: 0))
        let expected: PageSourceError =
            retries == 0
            ? .unavailable(.init(status: 503), retryAfter: nil)
            : .failed(nil, reason: "no connection to the instance: refused")
        #expect(await error(try source(table, restraint)) == expected)
        #expect(table.windows.count == retries + 1)
    }

    @Test("Between attempts more and more is waited, of which chance takes a part", arguments: [0, 0.25, 0.999])
    func backoff(jitter: Double) async throws {
        let table = TroubledTable([], then: answer(502), time: time)
        let restraint = Restraint(retries: 8, circuit: Restraint.Circuit(failures: 0))
        #expect(await error(try source(table, restraint, jitter: jitter)) != nil)
        let limits = [0.2, 0.4, 0.8, 1.6, 3.2, 6.4, 10, 10]
        let expected = jitter == 0 ? [] : limits.map { $0 * jitter }
        #expect(time.slept.count == expected.count)
        for (slept, expected) in zip(time.slept, expected) { #expect(abs(slept / .seconds(1) - expected) < 0.001) }
    }

    @Test(
        "Retry-After is honoured up to the limit, in each of its forms (D4)",
        arguments: [
            ("1", 1), ("5", 5), ("Sun, 06 Nov 1994 08:49:33 GMT", 3), ("Sunday, 06-Nov-94 08:49:33 GMT", 3),
            ("Sun Nov  6 08:49:33 1994", 3),
        ], [429, 503])
    func retryAfter(value: (String, Int), status: Int) async throws {
        let table = TroubledTable([answer(status, "{}", ["Retry-After": value.0])], time: time)
        let page = try await source(table).fetch(PageRequest(offset: 0, limit: 20))
        #expect(page.rows.count == 20)
        #expect(time.slept == [.seconds(value.1)])
    }

    @Test(
        "A Retry-After beyond the limit is told the caller without waiting (D4, D6)",
        arguments: [(5, 7), (5, 3600), (0, 1)], [429, 503])
    func longRetryAfter(limitAndSeconds: (Int, Int), status: Int) async throws {
        let (limit, seconds) = limitAndSeconds
        let body = #"{"error":{"message":"Rate limit exceeded","detail":"d"},"status":"failure"}"#
        let table = TroubledTable([answer(status, body, ["Retry-After": "\(seconds)"])], time: time)
        let start = time.now
        let upstream = PageSourceError.Upstream(status: status, message: "Rate limit exceeded", detail: "d")
        #expect(
            await error(try source(table, Restraint(maxRetryAfter: .seconds(limit))))
                == (status == 429
                    ? .rateLimited(upstream, retryAfter: seconds) : .unavailable(upstream, retryAfter: seconds)))
        #expect(table.windows.count == 1 && time.now == start)
    }

    @Test("A 429 without Retry-After says how long by the instance's own window")
    func resetInsteadOfRetryAfter() async throws {
        let headers: HeaderFields = [
            "X-RateLimit-Limit": "100", "X-RateLimit-Reset": "784112370", "X-RateLimit-Rule": "r",
        ]
        let table = TroubledTable([answer(429, "", headers)], time: time)
        let source = try source(table)
        #expect(await error(source) == .rateLimited(.init(status: 429), retryAfter: 600))
        #expect(await error(source) == .rateLimited(nil, retryAfter: 600))
        #expect(table.windows.count == 1)
    }

    @Test(
        "A cut window is fetched as two halves and joined (C1, C7, D8)",
        arguments: [
            .failure(.bodyIncomplete("cut", status: 200)), .failure(.timedOut(receivedBytes: true)), .silence,
            answer(200, cutByInstance), answer(200, #"{"result":[{"sys_id":"a"},"#), answer(500, cancelled),
            answer(200, cancelled),
        ] as [TroubledTable.Trouble], [true, false])
    fileprivate func halves(trouble: TroubledTable.Trouble, counts: Bool) async throws {
        let table = TroubledTable([trouble], time: time, counts: counts)
        let page = try await source(table).fetch(PageRequest(offset: 20, limit: 21))
        let whole = try await source(TroubledTable([], time: time, counts: counts)).fetch(
            PageRequest(offset: 20, limit: 21))
        #expect(Array(page.rows.objects) == Array(whole.rows.objects))
        #expect(page.rows.blocks.count == 2)
        #expect(page.total == whole.total && page.nextOffset == whole.nextOffset && page.nextOffset == 41)
        #expect(page.digest == whole.digest && (page.digest == nil) == counts)
        #expect(table.windows == [window(20, 21), window(20, 10), window(30, 11)])
    }

    @Test("A window is divided twice at most: a quarter is all that is tried")
    func quarters() async throws {
        var table = TroubledTable([], time: time, longestWindow: 5)
        let page = try await source(table).fetch(PageRequest(offset: 0, limit: 20))
        #expect(page.rows.count == 20 && page.rows.blocks.count == 4)
        #expect(
            table.windows == [
                window(0, 20), window(0, 10), window(0, 5), window(5, 5), window(10, 10), window(10, 5), window(15, 5),
            ])
        table = TroubledTable([], time: time, longestWindow: 4)
        #expect(
            await error(try source(table))
                == .incomplete(.init(status: 200), reason: "the answer was cut on its way: cut"))
        #expect(table.windows == [window(0, 20), window(0, 10)] + Array(repeating: window(0, 5), count: 3))
    }

    @Test("A window of one row is not divided: cut it is tried again, timed out it is told", arguments: [true, false])
    func oneRow(isCut: Bool) async throws {
        let table = TroubledTable([isCut ? .failure(.bodyIncomplete("cut", status: 200)) : .silence], time: time)
        let error = await error(try source(table), limit: 1)
        #expect(error == (isCut ? nil : .timedOut(nil)))
        #expect(table.windows == Array(repeating: window(0, 1), count: isCut ? 2 : 1))
    }

    @Test("Where only the count matters the request is tried again as it is")
    func count() async throws {
        let table = TroubledTable([.failure(.bodyIncomplete("cut", status: 200))], time: time)
        let page = try await source(table).fetch(PageRequest(offset: 0, limit: 20, countOnly: true))
        #expect(page.total == 45)
        #expect(table.windows == [window(0, 1), window(0, 1)])
    }

    @Test("The half behind the end is not asked for where the count says so")
    func end() async throws {
        for (counts, requests) in [(true, 2), (false, 3)] {
            let table = TroubledTable(
                [.failure(.bodyIncomplete("cut", status: 200))], time: time, rows: 7, counts: counts)
            let page = try await source(table).fetch(PageRequest(offset: 0, limit: 20))
            #expect(page.rows.count == 7 && page.nextOffset == nil)
            #expect(table.windows.count == requests)
        }
    }

    @Test("A half that has more rows than it may is no half")
    func overlap() async throws {
        let table = TroubledTable(
            [.failure(.bodyIncomplete("cut", status: 200)), .answer(.page(20, total: 45))], time: time)
        #expect(
            await error(try source(table))
                == .incomplete(.init(status: 200), reason: "the answer was cut on its way: cut"))
    }

    @Test("Halves that together are larger than a page may be are refused as one")
    func joinedSize() async throws {
        let instance = try Instance(url: "https://x.service-now.com", maxPageBytes: 200)
        let table = TroubledTable([.failure(.bodyIncomplete("cut", status: 200))], time: time)
        let source = try TableService(instance: instance, transport: table, clock: time.clock).source(of: "incident")
        #expect(await error(source) == .tooLarge(limit: 200))
    }

    @Test("The latest count of several halves stands")
    func counts() {
        let first = PageAnswer(rows: Rows(), total: 40, nextOffset: 10)
        #expect(first.joined(with: PageAnswer(rows: Rows(), total: 41, nextOffset: 20)).total == 41)
        #expect(first.joined(with: PageAnswer(rows: Rows(), total: nil)).total == 40)
        #expect(first.joined(with: PageAnswer(rows: Rows(), total: 41)).nextOffset == nil)
    }

    @Test("A silent instance costs each caller at most its deadline", arguments: [1, 20], [100, 180, 1])
    func silence(limit: Int, deadline: Int) async throws {
        let table = TroubledTable([], then: .silence, time: time)
        let start = time.now
        #expect(
            await error(try source(table, Restraint(deadline: .seconds(deadline))), limit: limit) == .timedOut(nil))
        #expect(time.now - start <= .seconds(deadline))
        #expect(table.timeouts.first == min(.seconds(65), .seconds(deadline)))
    }

    @Test("A dead instance costs each caller at most its deadline, and the last problem stands")
    func dead() async throws {
        let table = TroubledTable([], then: .failure(.connectionFailed("refused")), time: time)
        let restraint = Restraint(
            deadline: .seconds(20), retries: 100, circuit: Restraint.Circuit(failures: 0))
        let start = time.now
        #expect(
            await error(try source(table, restraint, jitter: 0.999))
                == .failed(nil, reason: "no connection to the instance: refused"))
        #expect(time.now - start < .seconds(20))
    }

    @Test("Where the deadline cuts an attempt short the problem before it stands")
    func deadlineAfterFailure() async throws {
        let table = TroubledTable([answer(502)], then: .silence, time: time)
        let restraint = Restraint(deadline: .seconds(30))
        #expect(
            await error(try source(table, restraint))
                == .failed(.init(status: 502), reason: "the instance answered with status 502"))
        #expect(table.windows.count == 2)
    }

    @Test(
        "A silent attempt that the deadline leaves hardly any time is no failure of the instance",
        arguments: [(2000, true), (1000, false), (603, false)])
    func shortAttempt(deadline: Int, counts: Bool) async throws {
        let table = TroubledTable([answer(502), answer(502)], then: .silence, time: time)
        let restraint = Restraint(
            deadline: .milliseconds(deadline), circuit: Restraint.Circuit(failures: 3, open: .seconds(10)))
        let source = try source(table, restraint, jitter: 1)
        _ = await error(source)
        // With no more than 3 ms left it is not made at all.
        #expect(table.windows.count == (deadline == 603 ? 2 : 3))
        let made = table.windows.count
        _ = await error(source)
        #expect((table.windows.count > made) == !counts)
    }

    @Test("Once the circuit is open nothing reaches the instance, and whoever met its failure is told of that")
    func circuit() async throws {
        let table = TroubledTable([], then: .failure(.connectionFailed("refused")), time: time)
        let source = try source(table, Restraint(circuit: Restraint.Circuit(failures: 3, open: .seconds(10))))
        #expect(await error(source) == .failed(nil, reason: "no connection to the instance: refused"))
        #expect(table.windows.count == 3)
        guard case .unavailable(nil, let retryAfter?) = await error(source) else {
            Issue.record("another problem")
            return
        }
        #expect((9...10).contains(retryAfter) && table.windows.count == 3)
        time.advance(.seconds(10))
        #expect(await error(source) == .failed(nil, reason: "no connection to the instance: refused"))
        #expect(table.windows.count == 4, "one probe")
    }

    @Test("An outage is not multiplied: many callers together repeat only a few requests")
    func budget() async throws {
        let table = TroubledTable([], then: answer(503), time: time)
        let source = try source(table, Restraint(circuit: Restraint.Circuit(failures: 0)))
        for _ in 0..<100 { #expect(await error(source) == .unavailable(.init(status: 503), retryAfter: nil)) }
        #expect(table.windows.count == 120)
    }

    @Test("Requests wait for their turn and no more are under way than allowed (E9)")
    func concurrency() async throws {
        let count = Shared<(now: Int, most: Int)>((0, 0))
        let transport = ClosureTransport {
            count.change { count in
                count.now += 1
                count.most = max(count.most, count.now)
            }
            for _ in 0..<5 { await Task.yield() }
            try? await eventually("two at once") { count.current.most >= 2 }
            count.change { $0.now -= 1 }
        }
        let instance = try Instance(url: "https://x.service-now.com", restraint: Restraint(concurrency: 8))
        let source = try TableService(instance: instance, transport: transport).source(of: "incident")
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<200 {
                group.addTask { _ = try await source.fetch(PageRequest(offset: number, limit: 1)) }
            }
            try await group.waitForAll()
        }
        #expect((2...8).contains(count.current.most))
    }

    @Test("A paginator whose fetch fails is free and where it was, and the same move works afterwards (F12)")
    func paginator() async throws {
        let table = TroubledTable([.none] + Array(repeating: answer(503), count: 5), time: time)
        let instance = try Instance(url: "https://x.service-now.com")
        let paginator = try TableService(
            instance: instance, transport: table, clock: time.clock, jitter: { 0.5 }
        ).paginator(from: "incident")
        try await paginator.next()
        await #expect(throws: PaginationError.source(.unavailable(.init(status: 503), retryAfter: nil))) {
            try await paginator.next()
        }
        #expect(await paginator.page == 1)
        #expect(await !paginator.isBusy)
        time.advance(.seconds(10))
        #expect(try await paginator.next().rows.count == 20)
        #expect(table.windows.last == window(20, 20))
    }
}

/// Answers with one row after doing something.
private struct ClosureTransport: HTTPTransport {
    let work: @Sendable () async -> Void

    init(_ work: @escaping @Sendable () async -> Void) {
        self.work = work
    }

    @concurrent func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        await work()
        return .page(1, total: 1)
    }
}
