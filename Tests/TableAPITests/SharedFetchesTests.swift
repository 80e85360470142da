import HTTPModel
import Locks
import Pagination
import PaginatordTesting
import Testing

@testable import TableAPI

struct SharedFetchesTests {
    private typealias Outcome = Result<PageAnswer, PageSourceError>

    private let time = ManualTime()

    private func service(
        _ transport: any HTTPTransport, _ credentials: Credentials = .none,
        _ restraint: Restraint = Restraint(retries: 0)
    ) throws -> TableService {
        TableService(
            instance: try Instance(
                url: "https://x.service-now.com", credentials: credentials, restraint: restraint),
            transport: transport, now: { 0 }, clock: time.clock, jitter: { 0 })
    }

    private func fetch(
        _ service: TableService, _ request: PageRequest = PageRequest(offset: 0, limit: 20),
        from table: String = "incident", _ configuration: FetchConfiguration = FetchConfiguration()
    ) async -> Outcome {
        do {
            return .success(try await service.source(of: table, configuration: configuration).fetch(request))
        } catch {
            return .failure(error as? PageSourceError ?? .failed(nil, reason: "\(error)"))
        }
    }

    private func origin(_ outcome: Outcome) -> PageAnswer.Origin? {
        (try? outcome.get())?.origin
    }

    @Test("A hundred callers of one window are one request, and get the same answer")
    func hundred() async throws {
        let gate = Gate()
        let transport = AnsweringTransport { _ in
            await gate.wait()
            return .page(20, total: 60)
        }
        let service = try service(transport)
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<100 { group.addTask { await fetch(service) } }
            try await eventually("all but one wait for it") { service.fetches.followerCount == 99 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(transport.requests.count == 1)
        var answers = try outcomes.map { try $0.get() }
        #expect(answers.filter { $0.origin == .fetched }.count == 1)
        #expect(answers.filter { $0.origin == .collapsed }.count == 99)
        for index in answers.indices { answers[index].origin = .fetched }
        #expect(answers.allSatisfy { $0 == answers[0] } && answers[0].rows.count == 20)
        // What is over is not shared any more.
        #expect(origin(await fetch(service)) == .fetched)
        #expect(transport.requests.count == 2 && service.fetches.isIdle)
    }

    /// What two fetches at the same time differ in.
    fileprivate enum Difference: CaseIterable {
        case nothing, limitOfCount, priority, callerName
        case offset, limit, countOnly, table, query, fields, displayValue, order, bulk
    }

    @Test("Only what is the very same is one request", arguments: Difference.allCases)
    fileprivate func difference(_ difference: Difference) async throws {
        let gate = Gate()
        let transport = AnsweringTransport { _ in
            await gate.wait()
            return .page(1, total: 60)
        }
        let service = try service(transport)
        var (first, second) = (PageRequest(offset: 20, limit: 20), PageRequest(offset: 20, limit: 20))
        var (table, configuration) = ("incident", FetchConfiguration())
        switch difference {
        case .nothing: break
        case .limitOfCount: (first.countOnly, second.countOnly, second.limit) = (true, true, 1)
        case .priority: second.priority = .readAhead
        case .callerName: second.caller = "ann"
        case .offset: second.offset = 40
        case .limit: second.limit = 21
        case .countOnly: second.countOnly = true
        case .table: table = "problem"
        case .query: configuration.filter = "active=true"
        case .fields: configuration.readConfiguration.includeFields = ["number"]
        case .displayValue: configuration.readConfiguration.displayValue = .all
        case .order: configuration.stableOrder = false
        case .bulk: (first.priority, second.priority) = (.bulk, .bulk)
        }
        let isSame = [.nothing, .limitOfCount, .priority, .callerName].contains(difference)
        async let one = fetch(service, first)
        try await eventually("the first is under way") { transport.requests.count == 1 }
        async let other = fetch(service, second, from: table, configuration)
        try await eventually("the second is too") {
            transport.requests.count == 2 || service.fetches.followerCount == 1
        }
        gate.open()
        #expect(origin(await one) == .fetched)
        #expect(origin(await other) == (isSame ? .collapsed : .fetched))
        #expect(transport.requests.count == (isSame ? 1 : 2))
    }

    @Test(
        "Where callers bring their own credentials, only those of the same caller are shared",
        arguments: [("Bearer ann", true), ("Bearer bob", false), ("bearer ann", false), (nil, false)])
    func callers(other: String?, isSame: Bool) async throws {
        let gate = Gate()
        let transport = AnsweringTransport { request in
            await gate.wait()
            return .page(request.headers["Authorization"] == "Bearer ann" ? 1 : 2, total: 60)
        }
        let service = try service(transport, .forward)
        let ann = ForwardedAuthorization(["Authorization": "Bearer ann"])
        async let first = ForwardedAuthorization.$current.withValue(ann) { await fetch(service) }
        try await eventually("the first is under way") { transport.requests.count == 1 }
        let caller = other.flatMap { ForwardedAuthorization(["Authorization": $0]) }
        async let second = ForwardedAuthorization.$current.withValue(caller) { await fetch(service) }
        if caller != nil {
            try await eventually("the second is too") {
                transport.requests.count == 2 || service.fetches.followerCount == 1
            }
        }
        gate.open()
        #expect(try await first.get().rows.count == 1)
        let outcome = await second
        #expect(origin(outcome) == (caller == nil ? nil : isSame ? .collapsed : .fetched))
        if caller == nil { #expect(outcome == .failure(.callerUnauthenticated(nil))) }
        if caller != nil { #expect(try outcome.get().rows.count == (isSame ? 1 : 2)) }
    }

    @Test(
        "An error is told to all who wait, and to nobody afterwards",
        arguments: [
            .success(.json("{}", status: 400)), .success(.json("{}", status: 503)), .success(.json("{", status: 200)),
            .failure(.connectionFailed("refused")), .failure(.cancelled),
        ] as [Result<IncomingResponse, TransportError>])
    func errors(end: Result<IncomingResponse, TransportError>) async throws {
        let gate = Gate()
        let isFirst = Lock(true)
        let transport = AnsweringTransport { _ throws(TransportError) in
            guard
                isFirst.withLock({ isFirst in
                    defer { isFirst = false }
                    return isFirst
                })
            else { return .page(20, total: 60) }
            await gate.wait()
            return try end.get()
        }
        let service = try service(transport)
        let outcomes = try await withThrowingTaskGroup(of: Outcome.self) { group in
            for _ in 0..<10 { group.addTask { await fetch(service, PageRequest(offset: 0, limit: 1)) } }
            try await eventually("all but one wait for it") { service.fetches.followerCount == 9 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        guard case .failure(let error) = outcomes[0] else {
            Issue.record("no error")
            return
        }
        #expect(outcomes == Array(repeating: .failure(error), count: 10))
        #expect(transport.requests.count == 1)
        #expect(origin(await fetch(service, PageRequest(offset: 0, limit: 1))) == .fetched)
    }

    @Test("Whoever gives up while another one fetches leaves alone, at once")
    func followerGivesUp() async throws {
        let gate = Gate()
        let transport = AnsweringTransport { _ in
            await gate.wait()
            return .page(20, total: 60)
        }
        let service = try service(transport)
        async let first = fetch(service)
        try await eventually("it is under way") { transport.requests.count == 1 }
        let leaving = Task { await fetch(service) }
        async let staying = fetch(service)
        try await eventually("two wait for it") { service.fetches.followerCount == 2 }
        leaving.cancel()
        #expect(await leaving.value == .failure(.stopping))
        #expect(service.fetches.followerCount == 1)
        let late = Task { await fetch(service) }
        late.cancel()
        #expect(await late.value == .failure(.stopping))
        gate.open()
        #expect(await origin(first) == .fetched)
        #expect(await origin(staying) == .collapsed)
        #expect(transport.requests.count == 1)
    }

    @Test("Whoever gives up while it fetches for others hands over to them", arguments: [1, 2, 5])
    func leaderGivesUp(leaving count: Int) async throws {
        let gates = Shared<[Gate]>([])
        let transport = AnsweringTransport { _ throws(TransportError) in
            let gate = Gate()
            gates.change { $0.append(gate) }
            await gate.wait()
            if Task.isCancelled { throw .cancelled }
            return .page(20, total: 60)
        }
        let service = try service(transport)
        var tasks: [Task<Outcome, Never>] = []
        for number in 0..<10 {
            tasks.append(Task { await fetch(service) })
            try await eventually("it waits") {
                gates.current.count == 1 && service.fetches.followerCount == number
            }
        }
        // Each time whoever came first of those who are left takes over.
        for number in 0..<count {
            tasks[number].cancel()
            gates.current[number].open()
            #expect(await tasks[number].value == .failure(.stopping))
            try await eventually("the next one fetches") { gates.current.count == number + 2 }
        }
        gates.current[count].open()
        #expect(origin(await tasks[count].value) == .fetched)
        for task in tasks[(count + 1)...] { #expect(origin(await task.value) == .collapsed) }
        #expect(transport.requests.count == count + 1 && service.fetches.isIdle)
    }

    @Test("Where the time of whoever fetches is up, those who came later go on in their own")
    func deadline() async throws {
        let (first, second) = (Gate(), Gate())
        let transport = AnsweringTransport { [time] request throws(TransportError) in
            let isFirst = !first.isOpen
            await (isFirst ? first : second).wait()
            if isFirst { throw .timedOut(receivedBytes: false) }
            #expect(request.timeout == .seconds(60) && time.now == .seconds(1100))
            return .page(20, total: 60)
        }
        let restraint = Restraint(deadline: .seconds(100))
        let service = TableService(
            instance: try Instance(
                url: "https://x.service-now.com", timeout: .seconds(300), restraint: restraint),
            transport: transport, clock: time.clock)
        async let early = fetch(service)
        try await eventually("it is under way") { transport.requests.count == 1 }
        time.advance(.seconds(60))
        async let late = fetch(service)
        try await eventually("another one waits for it") { service.fetches.followerCount == 1 }
        time.advance(.seconds(40))
        first.open()
        #expect(await early == .failure(.timedOut(nil)))
        second.open()
        #expect(await origin(late) == .fetched)
        #expect(transport.requests.count == 2)
    }

    @Test("What is read ahead goes before exports as soon as somebody waits for it", arguments: [false, true])
    func urgency(isWaitedFor: Bool) async throws {
        let gate = Gate()
        let transport = AnsweringTransport { request in
            if request.url.hasSuffix("=0") { await gate.wait() }
            return .page(1, total: 600)
        }
        let local = LocalGate(Restraint(concurrency: 1), clock: time.clock)
        let raising = RaisingGate(local)
        let service = TableService(
            instance: try Instance(url: "https://x.service-now.com"), transport: transport, gate: raising,
            clock: time.clock)
        async let holding = fetch(service, PageRequest(offset: 0, limit: 20))
        try await eventually("the slot is taken") { transport.requests.count == 1 }
        async let ahead = fetch(service, PageRequest(offset: 20, limit: 20, priority: .readAhead))
        try await eventually("one waits") { local.current.queued == 1 }
        async let export = fetch(service, PageRequest(offset: 40, limit: 20, priority: .bulk))
        try await eventually("two wait") { local.current.queued == 2 }
        // Where nobody waits for it, something else is moved to.
        async let move = fetch(service, PageRequest(offset: isWaitedFor ? 20 : 0, limit: 20))
        try await eventually("somebody waits for another's fetch") { service.fetches.followerCount == 1 }
        if isWaitedFor { try await eventually("it counts") { raising.hasRaised.isOpen } }
        gate.open()
        _ = await (holding, ahead, export, move)
        #expect(
            transport.requests.map { $0.url.split(separator: "=").last }
                == (isWaitedFor ? ["0", "20", "40"] : ["0", "40", "20"]))
    }

    @Test(
        "That nothing was read ahead is no news to whoever began to wait for it meanwhile",
        arguments: [.rateLimited(nil, retryAfter: 9), .unavailable(nil, retryAfter: 9), .timedOut(nil)]
            as [PageSourceError])
    func readAheadRefused(refusal: PageSourceError) async throws {
        let gate = RefusingGate(refusal)
        let transport = AnsweringTransport { _ in .page(20, total: 60) }
        let service = TableService(
            instance: try Instance(url: "https://x.service-now.com"), transport: transport, gate: gate,
            clock: time.clock)
        async let ahead = fetch(service, PageRequest(offset: 20, limit: 20, priority: .readAhead))
        try await eventually("it asks for permission") { gate.asked.isOpen }
        async let move = fetch(service, PageRequest(offset: 20, limit: 20))
        try await eventually("somebody waits for it") { service.fetches.followerCount == 1 }
        gate.decision.open()
        #expect(await ahead == .failure(refusal))
        #expect(await origin(move) == .fetched)
        #expect(transport.requests.count == 1 && service.fetches.isIdle)
    }

    @Test("Whoever takes over is as urgent as the most urgent of those who are left")
    func urgencyOfSuccessor() async throws {
        let fetches = SharedFetches(gate: LocalGate(Restraint(), clock: time.clock))
        let key = FetchKey(holder: "", url: FetchURL("u"), offset: 0, limit: 1)
        guard case .lead(let urgency) = await fetches.join(key, .readAhead) else {
            Issue.record("nobody else was there")
            return
        }
        #expect(urgency.priority == .readAhead)
        async let second = fetches.join(key, .readAhead)
        try await eventually("one follows") { fetches.followerCount == 1 }
        #expect(urgency.priority == .readAhead)
        async let third = fetches.join(key, .interactive)
        try await eventually("another one follows") { fetches.followerCount == 2 }
        #expect(urgency.priority == .interactive)
        fetches.handOver(key)
        guard case .lead(let successor) = await second else {
            Issue.record("not handed over")
            return
        }
        #expect(successor.priority == .interactive)
        fetches.finish(key, .failure(.timedOut(nil)))
        guard case .share(.failure(.timedOut(nil))) = await third else {
            Issue.record("not told")
            return
        }
        #expect(fetches.isIdle)
    }

    @Test("Whoever leaves, and whenever, everybody else has an answer and nothing is left behind", arguments: 0..<8)
    func load(seed: Int) async throws {
        let transport = AnsweringTransport { _ throws(TransportError) in
            for _ in 0..<10 {
                await Task.yield()
                if Task.isCancelled { throw .cancelled }
            }
            return .page(1, total: 600)
        }
        let service = try service(transport, .none, Restraint(concurrency: seed % 4 + 1, retries: 0))
        let tasks = (0..<400).map { number in
            let priority: PageRequest.Priority = number % 3 == 0 ? .readAhead : .interactive
            let request = PageRequest(offset: number % 5 * 20, limit: 20, priority: priority)
            return Task { await fetch(service, request) }
        }
        var random = SeededGenerator(seed: UInt64(seed))
        var cancelled: Set<Int> = []
        for number in tasks.indices where Int.random(in: 0..<3, using: &random) == 0 {
            tasks[number].cancel()
            cancelled.insert(number)
            await Task.yield()
        }
        for (number, task) in tasks.enumerated() {
            switch await task.value {
            case .success(let answer): #expect(answer.rows.count == 1)
            case .failure(let error): #expect(error == .stopping && cancelled.contains(number))
            }
        }
        #expect(service.fetches.isIdle && time.sleeping == 0)
        #expect(transport.requests.count < 400)
        let gate = try #require(service.gate as? LocalGate)
        #expect(gate.current.inFlight == 0 && gate.current.queued == 0)
    }
}

/// Refuses what is read ahead, once it has decided to, and nothing else.
private final class RefusingGate: RequestGate {
    let asked = Gate()
    let decision = Gate()
    private let refusal: PageSourceError

    init(_ refusal: PageSourceError) {
        self.refusal = refusal
    }

    func enter(_ urgency: RequestUrgency, deadline: Duration) async throws(PageSourceError) -> RequestSlot {
        guard urgency.priority == .readAhead else { return RequestSlot(index: 0) }
        asked.open()
        await decision.wait()
        throw refusal
    }

    func raise(_ urgency: RequestUrgency) {}
    func leave(_ slot: RequestSlot, _ report: RequestReport) async {}
    func takeRetry() async -> Bool { false }
}

/// Tells when a request has become more urgent.
private final class RaisingGate: RequestGate {
    let hasRaised = Gate()
    private let gate: LocalGate

    init(_ gate: LocalGate) {
        self.gate = gate
    }

    func raise(_ urgency: RequestUrgency) {
        gate.raise(urgency)
        hasRaised.open()
    }

    func enter(_ urgency: RequestUrgency, deadline: Duration) async throws(PageSourceError) -> RequestSlot {
        try await gate.enter(urgency, deadline: deadline)
    }

    func leave(_ slot: RequestSlot, _ report: RequestReport) async { await gate.leave(slot, report) }
    func takeRetry() async -> Bool { await gate.takeRetry() }
}
