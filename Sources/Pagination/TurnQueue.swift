/// Who may move a paginator: one at a time, first come, first served.
///
/// A value that its actor mutates; the actor owns the waiting, this owns the order.
package struct TurnQueue: Sendable {
    /// Whether somebody has the turn.
    package private(set) var isTaken = false
    private var waiting: [CheckedContinuation<Bool, Never>] = []

    /// Makes a queue in which nobody has the turn.
    package init() {}

    /// How many wait for their turn.
    package var waitingCount: Int {
        waiting.count
    }

    /// Takes the turn if it is free.
    package mutating func take() -> Bool {
        guard !isTaken else { return false }
        isTaken = true
        return true
    }

    /// Waits behind the others. It is resumed with `true` when it has the turn, with `false` when it will never have it.
    package mutating func wait(_ continuation: CheckedContinuation<Bool, Never>) {
        waiting.append(continuation)
    }

    /// Gives the turn to whoever waits longest, or frees it.
    package mutating func pass() {
        if waiting.isEmpty {
            isTaken = false
        } else {
            waiting.removeFirst().resume(returning: true)
        }
    }

    /// Sends everybody who waits away; whoever has the turn keeps it.
    package mutating func dismissWaiting() {
        let dismissed = waiting
        waiting = []
        dismissed.forEach { $0.resume(returning: false) }
    }
}
