public import Clocks
import Locks

/// A pair of clocks that stand still until a test moves them.
public final class ManualClock: Sendable {
    private let milliseconds: Lock<Int>

    /// Clocks that show a moment, by default one in November 2026.
    public init(now: Timestamp = Timestamp(milliseconds: 1_796_000_000_000)) {
        milliseconds = Lock(now.milliseconds)
    }

    /// The moment that they show.
    public var now: Timestamp {
        Timestamp(milliseconds: milliseconds.withLock { $0 })
    }

    /// Moves both of them on.
    public func advance(seconds: Int = 0, milliseconds: Int = 0) {
        self.milliseconds.withLock { $0 += seconds * 1000 + milliseconds }
    }

    /// What is handed to whoever looks at a clock.
    public var clock: ServiceClock {
        ServiceClock(now: { self.now }, uptime: { .milliseconds(self.milliseconds.withLock { $0 }) })
    }
}
