import EventLoops
import Synchronization
import Testing

@Suite struct LoopTimerTests {
    /// Runs the closure on the loop and waits for what it answers through its argument.
    private func onLoop<Answer: Sendable>(
        _ body: @escaping @Sendable (EventLoop, @escaping @Sendable (Answer) -> Void) -> Void
    ) async throws -> Answer {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        let answer = await withCheckedContinuation { continuation in
            loop.execute { body(loop) { continuation.resume(returning: $0) } }
        }
        await group.shutdown()
        return answer
    }

    @Test("Timers fire in the order of their times, not of their start")
    func order() async throws {
        let (order, times): ([Int], [Int: Int]) = try await onLoop { loop, answer in
            let fired = Fired()
            var times: [Int: Int] = [:]
            for delay in [30, 10, 20, 0] {
                fired.timers.append(
                    try? LoopTimer(on: loop) {
                        fired.values.append(delay)
                        if fired.values.count == 4 { answer((fired.values, fired.times)) }
                    })
                fired.timers.last??.start(after: .milliseconds(delay))
                // Not the same moment for all of them where the thread was held up.
                times[delay] = loop.now + delay
            }
            fired.times = times
        }
        let sorted = [30, 10, 20, 0].enumerated().sorted {
            (times[$0.element] ?? 0, $0.offset) < (times[$1.element] ?? 0, $1.offset)
        }
        #expect(order == sorted.map(\.element))
    }

    @Test("A repeating timer goes on until it is stopped; starting anew replaces what was set")
    func repeating() async throws {
        let count: Int = try await onLoop { loop, answer in
            let fired = Fired()
            let timer = try? LoopTimer(on: loop) {
                fired.values.append(0)
                if fired.values.count == 3 {
                    fired.timers[0]?.stop()
                    fired.timers[1]?.start(after: .milliseconds(20))
                }
            }
            let end = try? LoopTimer(on: loop) { answer(fired.values.count) }
            fired.timers = [timer, end]
            timer?.start(after: .seconds(600))
            timer?.start(every: .milliseconds(2))
        }
        #expect(count == 3)
    }

    @Test("A timer never fires early")
    func notEarly() async throws {
        let group = try EventLoopGroup(count: 1)
        for milliseconds in [1, 3, 20] {
            let began = ContinuousClock.now
            try await group.next().sleep(for: .milliseconds(milliseconds))
            // The loop's clock has whole milliseconds, of which the first may have been spent.
            #expect(ContinuousClock.now - began >= .milliseconds(milliseconds - 1))
        }
        await group.shutdown()
    }

    @Test("Off its loop a timer cannot be made")
    func offLoop() async throws {
        let group = try EventLoopGroup(count: 1)
        #expect(throws: EventLoopError.loopEnded) { _ = try LoopTimer(on: group.next()) {} }
        await group.shutdown()
    }

    @Test("A sleep ends when its task is cancelled, before or while it sleeps", arguments: [true, false])
    func cancelledSleep(before: Bool) async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        let task = Task(executorPreference: loop) {
            if before { withUnsafeCurrentTask { $0?.cancel() } }
            try await loop.sleep(for: .seconds(600))
        }
        if !before { task.cancel() }
        await #expect(throws: CancellationError.self) { try await task.value }
        await group.shutdown()
    }

    @Test("Sleeps end when their loop does")
    func endOfLoop() async throws {
        let group = try EventLoopGroup(count: 1)
        let loop = group.next()
        let sleeping = Sleeping()
        let tasks = (0..<10).map { _ in
            Task(executorPreference: loop) {
                sleeping.count.add(1, ordering: .relaxed)
                try await loop.sleep(for: .seconds(600))
            }
        }
        while sleeping.count.load(ordering: .relaxed) < 10 { await Task.yield() }
        await group.shutdown()
        for task in tasks { await #expect(throws: CancellationError.self) { try await task.value } }
    }
}

private final class Sleeping: Sendable {
    let count = Atomic<Int>(0)
}

private final class Fired: @unchecked Sendable {
    var values: [Int] = []
    var times: [Int: Int] = [:]
    var timers: [LoopTimer?] = []
}
