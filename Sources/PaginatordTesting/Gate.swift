import Locks

/// A latch that a test opens: whoever waits at it goes on then, and nobody waits any more.
public final class Gate: Sendable {
    private struct State {
        var isOpen = false
        var waiting: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Lock(State())

    /// A closed gate.
    public init() {}

    /// Whether everybody is let through.
    public var isOpen: Bool { state.withLock { $0.isOpen } }

    /// Lets everybody through, now and later.
    public func open() {
        let waiting = state.withLock { state in
            state.isOpen = true
            let waiting = state.waiting
            state.waiting = []
            return waiting
        }
        waiting.forEach { $0.resume() }
    }

    /// Waits until it is open, whatever becomes of the task.
    public func wait() async {
        await withCheckedContinuation { continuation in
            let isOpen = state.withLock { state in
                if !state.isOpen { state.waiting.append(continuation) }
                return state.isOpen
            }
            if isOpen { continuation.resume() }
        }
    }
}
