import DemoInstance
import PaginatordTesting
import Synchronization
import TablePagination
import Testing

/// All records of the demo instance, without a network.
struct RecordsTests {
    /// The demo instance with its 10,000 incidents.
    private static let demo = Task { try await DemoInstance() }
    private static let fields = FieldReadConfiguration(includeFields: ["number", "sys_id"])

    private func service(
        _ faults: [String] = [], transport: (any HTTPTransport)? = nil, retries: Int = 4
    ) async throws -> TableService {
        let responder = try await Self.demo.value
        let faulty = Faults(try faults.map { try Fault($0) }, around: responder)
        let restraint = Restraint(deadline: .seconds(36000), retries: retries)
        return TableService(
            instance: try Instance(url: "http://localhost", restraint: restraint),
            transport: transport ?? ResponderTransport(faulty), clock: .hurried)
    }

    private func configuration(_ query: String) -> FetchConfiguration {
        FetchConfiguration(filter: query.isEmpty ? nil : Filter(query: query), readConfiguration: Self.fields)
    }

    /// The rows of one page that holds them all, without faults.
    private func expected(_ query: String) async throws -> [String] {
        var configuration = configuration(query)
        configuration.limit = 10_000
        return try await service().paginator(from: "incident", configuration: configuration).first().rows.texts
    }

    private func rows(_ records: TableRecords) async throws -> [String] {
        var rows: [String] = []
        try await records.read { batch in
            #expect(!batch.rows.isEmpty)
            rows += batch.rows.texts
        }
        return rows
    }

    @Test(
        "The records read by key are the table's, byte for byte and in order",
        arguments: [
            "", "active=true", "active=true^ORDERBYsys_id", "priority=1^ORpriority=2^NQstate=6^NQactive=false",
            "number=INC0010001", "number=none", "sys_id>8^active=true", "sys_idSTARTSWITH3",
        ], [(100, 3), (1000, 4), (10_000, 2)])
    func byKey(query: String, sizes: (items: Int, concurrency: Int)) async throws {
        let records = try await service().records(
            of: "incident", configuration: configuration(query), itemsPerPage: sizes.items,
            concurrency: sizes.concurrency)
        #expect(records.isByKey)
        #expect(try await rows(records) == expected(query))
    }

    @Test(
        "The records of an ordered or undividable query come in its order, by offset",
        arguments: [
            "ORDERBYDESCopened_at", "active=true^ORDERBYpriority", "active=true^EQ^GROUPBYcategory",
            "active=true^ORDERBYDESCsys_id",
        ])
    func byOffset(query: String) async throws {
        let records = try await service().records(
            of: "incident", configuration: configuration(query), itemsPerPage: 500)
        #expect(!records.isByKey)
        #expect(try await rows(records) == expected(query))
    }

    @Test(
        "Whatever the instance does meanwhile, all records come that it shows",
        arguments: [
            ["truncate:every=3"], ["rate-limit:as=queue,every=12"], ["truncate:as=json,every=4"], ["no-count"],
            ["no-count:every=7"], ["status:code=503,every=5"], ["truncate:every=4", "rate-limit:as=queue,every=15"],
        ], ["active=true", "active=true^ORDERBYnumber"])
    func faults(texts: [String], query: String) async throws {
        let records = try await service(texts, retries: 8).records(
            of: "incident", configuration: configuration(query), itemsPerPage: 400)
        let rows = try await rows(records)
        #expect(rows == (try await expected(query)))
    }

    @Test("Hidden records leave no gap but their own", arguments: ["", "active=true^ORDERBYnumber"])
    func hidden(query: String) async throws {
        let faults = ["hide:ratio=0.3"]
        let records = try await service(faults).records(
            of: "incident", configuration: configuration(query), itemsPerPage: 300)
        let rows = try await rows(records)
        var whole = configuration(query)
        whole.limit = 10_000
        let shown = try await service(faults).paginator(from: "incident", configuration: whole).first().rows.texts
        #expect(rows == shown)
        let all = try await expected(query).count
        #expect(all * 6 / 10..<all * 8 / 10 ~= rows.count)
    }

    @Test("What is resumed behind a batch, or behind the last key that somebody has, is exactly the rest")
    func resuming() async throws {
        let expected = try await expected("")
        var stops: [(count: Int, resume: RecordsStart)] = []
        var count = 0
        let service = try await service()
        try await service.records(of: "incident", configuration: configuration(""), itemsPerPage: 700).read { batch in
            count += batch.rows.count
            stops.append((count, batch.resume))
        }
        let key = try #require(expected[4321].split(separator: "\"").first { $0.utf8.count == 32 })
        stops.append((4322, .afterKey(String(key))))
        for (count, resume) in stops {
            let rest = try service.records(
                of: "incident", configuration: configuration(""), itemsPerPage: 700, from: resume)
            #expect(try await rows(rest) == Array(expected.dropFirst(count)))
        }
        let paged = try service.records(
            of: "incident", configuration: configuration(""), itemsPerPage: 700, from: .page(14))
        #expect(!paged.isByKey)
        #expect(try await rows(paged) == Array(expected.dropFirst(9100)))
    }

    @Test("A start that makes no sense is refused before anything is asked")
    func refusals() async throws {
        let service = try await service()
        func refusal(_ query: String, _ start: RecordsStart, items: Int = 10) -> RecordsRequestError? {
            do throws(RecordsRequestError) {
                _ = try service.records(
                    of: "incident", configuration: configuration(query), itemsPerPage: items, from: start)
                return nil
            } catch {
                return error
            }
        }
        let key = String(repeating: "0", count: 32)
        #expect(refusal("", .afterKey(key)) == nil)
        #expect(refusal("", .afterKey("global")) == .invalidKey("global"))
        #expect(refusal("ORDERBYnumber", .afterKey(key)) == .notReadByKey)
        #expect(refusal("", .page(0)) == .invalidPage(0))
        #expect(refusal("", .page(.max)) == .invalidPage(.max))
        #expect(refusal("", .beginning, items: 10_001) == .table(.invalidLimit(10_001)))
    }

    @Test("While nobody receives, no more windows are fetched than the concurrency allows", arguments: [1, 3, 5])
    func slowReceiver(concurrency: Int) async throws {
        let transport = CountingTransport(ResponderTransport(try await Self.demo.value))
        let records = try await service(transport: transport).records(
            of: "incident", configuration: configuration(""), itemsPerPage: 100, from: .page(1),
            concurrency: concurrency)
        var batches = 0
        try await records.read { _ in
            batches += 1
            guard [1, 7].contains(batches) else { return }
            try await eventually("the windows ahead") { transport.ended == batches + concurrency }
            for _ in 0..<200 { await Task.yield() }
            #expect(transport.begun == batches + concurrency)
        }
        #expect(batches == 100 && transport.begun == 100)
        #expect(transport.mostUnderWay <= concurrency)
    }

    @Test(
        "Readings that share a room fetch ahead only as far as it goes, and all come to their end",
        arguments: [0, 7, 100])
    func sharedRoom(windows: Int) async throws {
        // The batches that are being received have three windows of the room.
        let ahead = [0: 0...0, 7: 1...6][windows] ?? 12...12
        let transport = CountingTransport(ResponderTransport(try await Self.demo.value))
        let service = try await service(transport: transport)
        var largest = 0
        try await service.records(
            of: "incident", configuration: configuration(""), itemsPerPage: 100, from: .page(1)
        ).read { largest = max(largest, $0.rows.byteCount) }
        let room = RecordsRoom(bytes: windows * largest)
        let before = transport.begun
        let stalled = [Gate(), Gate(), Gate()]
        let goOn = Gate()
        let counts = try await withThrowingTaskGroup(of: Int.self) { group in
            // Each another query, or they would share their fetches.
            for (stall, query) in zip(stalled, ["ORDERBYnumber", "ORDERBYDESCnumber", "ORDERBYsys_id"]) {
                let records = try service.records(
                    of: "incident", configuration: configuration(query), itemsPerPage: 100, from: .page(1), room: room)
                group.addTask {
                    var count = 0
                    try await records.read { batch in
                        count += batch.rows.count
                        guard count == 500 else { return }
                        stall.open()
                        await goOn.wait()
                    }
                    return count
                }
            }
            try await eventually("all have stalled") { stalled.allSatisfy(\.isOpen) }
            try await eventually("nothing is under way") {
                transport.begun == transport.ended && ahead ~= transport.begun - before - 3 * 5
            }
            for _ in 0..<200 { await Task.yield() }
            #expect(ahead ~= transport.begun - before - 3 * 5)
            goOn.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(counts == [10_000, 10_000, 10_000])
    }

    @Test("Nobody is asked for more at once than the concurrency, by key either", arguments: [1, 2, 6])
    func concurrency(limit: Int) async throws {
        let transport = CountingTransport(ResponderTransport(try await Self.demo.value))
        let records = try await service(transport: transport).records(
            of: "incident", configuration: configuration(""), itemsPerPage: 100, concurrency: limit)
        #expect(try await rows(records).count == 10_000)
        #expect(transport.mostUnderWay <= limit)
        #expect(transport.begun <= 250)
    }

    @Test("Cancelling the reader ends its requests, and it says where to go on")
    func cancelling() async throws {
        let transport = CountingTransport(ResponderTransport(try await Self.demo.value), holdsFrom: 12)
        let records = try await service(transport: transport).records(
            of: "incident", configuration: configuration(""), itemsPerPage: 500)
        let reading = Task {
            var rows: [String] = []
            do throws(RecordsReadError<Never>) {
                try await records.read { (batch: RecordBatch) async throws(Never) in rows += batch.rows.texts }
            } catch {
                if case .records(let error) = error { return (rows, error as RecordsError?) }
            }
            return (rows, nil)
        }
        // Four windows are asked for and none comes any more.
        try await eventually("requests that wait") { transport.begun - transport.ended == 4 && transport.begun >= 12 }
        reading.cancel()
        let (rows, problem) = await reading.value
        let error = try #require(problem)
        #expect(error.problem == .stopping)
        #expect(transport.begun == transport.ended)
        let rest = try await service().records(
            of: "incident", configuration: configuration(""), itemsPerPage: 500, from: error.resume)
        #expect(try await rows + self.rows(rest) == expected(""))
        #expect(!rows.isEmpty)
    }

    @Test("What the receiver throws ends the reading and comes out of it")
    func receiverFails() async throws {
        struct Full: Error, Equatable {}
        let transport = CountingTransport(ResponderTransport(try await Self.demo.value))
        let records = try await service(transport: transport).records(
            of: "incident", configuration: configuration(""), itemsPerPage: 500)
        do throws(RecordsReadError<Full>) {
            try await records.read { (_) async throws(Full) in throw Full() }
            Issue.record("nothing was thrown")
        } catch {
            guard case .receiver(Full()) = error else { return #expect(Bool(false), "\(error)") }
        }
        #expect(transport.begun == transport.ended && transport.begun < 15)
    }

    @Test("A reading that has begun has its first records, and asks for nothing twice", arguments: [1, 2, 5])
    func begun(concurrency: Int) async throws {
        for begins in [false, true] {
            let transport = CountingTransport(ResponderTransport(try await Self.demo.value))
            var records = try await service(transport: transport).records(
                of: "incident", configuration: configuration("ORDERBYnumber"), itemsPerPage: 500,
                concurrency: concurrency)
            if begins {
                records = try await records.begun()
                #expect(1...concurrency ~= transport.begun)
            }
            #expect(try await rows(records) == expected("ORDERBYnumber"))
            #expect(transport.begun == 20)
        }
    }

    @Test("A reading that cannot begin says why before anything is delivered", arguments: ["", "ORDERBYnumber"])
    func cannotBegin(query: String) async throws {
        let records = try await service(["unauthorized"]).records(of: "incident", configuration: configuration(query))
        do throws(RecordsError) {
            _ = try await records.begun()
            Issue.record("nothing was thrown")
        } catch {
            guard case .unauthenticated = error.problem else { return #expect(Bool(false), "\(error)") }
            #expect(error.resume == .beginning)
        }
    }
}

extension RequestClock {
    /// A clock that runs a hundred times as fast as the system's.
    fileprivate static let hurried: RequestClock = {
        let system = RequestClock.system
        return RequestClock(uptime: { system.uptime() * 100 }) { duration throws(CancellationError) in
            try await system.sleep(duration / 100)
        }
    }()
}

/// Counts the requests that pass; from one on it holds them until they are cancelled.
private final class CountingTransport: HTTPTransport {
    private struct Counts {
        var begun = 0
        var ended = 0
        var mostUnderWay = 0
    }

    private let transport: any HTTPTransport
    private let holdsFrom: Int
    private let counts = Mutex(Counts())

    init(_ transport: any HTTPTransport, holdsFrom: Int = .max) {
        self.transport = transport
        self.holdsFrom = holdsFrom
    }

    var begun: Int { counts.withLock { $0.begun } }
    var ended: Int { counts.withLock { $0.ended } }
    var mostUnderWay: Int { counts.withLock { $0.mostUnderWay } }

    @concurrent func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        let number = counts.withLock { counts in
            counts.begun += 1
            counts.mostUnderWay = max(counts.mostUnderWay, counts.begun - counts.ended)
            return counts.begun
        }
        defer { counts.withLock { $0.ended += 1 } }
        if number >= holdsFrom {
            while !Task.isCancelled { await Task.yield() }
            throw .cancelled
        }
        return try await transport.send(request)
    }
}
