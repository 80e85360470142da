import HTTPModel
import Pagination
import PaginatordTesting
import Sessions
import Synchronization
import TableAPI

@testable import Gateway
@testable import Sessions

/// Random moves of several clients on two sessions, with whatever can go wrong on the way; what each of them hears is
/// judged by `Judge`.
final class RandomMoves {
    /// How much room there is for pages that may be asked for again.
    enum Memory: CaseIterable, Sendable {
        case ample, smallPages, shared, none

        static let pageBytes = 60
        static let sharedBytes = 150

        fileprivate var store: MemorySessionStore {
            switch self {
            case .ample: MemorySessionStore()
            case .smallPages: MemorySessionStore(maxPageBytes: Self.pageBytes)
            case .shared: MemorySessionStore(replayMemory: Self.sharedBytes)
            case .none: MemorySessionStore(replayMemory: 0)
            }
        }
    }

    /// One move as a client asks for it.
    struct Call: Sendable {
        /// Anew each time that it is sent.
        var number = 0
        var subject: Int
        var move: SessionModel.Move
        var after: Int?
        var tag: Int?
        var waits = true
        var method = "POST"

        /// Where it says that it starts.
        var start: Int? { after ?? tag }

        var text: String {
            let after = after.map { "?after=\($0)" } ?? ""
            return "\(method) \(subject)/\(move.rawValue)\(after)\(tag.map { " If-Match \($0)" } ?? "")"
                + (waits ? "" : " wait=0")
        }
    }

    /// A client knows of each session what it has heard last, and of one call that it heard no answer to it.
    struct Client {
        var heard: [Int]
        var lost: Call?
    }

    /// A call under way.
    struct Running {
        var client: Int
        var call: Call
        var task: Task<Answer, any Error>
        var hasEnded: Flag
    }

    final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    let tables = ChangingTables()
    let service: Service
    private let memory: Memory
    var random: SeededGenerator
    let log: WatchedSource.Log
    var judge: Judge
    var clients: [Client]
    var opened = 0
    var latestCall = 0
    /// What was done, for whoever has to find out why a client heard something else.
    var steps = ["0:"]

    /// What has come to pass.
    var tally: [Judge.Outcome: Int] { judge.tally }

    init(memory: Memory, seed: UInt64) throws {
        self.memory = memory
        random = SeededGenerator(seed: seed)
        let time = ManualTime()
        let log = WatchedSource.Log(now: { time.uptime }, version: { [tables] in tables.version(of: $0) })
        self.log = log
        service = try Service(
            store: memory.store,
            restraint: Restraint(concurrency: 32, retries: 0, circuit: Restraint.Circuit(failures: 0)), time: time
        ) { source, definition in
            WatchedSource(source, table: definition.table, log: log)
        }
        service.transport.answer { [tables] request throws(TransportError) in try await tables.answer(request) }
        judge = Judge(memory: memory, tables: tables, log: log, now: { time.uptime })
        clients = Array(repeating: Client(heard: [0, 0]), count: 4)
    }

    /// Makes so many steps, while pages are read ahead, and ten times as many until all of these have come to pass.
    ///
    /// - Throws: `Judge.Difference`.
    func run(_ count: Int, expecting outcomes: Set<Judge.Outcome>) async throws {
        let stopped = Gate()
        let isRunning = Gate()
        let running = Task { [registry = service.registry] in
            await registry.run(every: .seconds(1)) { _ in
                isRunning.open()
                await stopped.wait()
                throw CancellationError()
            }
        }
        await isRunning.wait()
        do {
            for subject in 0..<2 { try await open(subject) }
            for number in 1...10 * count where number <= count || !outcomes.isSubset(of: tally.keys) {
                steps.append("\(number):")
                try await step()
            }
        } catch {
            stopped.open()
            await running.value
            throw error
        }
        stopped.open()
        await running.value
    }

    // MARK: Steps

    private func step() async throws {
        if judge.subjects.contains(where: \.isGone), chance(30) {
            for index in 0..<2 where judge.subjects[index].isGone { try await open(index) }
        }
        if chance(18), let fault = ChangingTables.Fault.allCases.randomElement(using: &random) {
            let fails = [chance(75), chance(40), chance(40)]
            note("\(fault) \(fails.map { $0 ? "x" : "-" }.joined())")
            tables.fail(with: fault, fails)
            judge.fault = fault
        }
        switch Int.random(in: 0..<100, using: &random) {
        case ..<56: try await move()
        case ..<70: try await moveTogether()
        case ..<78: try await hangUp()
        case ..<88: changeTable(Int.random(in: 0..<2, using: &random))
        case ..<90: try await change(Int.random(in: 0..<2, using: &random), isBusy: false)
        case ..<93: try await look(at: Int.random(in: 0..<2, using: &random), isBusy: false)
        case ..<95: try await lookAtPage()
        case ..<97:
            let seconds = Int.random(in: 1...40, using: &random)
            note("\(seconds) s")
            service.time.advance(milliseconds: seconds * 1000)
        case ..<98:
            note("sweep")
            await service.registry.sweep()
        default: try await delete(Int.random(in: 0..<2, using: &random))
        }
        try await settle()
        try judge.endStep()
        tables.fail(with: nil, [])
        // Past what the instance wanted to be waited for.
        if judge.fault == .rateLimited { service.time.advance(milliseconds: 101_000) }
        judge.fault = nil
        for index in 0..<2 where judge.subjects[index].model.isFinished && chance(8) { try await delete(index) }
    }

    /// Waits until every page that is read ahead is at hand or given up.
    private func settle() async throws {
        try await eventually("nothing is under way") { [log] in log.background == 0 }
        for subject in judge.subjects where !subject.isGone {
            guard let id = SessionID(subject.id) else { continue }
            let session = try await service.registry.session(id, for: "")
            try await eventually("what was read ahead is at hand") { await !session.readAhead.isUnderWay }
        }
    }

    private func open(_ index: Int) async throws {
        opened += 1
        let table = "u_\(opened)"
        let size = Int.random(in: 1...5, using: &random)
        tables.change(table) { [count = Int.random(in: 0...25, using: &random)] in $0.count = count }
        if chance(40) { changeTable(table) }
        let finishes = chance(20)
        let depth = ["0", "\"auto\"", "3"][opened % 3]
        note("open \(index): \(table), size \(size), ahead \(depth)\(finishes ? ", finishes" : "")")
        let path = try await service.open(
            #"{"table":"\#(table)","itemsPerPage":\#(size),"readAhead":\#(depth),"publisherShouldFinish":\#(finishes),"#
                + #""idleTimeout":86400}"#)
        judge.open(
            index, Judge.Subject(path: path, table: table, model: SessionModel(size: size, shouldFinish: finishes)))
        for client in clients.indices {
            clients[client].heard[index] = 0
            if clients[client].lost?.subject == index { clients[client].lost = nil }
        }
    }

    private func move() async throws {
        let client = Int.random(in: 0..<4, using: &random)
        let call = randomCall(of: client)
        let answer = try await request(call)()
        try judge.judge(call, answer, isAlone: true)
        hear(client, call, answer)
    }

    /// The caller goes away, before or while the instance is asked; the page is kept for the repeat.
    private func hangUp() async throws {
        let client = Int.random(in: 0..<4, using: &random)
        let call = randomCall(of: client)
        let gate = Gate()
        tables.hold(behind: gate)
        defer {
            gate.open()
            tables.hold(behind: nil)
        }
        let isAtOnce = chance(30)
        note(isAtOnce ? "hangs up at once" : "hangs up")
        let begun = log.begun
        let running = start(client, call)
        if !isAtOnce {
            try await eventually("it is under way") { [log] in log.begun > begun || running.hasEnded.isSet }
        }
        // The server lets the task of a caller that has hung up run to its end.
        gate.open()
        tables.hold(behind: nil)
        try judge.judge(call, try await running.task.value, isAlone: true)
        clients[client].lost = call.start == nil ? nil : call
    }

    func look(at index: Int, isBusy: Bool) async throws {
        note("GET \(index)")
        try judge.judgeSession(index, try await service.get(judge.subjects[index].path), isBusy: isBusy)
    }

    private func lookAtPage() async throws {
        let index = Int.random(in: 0..<2, using: &random)
        let number = Int.random(in: 1...8, using: &random)
        note("GET \(index)/pages/\(number)")
        latestCall += 1
        let answer = try await WatchedSource.$call.withValue(latestCall) {
            try await service.get("\(judge.subjects[index].path)/pages/\(number)")
        }
        try judge.judgePage(index, number, by: latestCall, answer)
    }

    func change(_ index: Int, isBusy: Bool) async throws {
        let value = chance(50)
        note("PATCH \(index) \(value)")
        let answer = try await service.send(
            "PATCH", judge.subjects[index].path, body: "{\"publisherShouldFinish\":\(value)}")
        judge.setFinishes(index, value)
        try judge.judgeSession(index, answer, isBusy: isBusy)
    }

    func delete(_ index: Int) async throws {
        note("DELETE \(index)")
        let path = judge.subjects[index].path
        for _ in 0..<2 {
            let status = try await service.send("DELETE", path).status
            if status != 204 { throw Judge.Difference(text: "DELETE answers \(status)") }
        }
        judge.delete(index)
        let unknown = "/sessions/\(SessionID())"
        for answer in [try await service.post(unknown + "/next?after=0"), try await service.send("DELETE", unknown)]
        where answer.status != 404 {
            throw Judge.Difference(text: "a session that never was answers \(answer.status)")
        }
    }

    func changeTable(_ index: Int) {
        changeTable(judge.subjects[index].table)
    }

    private func changeTable(_ name: String) {
        let kind = Int.random(in: 0..<7, using: &random)
        let number = Int.random(in: 1...12, using: &random)
        tables.change(name) { table in
            switch kind {
            case 0: table.count = 0
            case 1, 2: table.count += number
            case 3: table.count -= min(number, table.count)
            case 4: table.counts.toggle()
            case 5: table.links.toggle()
            default: table.hidesEvery = number % 4
            }
        }
        if let table = tables.table(name, version: tables.version(of: name)) { note("\(name) \(table)") }
    }
}
