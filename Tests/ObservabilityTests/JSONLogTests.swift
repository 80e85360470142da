import Clocks
import Foundation
import Glibc
import Synchronization
import Testing

@testable import Observability

struct JSONLogTests {
    @Test("What matters less than the level is not written", arguments: Level.allCases)
    func level(_ level: Level) {
        let pipe = Pipe()
        let log = JSONLog(descriptor: pipe.writing, level: level, format: .text)
        for sample in EventTests.samples { log.observe(sample.event) }
        log.close(within: .seconds(600))
        let expected = EventTests.samples.map(\.event).filter { $0.level >= level }.map(\.name)
        #expect(pipe.lines().map { $0.split(separator: " ")[2] } == expected.map { $0[...] })
    }

    @Test("A disabled level does not even ask for the time")
    func disabledLevel() {
        let pipe = Pipe()
        let counter = Counter()
        let log = JSONLog(descriptor: pipe.writing, level: .error, format: .json) {
            counter.count.add(1, ordering: .relaxed)
            return Timestamp(milliseconds: 0)
        }
        log.observe(.requestAnswered(EventTests.request))
        log.close(within: .seconds(600))
        #expect(counter.count.load(ordering: .relaxed) == 0)
    }

    @Test("Where no format is chosen, what is no terminal gets JSON")
    func automaticFormat() {
        let pipe = Pipe()
        let log = JSONLog(descriptor: pipe.writing)
        log.observe(.sessionsInMemory)
        log.close(within: .seconds(600))
        #expect(pipe.lines().first?.first == "{")
    }

    @Test("Where no format is chosen, a terminal gets text")
    func terminalFormat() throws {
        var terminal: Int32 = -1
        var other: Int32 = -1
        try #require(openpty(&terminal, &other, nil, nil, nil) == 0)
        defer {
            close(terminal)
            close(other)
        }
        let log = JSONLog(descriptor: other)
        log.observe(.sessionsInMemory)
        log.close(within: .seconds(600))
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = read(terminal, &bytes, bytes.count)
        #expect(String(decoding: bytes.prefix(max(0, count)), as: UTF8.self).contains("Z info    sessions-in-memory"))
    }

    @Test("Lines of many threads arrive whole, all of them, and each thread's in order")
    func manyThreads() async {
        let pipe = Pipe()
        async let reading = onThread { pipe.lines { _ in false } }
        let log = JSONLog(descriptor: pipe.writing, level: .info, format: .text)
        await withTaskGroup { group in
            for thread in 0..<8 {
                group.addTask {
                    for number in 0..<500 {
                        log.observe(.listenerSkipped(address: "\(thread)", reason: "\(number)"))
                    }
                }
            }
        }
        log.close(within: .seconds(60))
        pipe.closeWriting()
        let lines = await reading
        #expect(lines.count == 4000)
        for thread in 0..<8 {
            let own = lines.filter { $0.contains(" address=\(thread) ") }
            #expect(own.map { Int($0.split(separator: "=").last ?? "") } == Array(0..<500))
        }
    }

    @Test("A reader that has gone neither ends the process nor holds up the stop")
    func brokenPipe() {
        let pipe = Pipe()
        pipe.closeReading()
        let log = JSONLog(descriptor: pipe.writing)
        for _ in 0..<100 { log.observe(.sessionsInMemory) }
        let started = ContinuousClock.now
        log.close(within: .seconds(60))
        #expect(ContinuousClock.now - started < .seconds(30))
    }

    @Test("A stuck descriptor holds up nobody; dropped lines are counted and reported once it moves again")
    func stuckDescriptor() async throws {
        let pipe = Pipe()
        let log = JSONLog(descriptor: pipe.writing, format: .text, capacity: 4096)
        let sent = 20_000  // far more than a pipe and the buffer hold
        for _ in 0..<sent { log.observe(.sessionsInMemory) }
        log.close(within: .zero)  // nothing moves, so this must return by its limit

        let lines = await onThread { pipe.lines { written($0) + dropped($0).reduce(0, +) >= sent } }
        #expect(!dropped(lines).isEmpty)
        #expect(written(lines) < sent)
        #expect(written(lines) + dropped(lines).reduce(0, +) == sent)
    }

    @Test("After the log is closed, events are not written")
    func closed() {
        let pipe = Pipe()
        let log = JSONLog(descriptor: pipe.writing)
        log.observe(.serverFault("before"))
        log.close(within: .seconds(600))
        log.observe(.serverFault("after"))
        log.close(within: .seconds(600))
        let lines = pipe.lines()
        #expect(lines.count == 1)
        #expect(lines.first?.contains("before") == true)
    }

    @Test("A group tells each of its observers every event, in order")
    func observers() {
        let pipes = [Pipe(), Pipe()]
        let logs = pipes.map { JSONLog(descriptor: $0.writing, format: .text) }
        let group = Observers(logs)
        for sample in EventTests.samples { group.observe(sample.event) }
        for log in logs { log.close(within: .seconds(600)) }
        for pipe in pipes {
            #expect(pipe.lines().map { $0.split(separator: " ")[2] } == EventTests.samples.map { $0.event.name[...] })
        }
    }
}

/// Blocks a thread of its own.
private func onThread(_ body: @escaping @Sendable () -> [String]) async -> [String] {
    await withCheckedContinuation { continuation in
        Thread.detachNewThread { continuation.resume(returning: body()) }
    }
}

private func written(_ lines: [String]) -> Int {
    lines.count { $0.contains("sessions-in-memory") }
}

/// The counts that lines about dropped lines report.
private func dropped(_ lines: [String]) -> [Int] {
    lines.filter { $0.contains("log-lines-dropped") }.compactMap { Int($0.split(separator: "=").last ?? "") }
}

private final class Counter: Sendable {
    let count = Atomic(0)
}

/// A pipe whose writing end stands for standard error.
private final class Pipe: Sendable {
    let reading: Int32
    let writing: Int32
    private let closed = Mutex((reading: false, writing: false))

    init() {
        var ends: [Int32] = [-1, -1]
        precondition(Glibc.pipe(&ends) == 0)
        reading = ends[0]
        writing = ends[1]
    }

    deinit {
        closeReading()
        closeWriting()
    }

    func closeReading() {
        closed.withLock { closed in
            if !closed.reading { close(reading) }
            closed.reading = true
        }
    }

    func closeWriting() {
        closed.withLock { closed in
            if !closed.writing { close(writing) }
            closed.writing = true
        }
    }

    /// Closes the writing end here and reads what is left.
    func lines() -> [String] {
        closeWriting()
        return lines { _ in false }
    }

    /// Reads until the writing end is closed, or until the lines are all that was waited for.
    func lines(until isDone: ([String]) -> Bool) -> [String] {
        var bytes: [UInt8] = []
        var chunk = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(reading, &chunk, chunk.count)
            bytes += chunk.prefix(max(0, count))
            let lines = String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
            if count <= 0 || bytes.last == 0x0A && isDone(lines) { return lines }
        }
    }
}
