/// The time as fetches see it, given from outside so that tests need not wait.
public struct RequestClock: Sendable {
    /// The time since any fixed moment, by a clock that never jumps.
    public var uptime: @Sendable () -> Duration
    /// Suspends the calling task for that long; ends early, by throwing, when the task is cancelled.
    public var sleep: @Sendable (Duration) async throws(CancellationError) -> Void

    /// Makes a clock.
    public init(
        uptime: @escaping @Sendable () -> Duration,
        sleep: @escaping @Sendable (Duration) async throws(CancellationError) -> Void
    ) {
        self.uptime = uptime
        self.sleep = sleep
    }

    /// The system's clock and the runtime's timers.
    public static let system: RequestClock = {
        let start = ContinuousClock.now
        return RequestClock(uptime: { ContinuousClock.now - start }) { duration throws(CancellationError) in
            do {
                try await Task.sleep(for: duration)
            } catch {
                throw CancellationError()
            }
        }
    }()
}
