import Glibc
import Synchronization
import Testing

@testable import EventLoops

@Suite struct EventLoopTests {
    @Test("A task that prefers a loop runs on that loop's thread, also after a call to an actor")
    func preference() async throws {
        let group = try EventLoopGroup(count: 2)
        let counter = Counter()
        for loop in group.loops {
            let places = await Task(executorPreference: loop) {
                let before = loop.isCurrent
                await counter.add()
                return [before, loop.isCurrent, EventLoop.current === loop]
            }.value
            #expect(places == [true, true, true])
        }
        #expect(EventLoop.current == nil)
        await group.shutdown()
    }

    @Test("Closures from many threads all run, on the loop, in each sender's order")
    func execute() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        let seen = Log()
        await withTaskGroup { tasks in
            for sender in 0..<8 {
                tasks.addTask { for number in 0..<500 { loop.execute { seen.add(loop.isCurrent, sender, number) } } }
            }
        }
        await Task(executorPreference: loop) {}.value
        let entries = seen.entries
        #expect(entries.count == 4000)
        #expect(entries.allSatisfy { $0.isCurrent })
        for sender in 0..<8 { #expect(entries.filter { $0.sender == sender }.map(\.number) == Array(0..<500)) }
        await group.shutdown()
    }

    /// Does something as its last act.
    private final class Parting: Sendable {
        let act: @Sendable () -> Void

        init(_ act: @escaping @Sendable () -> Void) {
            self.act = act
        }

        deinit {
            act()
        }
    }

    @Test(
        "What goes with the closure that held it may use the loop as its last act", arguments: ["closure", "settler"])
    func lastAct(holder: String) async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        let seen = Log()
        for number in 0..<100 {
            await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
                // On the loop, so that no other thread has the object as long as the closure.
                loop.execute {
                    let object = Parting {
                        loop.removeSettler(loop.addSettler { true })
                        loop.execute {
                            seen.add(loop.isCurrent, 0, number)
                            done.resume()
                        }
                    }
                    loop.execute { [object = consume object] in
                        guard holder == "settler" else { return _ = object.act }
                        let id = loop.addSettler { [object] in
                            _ = object.act
                            return true
                        }
                        loop.execute { loop.removeSettler(id) }
                    }
                }
            }
        }
        #expect(seen.entries.map(\.number) == Array(0..<100) && seen.entries.allSatisfy(\.isCurrent))
        await group.shutdown()
    }

    @Test("Draining runs what is queued and what that queues, and returns though a job queues itself for ever")
    func drain() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        let runs = await withCheckedContinuation { continuation in
            loop.execute {
                let runs = Runs()
                let forever = Forever(loop, runs)
                // From a settler, because a drain within a drain does nothing.
                nonisolated(unsafe) var id: SettlerID?
                id = loop.addSettler {
                    if let settler = id { loop.removeSettler(settler) }
                    id = nil
                    forever.go()
                    loop.drain()
                    continuation.resume(returning: runs.count)
                    forever.stop()
                    return true
                }
            }
        }
        #expect(runs > 1)
        await group.shutdown()
    }

    @Test("A settler that never settles keeps the loop turning without starving timers and closures")
    func unsettled() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        let calls = Atomic<Int>(0)
        await withCheckedContinuation { continuation in
            loop.execute {
                _ = loop.addSettler {
                    calls.add(1, ordering: .relaxed)
                    return false
                }
                continuation.resume()
            }
        }
        try await loop.sleep(for: .milliseconds(5))
        let before = calls.load(ordering: .relaxed)
        try await loop.sleep(for: .milliseconds(5))
        #expect(calls.load(ordering: .relaxed) > before)
        await group.shutdown()
    }

    @Test(
        "A settler is called again before the loop waits when another one gives it something to do behind its turn",
        .timeLimit(.minutes(10)), arguments: [false, true])
    func unsettle(isNew: Bool) async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        await withCheckedContinuation { continuation in
            loop.execute {
                nonisolated(unsafe) var isDue = false
                nonisolated(unsafe) var hasGiven = false
                let worker = {
                    guard isDue else { return true }
                    isDue = false
                    continuation.resume()
                    return true
                }
                if !isNew { _ = loop.addSettler(worker) }
                _ = loop.addSettler {
                    guard !hasGiven else { return true }
                    (hasGiven, isDue) = (true, true)
                    if isNew { _ = loop.addSettler(worker) } else { loop.unsettle() }
                    return true
                }
            }
        }
        await group.shutdown()
    }

    @Test("After the loop has ended closures are refused and tasks go on without it")
    func afterTheEnd() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        await group.shutdown()
        #expect(!loop.execute {})
        let answer = await Task(executorPreference: loop) { loop.isCurrent }.value
        #expect(!answer)
        await #expect(throws: CancellationError.self) { try await loop.sleep(for: .seconds(60)) }
    }

    @Test("A task on a loop can end the loops, its own among them")
    func shutdownFromWithin() async throws {
        let group = try EventLoopGroup(count: 2)
        await Task(executorPreference: group.next()) { await group.shutdown() }.value
        await group.shutdown()
        #expect(!group.loops.contains { $0.execute {} })
    }

    @Test("Ending the loops frees them and their descriptors")
    func nothingLeaks() async throws {
        weak var ended: EventLoop?
        do {
            let group = try EventLoopGroup(count: 3)
            ended = group.next()
            await group.shutdown()
        }
        // The thread's own reference goes a moment after the thread was joined at the latest.
        #expect(ended == nil)
    }
}

private actor Counter {
    private var count = 0
    func add() { count += 1 }
}

private final class Log: Sendable {
    private let log = Mutex<[(isCurrent: Bool, sender: Int, number: Int)]>([])
    var entries: [(isCurrent: Bool, sender: Int, number: Int)] { log.withLock { $0 } }
    func add(_ isCurrent: Bool, _ sender: Int, _ number: Int) {
        log.withLock { $0.append((isCurrent, sender, number)) }
    }
}

private final class Runs: @unchecked Sendable {
    var count = 0
}

private final class Forever: @unchecked Sendable {
    private let loop: EventLoop
    private let runs: Runs
    private var isStopped = false

    init(_ loop: EventLoop, _ runs: Runs) {
        self.loop = loop
        self.runs = runs
    }

    func go() {
        guard !isStopped else { return }
        runs.count += 1
        loop.execute { self.go() }
    }

    func stop() { isStopped = true }
}
