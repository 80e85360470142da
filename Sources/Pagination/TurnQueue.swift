import Locks

/// Who may move a paginator: one at a time, first come, first served.
///
/// A caller whose task is cancelled while it waits leaves the queue at once, so that nobody waits for it.
package final class TurnQueue: Sendable {
    /// How waiting for a turn ended.
    package enum Outcome: Sendable {
        /// The caller has the turn and has to `pass` it on.
        case taken
        /// Too many wait already.
        case full
        /// There will be no turn any more.
        case dismissed
        /// The caller's task was cancelled first.
        case cancelled
    }

    private struct Waiter {
        var ticket: Int
        var continuation: CheckedContinuation<Outcome, Never>
    }

    private struct State {
        var isTaken = false
        var latestTicket = 0
        var waiting: [Waiter] = []
    }

    private let state = Lock(State())

    /// Makes a queue in which nobody has the turn.
    package init() {}

    /// How many wait for their turn.
    package var waitingCount: Int {
        state.withLock { $0.waiting.count }
    }

    /// Takes the turn if it is free.
    package func take() -> Bool {
        state.withLock { state in
            guard !state.isTaken else { return false }
            state.isTaken = true
            return true
        }
    }

    /// Takes the turn, waiting for it behind the others if there are fewer than `limit`.
    package func wait(behind limit: Int = .max) async -> Outcome {
        let ticket = state.withLock { state in
            state.latestTicket += 1
            return state.latestTicket
        }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let outcome: Outcome? = state.withLock { state in
                    // Looked at under the lock that `leave` takes too, so a cancellation is seen here or there.
                    if Task.isCancelled { return .cancelled }
                    if !state.isTaken {
                        state.isTaken = true
                        return .taken
                    }
                    guard state.waiting.count < limit else { return .full }
                    state.waiting.append(Waiter(ticket: ticket, continuation: continuation))
                    return nil
                }
                if let outcome { continuation.resume(returning: outcome) }
            }
        } onCancel: {
            leave(ticket)
        }
    }

    /// Gives the turn to whoever waits longest, or frees it.
    package func pass() {
        let following: Waiter? = state.withLock { state in
            guard !state.waiting.isEmpty else {
                state.isTaken = false
                return nil
            }
            return state.waiting.removeFirst()
        }
        following?.continuation.resume(returning: .taken)
    }

    /// Sends everybody who waits away; whoever has the turn keeps it.
    package func dismissWaiting() {
        let dismissed = state.withLock { state in
            let waiting = state.waiting
            state.waiting = []
            return waiting
        }
        dismissed.forEach { $0.continuation.resume(returning: .dismissed) }
    }

    private func leave(_ ticket: Int) {
        let leaving: Waiter? = state.withLock { state in
            guard let index = state.waiting.firstIndex(where: { $0.ticket == ticket }) else { return nil }
            return state.waiting.remove(at: index)
        }
        leaving?.continuation.resume(returning: .cancelled)
    }
}
