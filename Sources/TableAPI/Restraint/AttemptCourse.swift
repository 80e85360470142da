/// The course of one attempt: the time that is left for it, whatever it has to send, and how many requests that were.
///
/// An attempt may take more than one request, since it may have to get credentials first, or get others after a 401. All of
/// them share its one slot, one after the other, and its one time.
package struct AttemptCourse: Sendable {
    private let clock: RequestClock
    private let end: Duration
    /// The requests that were begun so far.
    private(set) var requests = 0

    /// Begins an attempt that may take so long.
    package init(timeout: Duration, clock: RequestClock) {
        self.clock = clock
        end = clock.uptime() + timeout
    }

    /// The time that is left; not above zero once it is up.
    var remaining: Duration { end - clock.uptime() }

    /// Notes that a request is begun.
    ///
    /// - Returns: the time that it may take; `nil` where none is left, so that it must not be begun.
    mutating func begin() -> Duration? {
        let remaining = remaining
        guard remaining > .zero else { return nil }
        requests += 1
        return remaining
    }

    /// Suspends the calling task until the time is up, or until the task is cancelled.
    func waitForEnd() async {
        try? await clock.sleep(max(.zero, remaining))
    }
}
