/// The clocks that sessions look at, given from outside so that tests need not wait.
public struct SessionClock: Sendable {
    /// The wall clock.
    public var now: @Sendable () -> Timestamp
    /// A clock that never jumps, for measuring how long something took.
    public var uptime: @Sendable () -> Duration

    /// Makes a pair of clocks.
    public init(now: @escaping @Sendable () -> Timestamp, uptime: @escaping @Sendable () -> Duration) {
        self.now = now
        self.uptime = uptime
    }
}
