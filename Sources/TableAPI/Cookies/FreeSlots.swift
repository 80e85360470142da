import Locks

/// Numbers the requests that are under way at once, from 0 on: each gets the lowest number that is free.
final class FreeSlots: Sendable {
    private let taken: Lock<[Bool]>

    /// That many numbers.
    init(_ count: Int) {
        taken = Lock(Array(repeating: false, count: count))
    }

    /// Takes a number; `nil` where all are taken.
    func take() -> Int? {
        taken.withLock { taken in
            guard let free = taken.firstIndex(of: false) else { return nil }
            taken[free] = true
            return free
        }
    }

    /// Gives a number back.
    func giveBack(_ slot: Int) {
        taken.withLock { $0[slot] = false }
    }
}
