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
    private struct Client {
        var heard: [Int]
        var lost: Call?
    }

    /// A call under way.
    private struct Running {
        var client: Int
        var call: Call
        var task: Task<Answer, any Error>
        var hasEnded: Flag
    }

    private final class Flag: Sendable {
        private let value = Mutex(false)
        var isSet: Bool { value.withLock { $0 } }
        func set() { value.withLock { $0 = true } }
    }

    let tables = ChangingTables()
    let service: Service
    private let memory: Memory
    private var random: SeededGenerator
    private let log: WatchedSource.Log
    private var judge: Judge
    private var clients: [Client]
    private var opened = 0
    private var latestCall = 0
    /// What was done, for whoever has to find out why a client heard something else.
    private(set) var steps = ["0:"]

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

    /// Makes so many steps, while pages are read ahead.
    ///
    /// - Throws: `Judge.Difference`.
    func run(_ count: Int) async throws {
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
            for number in 1...count {
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
        let depth = ["0", "\"auto\"", "3"].randomElement(using: &random) ?? "0"
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
        running.task.cancel()
        gate.open()
        tables.hold(behind: nil)
        try judge.judge(call, try await running.task.value, isAlone: true)
        clients[client].lost = call.start == nil ? nil : call
    }

    /// Several calls on one session at once, while the instance does not answer.
    private func moveTogether() async throws {
        let index = Int.random(in: 0..<2, using: &random)
        guard !judge.subjects[index].isGone, let id = SessionID(judge.subjects[index].id) else { return }
        note("together")
        let turns = try await service.registry.session(id, for: "").turns
        let gate = Gate()
        tables.hold(behind: gate)
        defer {
            gate.open()
            tables.hold(behind: nil)
        }
        // The one that moves, and those behind it.
        var moving: [Running] = []
        // Those that fetch their page again meanwhile.
        var repeating: [(running: Running, subject: Judge.Subject)] = []
        var call = randomCall(of: 0, on: index)
        for client in 0..<Int.random(in: 2...4, using: &random) {
            // The same call again, or another one.
            if client > 0, chance(50) {
                call = randomCall(of: client, on: index)
            } else {
                latestCall += 1
                call.number = latestCall
            }
            let (begun, waiting) = (log.begun, turns.waitingCount)
            let running = start(client, call)
            try await eventually("call \(client) is under way") { [log] in
                running.hasEnded.isSet || log.begun > begun || turns.waitingCount > waiting
            }
            let isRepeat = judge.subjects[index].model.isRepeat(call.move, from: call.start)
            if !running.hasEnded.isSet {
                if isRepeat {
                    repeating.append((running, judge.subjects[index]))
                } else {
                    if !moving.isEmpty, !call.waits { throw Judge.Difference(text: "\(call.text) waits") }
                    moving.append(running)
                }
                continue
            }
            let answer = try await running.task.value
            if !moving.isEmpty, !isRepeat {
                if call.waits { throw Judge.Difference(text: "answered before its turn: \(answer.text)") }
                try judge.judgeBusy(answer)
            } else {
                try judge.judge(call, answer, isAlone: false)
            }
            hear(client, call, answer)
        }
        if chance(30) { try await look(at: index, isBusy: !moving.isEmpty) }
        if chance(20) { try await change(index, isBusy: !moving.isEmpty) }
        if chance(20) { changeTable(index) }
        if chance(20), moving.count > 1 {
            let gone = moving.remove(at: Int.random(in: 1..<moving.count, using: &random))
            note("client \(gone.client) gives up")
            gone.task.cancel()
            try judge.judgeBusy(try await gone.task.value)
        }
        if chance(20), let gone = moving.first {
            note("client \(gone.client) hangs up")
            gone.task.cancel()
            clients[gone.client].lost = gone.call
        }
        if chance(5) {
            try await delete(index)
            // Who waits is told at once.
            for running in moving.dropFirst() {
                try judge.judge(running.call, try await running.task.value, isAlone: false)
            }
            moving = Array(moving.prefix(1))
        }
        gate.open()
        tables.hold(behind: nil)
        for (running, subject) in repeating {
            let answer = try await running.task.value
            try judge.judge(
                running.call, answer, isAlone: false, repeating: judge.subjects[index].isGone ? nil : subject)
            hear(running.client, running.call, answer)
        }
        for running in moving {
            let answer = try await running.task.value
            try judge.judge(running.call, answer, isAlone: false)
            hear(running.client, running.call, answer)
        }
        if judge.subjects[index].isGone { judge.delete(index) }
    }

    private func look(at index: Int, isBusy: Bool) async throws {
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

    private func change(_ index: Int, isBusy: Bool) async throws {
        let value = chance(50)
        note("PATCH \(index) \(value)")
        let answer = try await service.send(
            "PATCH", judge.subjects[index].path, body: "{\"publisherShouldFinish\":\(value)}")
        judge.setFinishes(index, value)
        try judge.judgeSession(index, answer, isBusy: isBusy)
    }

    private func delete(_ index: Int) async throws {
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

    private func changeTable(_ index: Int) {
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

    // MARK: Clients

    private func randomCall(of client: Int, on subject: Int? = nil) -> Call {
        latestCall += 1
        var call = anyCall(of: client, on: subject)
        call.number = latestCall
        return call
    }

    private func anyCall(of client: Int, on subject: Int?) -> Call {
        if let lost = clients[client].lost, subject == nil || lost.subject == subject, chance(85) {
            clients[client].lost = nil
            return lost
        }
        let subject = subject ?? Int.random(in: 0..<2, using: &random)
        let model = judge.subjects[subject].model
        let moves: [SessionModel.Move] = [.next, .next, .next, .next, .next, .previous, .first, .last, .reset]
        var call = Call(subject: subject, move: moves.randomElement(using: &random) ?? .next)
        var start: Int?
        switch Int.random(in: 0..<100, using: &random) {
        case ..<45: start = model.position
        case ..<62: start = clients[client].heard[subject]
        case ..<74:
            // What somebody has done already.
            start = model.position - 1
            if chance(80), let move = model.reachedBy { call.move = move }
            if model.position == 0 { start = nil }
        case ..<82: start = Int.random(in: 0...model.position + 3, using: &random)
        default: start = nil
        }
        let carrier = Int.random(in: 0..<4, using: &random)
        if carrier != 0 { call.after = start }
        if carrier <= 1 { call.tag = start }
        call.waits = chance(85)
        if call.move != .reset, chance(30) { call.method = "GET" }
        return call
    }

    /// What a client makes of an answer, if it reaches it.
    private func hear(_ client: Int, _ call: Call, _ answer: Answer) {
        if chance(20) {
            note("lost")
            clients[client].lost = call.start == nil ? nil : call
        } else if let value = try? answer["position"], case .integer(let position) = value {
            clients[client].heard[call.subject] = position
        }
    }

    private func start(_ client: Int, _ call: Call) -> Running {
        let send = request(call)
        let flag = Flag()
        let task = Task {
            defer { flag.set() }
            return try await send()
        }
        return Running(client: client, call: call, task: task, hasEnded: flag)
    }

    private func request(_ call: Call) -> @Sendable () async throws -> Answer {
        note(call.text)
        var headers: HeaderFields = ["Host": "localhost:8080"]
        if let tag = call.tag { headers.append("If-Match", "\"\(tag)\"") }
        if !call.waits { headers.append("Prefer", "wait=0") }
        let target =
            "\(judge.subjects[call.subject].path)/\(call.move.rawValue)" + (call.after.map { "?after=\($0)" } ?? "")
        return { [service, headers] in
            try await WatchedSource.$call.withValue(call.number) {
                try await service.send(call.method, target, headers: headers)
            }
        }
    }

    private func chance(_ percent: Int) -> Bool {
        Int.random(in: 0..<100, using: &random) < percent
    }

    private func note(_ text: String) {
        steps[steps.count - 1] += " \(text)."
    }
}
