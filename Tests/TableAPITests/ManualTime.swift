import Locks
import TableAPI

/// A clock that stands still until a test moves it, or, where `skipsSleep`, moves on by whatever somebody sleeps.
final class ManualTime: Sendable {
    private struct Sleeper {
        var end: Duration
        var continuation: CheckedContinuation<Bool, Never>
    }

    private struct State {
        var now = Duration.seconds(1000)
        var latest = 0
        var sleepers: [Int: Sleeper] = [:]
        var cancelled: Set<Int> = []
        var slept: [Duration] = []
    }

    private let state = Lock(State())
    private let skipsSleep: Bool

    init(skipsSleep: Bool = false) {
        self.skipsSleep = skipsSleep
    }

    var now: Duration { state.withLock { $0.now } }

    /// How many sleep.
    var sleeping: Int { state.withLock { $0.sleepers.count } }

    /// What was slept, in order.
    var slept: [Duration] { state.withLock { $0.slept } }

    func advance(_ duration: Duration) {
        let due = state.withLock { state in
            state.now += duration
            let due = state.sleepers.filter { $0.value.end <= state.now }
            for key in due.keys { state.sleepers[key] = nil }
            return due.values.map(\.continuation)
        }
        due.forEach { $0.resume(returning: true) }
    }

    var clock: RequestClock {
        RequestClock(uptime: { self.now }) { duration throws(CancellationError) in try await self.sleep(duration) }
    }

    private func sleep(_ duration: Duration) async throws(CancellationError) {
        let number = state.withLock { state in
            state.slept.append(duration)
            state.latest += 1
            return state.latest
        }
        if skipsSleep { return advance(duration) }
        let slept = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let result: Bool? = state.withLock { state in
                    if state.cancelled.contains(number) { return false }
                    if duration <= .zero { return true }
                    state.sleepers[number] = Sleeper(end: state.now + duration, continuation: continuation)
                    return nil
                }
                if let result { continuation.resume(returning: result) }
            }
        } onCancel: {
            let continuation = state.withLock { state in
                state.cancelled.insert(number)
                return state.sleepers.removeValue(forKey: number)?.continuation
            }
            continuation?.resume(returning: false)
        }
        guard slept else { throw CancellationError() }
    }
}
