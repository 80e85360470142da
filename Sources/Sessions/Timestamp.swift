/// A point in time on the wall clock, to the millisecond.
public struct Timestamp: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z, leap seconds not counted.
    public var milliseconds: Int64

    /// Makes a point in time.
    public init(milliseconds: Int64) {
        self.milliseconds = milliseconds
    }

    /// Whether one is earlier.
    public static func < (left: Timestamp, right: Timestamp) -> Bool {
        left.milliseconds < right.milliseconds
    }

    /// The point that many seconds later.
    public func adding(seconds: Int) -> Timestamp {
        Timestamp(milliseconds: milliseconds + Int64(seconds) * 1000)
    }

    /// The whole seconds from now until then, rounded up, at least 1: what a `Retry-After` says.
    public func secondsLater(than now: Timestamp) -> Int {
        max(1, Int((milliseconds - now.milliseconds + 999) / 1000))
    }
}
