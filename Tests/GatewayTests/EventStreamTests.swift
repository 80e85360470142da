import HTTPModel
import Locks
import Observability
import Pagination
import PaginatordTesting
import Sessions
import SimdJSON
import TableAPI
import Testing

@testable import Gateway

/// The publisher as server-sent events.
@Suite(.timeLimit(.minutes(10)))
struct EventStreamTests {
    @Test("Every kind of event, in order, with the bytes of the moves' own answers")
    func events() async throws {
        let service = try Service(rows: 45)
        let path = try await service.open(#"{"table":"incident","publisherShouldFinish":true}"#)
        let stream = try await service.listen(path)
        let first = try await service.post(path + "/next")
        service.transport.answer(503, "no")
        let failed = try await service.post(path + "/next")
        service.transport.answer(rows: 45)
        let reset = try await service.post(path + "/reset")
        let last = try await service.post(path + "/last")
        try await stream.end()
        let events = try stream.events
        #expect(events.map(\.name) == [nil, "page", "error", "reset", "page", "finished"])
        #expect(events.map(\.id) == [nil, "1", nil, "2", "3", nil])
        #expect(events[0].retry == "2000")
        #expect(events[1].data == first.text && events[2].data == failed.text)
        #expect(events[3].data == reset.text && events[4].data == last.text)
        let session = try await service.get(path)
        #expect(try events[5].json == session.json)
        // The end is one of the publisher's own, and no cut.
        #expect(stream.failure == nil)
    }

    @Test(
        "A page event is one line of the same JSON, however the instance breaks its lines",
        arguments: ["\n", "\r\n", "\r"])
    func lineBreaks(breaking: String) async throws {
        let service = try Service()
        let path = try await service.open()
        let stream = try await service.listen(path)
        let text = ##"{"result":[{"a":"x\n\r\##u{2028}y"},{"b" : [1,2]}]}"##
            .replacing(",", with: ",\(breaking) \(breaking)")
        service.transport.answer(200, text, headers: ["X-Total-Count": "2"])
        let answer = try await service.post(path + "/next")
        #expect(answer.text.contains(breaking))
        try await stream.hear(2)
        #expect(try stream.events[1].json == answer.json)
    }

    @Test(
        "Where a subscriber comes back, the latest event comes first if it has not got it",
        arguments: [
            (nil, nil, []), (nil, "3", []), (nil, "2", ["3"]), (nil, "0", ["3"]), ("2", nil, ["3"]), ("3", nil, []),
            ("2", "3", []), ("3", "1", ["3"]), (nil, "", []), ("1", "", ["3"]),
        ] as [(String?, String?, [String])])
    func latest(after: String?, header: String?, ids: [String]) async throws {
        let service = try Service(rows: 100)
        let path = try await service.open()
        for _ in 0..<3 { _ = try await service.post(path + "/next") }
        let stream = try await service.listen(path, after: after, lastEventID: header.map { [$0] } ?? [])
        _ = try await service.post(path + "/next")
        try await stream.hear(2 + ids.count)
        #expect(try stream.events.compactMap(\.id) == ids + ["4"])
    }

    @Test(
        "What no subscriber can have got is refused plainly",
        arguments: [
            (nil, ["4"], 412), (nil, ["-1"], 412), (nil, ["x"], 412), (nil, ["99999999999999999999"], 412),
            ("4", [], 412), ("99999999999999999999", [], 412), (nil, ["1", "2"], 412), ("x", [], 422), ("-1", [], 422),
            ("", [], 422), ("x", ["1"], 422), ("1&after=1", [], 422), ("1&x=1", [], 422),
        ] as [(String?, [String], Int)])
    func refused(after: String?, header: [String], status: Int) async throws {
        let service = try Service(rows: 100)
        let path = try await service.open()
        for _ in 0..<3 { _ = try await service.post(path + "/next") }
        let answer = try await Answer(service.subscribe(path, after: after, lastEventID: header))
        #expect(answer.status == status)
        if status == 412 { #expect(try answer["position"] == .integer(3)) }
    }

    @Test(
        "There is nothing to hear of a session that is not there",
        arguments: ["nonsense", String(repeating: "a", count: 32)])
    func unknown(id: String) async throws {
        let service = try Service()
        #expect(try await Answer(service.subscribe("/sessions/\(id)")).problem == "session-not-found")
        let path = try await service.open()
        _ = try await service.send("DELETE", path)
        #expect(try await Answer(service.subscribe(path)).problem == "session-expired")
    }

    @Test(
        "A finished session tells its end to those who do not know it, and 204 to all others",
        arguments: [(nil, nil), ("1", nil), ("0", ["page", "finished"])] as [(String?, [String]?)])
    func finished(id: String?, names: [String]?) async throws {
        let service = try Service(rows: 5)
        let path = try await service.open(#"{"table":"incident","publisherShouldFinish":true}"#)
        _ = try await service.post(path + "/next")
        let response = try await service.subscribe(path, lastEventID: id.map { [$0] } ?? [])
        guard let names else {
            #expect(response.status == 204)
            return
        }
        let stream = Stream(response)
        try await stream.end()
        #expect(try stream.events.dropFirst().map(\.name) == names && stream.failure == nil)
    }

    @Test("A page whose rows were dropped is skipped: a subscriber causes no fetch", arguments: [true, false])
    func dropped(isFinished: Bool) async throws {
        let service = try Service(rows: 40, store: MemorySessionStore(maxPageBytes: 10))
        let path = try await service.open("{\"table\":\"incident\",\"publisherShouldFinish\":\(isFinished)}")
        _ = try await service.post(path + "/last")
        let requests = service.transport.urls.count
        let stream = try await service.listen(path, lastEventID: ["0"])
        try await stream.hear(isFinished ? 2 : 1)
        #expect(try stream.events.compactMap(\.name) == (isFinished ? ["finished"] : []))
        #expect(service.transport.urls.count == requests)
    }

    @Test("After a reset the latest event is the reset")
    func reset() async throws {
        let service = try Service()
        let path = try await service.open()
        _ = try await service.post(path + "/next")
        let answer = try await service.post(path + "/reset")
        let stream = try await service.listen(path, lastEventID: ["1"])
        try await stream.hear(2)
        #expect(try stream.events[1].name == "reset" && stream.events[1].data == answer.text)
    }

    @Test("A session's end is told, whether it is deleted or lost by its store", arguments: [true, false])
    func closed(byRequest: Bool) async throws {
        let store = MemorySessionStore()
        let service = try Service(store: store)
        let path = try await service.open()
        let stream = try await service.listen(path)
        if byRequest {
            _ = try await service.send("DELETE", path)
        } else {
            store.delete(try #require(SessionID(String(path.suffix(32)))), now: service.time.now)
        }
        try await stream.end()
        let event = try #require(try stream.events.last)
        #expect(event.name == "error" && event.id == nil && stream.failure == nil)
        guard case .object(let problem) = try event.json else { return }
        #expect(problem["type"] == .string("/problems/session-expired") && problem["status"] == .integer(410))
    }

    @Test("For as long as a stream is open its session does not expire, and it does afterwards")
    func use() async throws {
        let service = try Service()
        let path = try await service.open(#"{"table":"incident","idleTimeout":60}"#)
        let stream = try await service.listen(path)
        for _ in 0..<3 {
            service.time.advance(milliseconds: 61_000)
            await service.registry.sweep()
        }
        _ = try await service.post(path + "/next")
        try await stream.hear(2)
        stream.cancel()
        try await stream.end()
        #expect(stream.failure == nil)
        service.time.advance(milliseconds: 61_000)
        await service.registry.sweep()
        #expect(try await service.get(path).problem == "session-expired")
    }

    @Test("A comment comes every 15 seconds")
    func heartbeats() async throws {
        let beats = Beats()
        let service = try Service(sleep: beats.sleep)
        let stream = try await service.listen(try await service.open())
        for count in 1...3 {
            try await eventually("it waits") { beats.waiting == [.seconds(15)] }
            beats.beat()
            try await eventually("comment \(count)") { stream.text.split(separator: "\n\n").count == 1 + count }
        }
        #expect(stream.text == "retry: 2000\n\n" + String(repeating: ":\n\n", count: 3))
    }

    @Test(
        "A subscriber who does not read is cut alone, told why if there is room, and takes no more than its limit",
        arguments: [false, true])
    func slow(readsAtLast: Bool) async throws {
        let beats = Beats()
        let service = try Service(rows: 100_000, sleep: beats.sleep)
        let path = try await service.open(#"{"table":"incident","itemsPerPage":10000,"readAhead":0}"#)
        let slow = try await service.listen(path, reads: false)
        let other = try await service.listen(path)
        var moves = 0
        while !slow.isParting {
            _ = try await service.post(path + "/first")
            moves += 1
            try await other.hear(1 + moves)
            try #require(moves < 100)
        }
        #expect(slow.bytes <= EventStream.limit && slow.bytes > EventStream.limit / 2)
        let last = try #require(try slow.events.last)
        #expect(last.name == "error" && last.data.contains("/problems/position-stale"))
        try await eventually("it waits") { beats.waiting.contains(.milliseconds(100)) }
        if readsAtLast { slow.forget() }
        for look in 1...(readsAtLast ? 1 : 50) {
            try await eventually("look \(look)") { beats.waiting.contains(.milliseconds(100)) }
            beats.beat(.milliseconds(100))
        }
        try await slow.end()
        #expect(readsAtLast ? slow.failure == nil : slow.failure is BodyWriterError)
        _ = try await service.post(path + "/first")
        try await other.hear(2 + moves)
        #expect(other.failure == nil)
    }

    @Test("HEAD tells what GET would, and opens nothing")
    func head() async throws {
        let service = try Service()
        let path = try await service.open()
        let answer = try await service.send("HEAD", path + "/events")
        #expect(answer.status == 200 && answer.body.isEmpty && answer.headers["Content-Type"] == "text/event-stream")
        guard case .requestAnswered(let answered)? = service.events.all.last else {
            Issue.record("it is not logged")
            return
        }
        #expect(answered.method == "HEAD" && answered.bytes == 0)
        #expect(try await service.send("POST", path + "/events").status == 405)
    }

    @Test(
        "Where the session cannot be had any more when the stream begins, the stream says why",
        arguments: [("ann", "session-expired"), ("bob", "session-not-found")])
    func lost(owner: String, problem: String) async throws {
        let clock = ManualClock()
        let registry = SessionRegistry(
            store: MemorySessionStore(), configuration: SessionConfiguration(), clock: clock.clock
        ) { _ in ScriptedSource(SampleSet(count: 1)) }
        let definition = SessionDefinition(instance: "default", table: "incident", itemsPerPage: 20, idleTimeout: 60)
        let record = try await registry.open(definition, publisherShouldFinish: false, owner: "ann")
        let session = try await registry.session(record.id, for: "ann")
        let events = try await session.events(for: "ann").events
        try await registry.close(record.id, for: "ann")
        let stream = EventStream(
            session: session, owner: owner, record: record, events: events, latest: nil, language: .english,
            frames: EventFrames(), sleep: { try await Task.sleep(for: $0) })
        let received = Received()
        try await stream.run(to: received)
        #expect(received.text.hasPrefix("event: error\ndata: ") && received.text.contains("/problems/\(problem)\""))
    }

    @Test("A stream is logged at its end, with its bytes")
    func log() async throws {
        let service = try Service()
        let path = try await service.open()
        let before = service.events.all.count
        let stream = try await service.listen(path)
        #expect(service.events.all.count == before)
        stream.cancel()
        try await stream.end()
        let last = try #require(service.events.all.last)
        guard case .requestAnswered(let answered) = last else {
            Issue.record("it is not logged")
            return
        }
        #expect(answered.route == "/sessions/{id}/events" && answered.bytes == stream.bytes && answered.bytes > 0)
    }
}

/// One event of a stream, by the rules of the HTML Standard.
private struct Heard {
    var name: String?
    var id: String?
    var retry: String?
    var data = ""

    var json: JSONValue {
        get throws { .object(try JSONObject(Array(data.utf8), maxValues: .max).members) }
    }
}

/// A subscriber, who reads or does not.
private final class Stream: BodyWriter {
    private struct State {
        var bytes: [UInt8] = []
        /// How much had been taken when something was refused.
        var bytesAtRefusal: Int?
        var isOver = false
        var failure: (any Error)?
    }

    private let state = Lock(State())
    private let reads: Bool
    private let task = Lock<Task<Void, Never>?>(nil)

    init(_ response: Response, reads: Bool = true) {
        self.reads = reads
        guard case .stream(let produce) = response.body else { return }
        let task = Task { [self] in
            do {
                try await produce(self)
            } catch {
                state.withLock { $0.failure = error }
            }
            state.withLock { $0.isOver = true }
        }
        self.task.withLock { $0 = task }
    }

    var bytes: Int { state.withLock(\.bytes.count) }
    var text: String { String(decoding: state.withLock(\.bytes), as: UTF8.self) }
    var failure: (any Error)? { state.withLock(\.failure) }
    /// Whether it was refused something, and the reason came behind it.
    var isParting: Bool {
        state.withLock { state in
            state.bytesAtRefusal.map { state.bytes.count > $0 && state.bytes.suffix(2) == [0x0A, 0x0A] } ?? false
        }
    }

    var events: [Heard] {
        get throws {
            try text.split(separator: "\n\n").filter { !$0.hasPrefix(":") }.map { block in
                var event = Heard()
                for line in block.split(separator: "\n") {
                    let parts = line.split(separator: ":", maxSplits: 1)
                    try #require(parts.count == 2 && parts[1].hasPrefix(" "))
                    let value = String(parts[1].dropFirst())
                    switch parts[0] {
                    case "event": event.name = value
                    case "id": event.id = value
                    case "retry": event.retry = value
                    case "data": event.data += value
                    default: Issue.record("unknown field \(parts[0])")
                    }
                }
                return event
            }
        }
    }

    func write(_ piece: ArraySlice<UInt8>) async throws(BodyWriterError) {
        state.withLock { $0.bytes += piece }
    }

    /// All that waited is read at last.
    func forget() {
        state.withLock { $0.bytes = [] }
    }

    func offer(_ pieces: [ArraySlice<UInt8>], limit: Int) async throws(BodyWriterError) -> Bool {
        state.withLock { state in
            let waiting = reads ? 0 : state.bytes.count
            guard waiting == 0 || waiting + pieces.reduce(0, { $0 + $1.count }) <= limit else {
                if state.bytesAtRefusal == nil { state.bytesAtRefusal = state.bytes.count }
                return false
            }
            for piece in pieces { state.bytes += piece }
            return true
        }
    }

    func cancel() {
        task.withLock(\.self)?.cancel()
    }

    /// Waits until that many events are there.
    func hear(_ count: Int) async throws {
        try await eventually("\(count) events") { try events.count >= count }
        #expect(try events.count == count)
    }

    /// Waits for the stream's end.
    func end() async throws {
        try await eventually("the end") { state.withLock(\.isOver) }
    }
}

/// A clock whose sleepers wake when a test says so.
private final class Beats: Sendable {
    private let sleepers = Lock<[(duration: Duration, gate: Gate)]>([])

    var waiting: [Duration] { sleepers.withLock { $0.map(\.duration) } }

    var sleep: @Sendable (Duration) async throws -> Void {
        { duration in
            let gate = Gate()
            self.sleepers.withLock { $0.append((duration, gate)) }
            await withTaskCancellationHandler {
                await gate.wait()
            } onCancel: {
                gate.open()
            }
            try Task.checkCancellation()
        }
    }

    func beat(_ duration: Duration = .seconds(15)) {
        let woken = sleepers.withLock { sleepers in
            let woken = sleepers.filter { $0.duration == duration }
            sleepers.removeAll { $0.duration == duration }
            return woken
        }
        for sleeper in woken { sleeper.gate.open() }
    }
}

extension Service {
    /// Asks for the events of a session.
    fileprivate func subscribe(
        _ path: String, after: String? = nil, lastEventID: [String] = []
    ) async throws -> Response {
        let headers = HeaderFields([.init("Host", "localhost:8080")] + lastEventID.map { .init("Last-Event-ID", $0) })
        let head = RequestHead(
            method: "GET", target: path + "/events" + (after.map { "?after=\($0)" } ?? ""), minorVersion: 1,
            headers: headers, connection: .tcp)
        return await gateway.respond(to: Request(head, body: []))
    }

    /// Subscribes, and waits until the stream has begun.
    fileprivate func listen(
        _ path: String, after: String? = nil, lastEventID: [String] = [], reads: Bool = true
    ) async throws -> Stream {
        let response = try await subscribe(path, after: after, lastEventID: lastEventID)
        #expect(response.status == 200 && response.headers["Content-Type"] == "text/event-stream")
        #expect(response.headers["Cache-Control"] == "private, no-store")
        let stream = Stream(response, reads: reads)
        try await eventually("it begins") { stream.bytes > 0 }
        return stream
    }
}
