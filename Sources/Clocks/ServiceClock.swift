internal import Glibc

/// The clocks that the service looks at, given from outside so that tests need not wait.
public struct ServiceClock: Sendable {
    /// The wall clock.
    public var now: @Sendable () -> Timestamp
    /// A clock that never jumps, for measuring how long something took.
    public var uptime: @Sendable () -> Duration

    /// Makes a pair of clocks.
    public init(now: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Duration) {
        self.now = now
        self.uptime = uptime
    }

    /// The system's own clocks.
    public static let system = ServiceClock(now: Timestamp.now) {
        var time = timespec()
        // Safe because the call only writes to the value it is given.
        unsafe clock_gettime(CLOCK_MONOTONIC, &time)
        return Duration(secondsComponent: Int64(time.tv_sec), attosecondsComponent: Int64(time.tv_nsec) * 1_000_000_000)
    }
}
