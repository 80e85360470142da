internal import CUV

/// A timer of a loop, in whole milliseconds.
///
/// Used on its loop only. A timer that is given up closes itself.
public final class LoopTimer {
    private let loop: EventLoop
    private let handle: LoopHandle

    /// Makes a timer that is not running.
    ///
    /// - Parameter fire: called on the loop.
    /// - Throws: `EventLoopError.loopEnded` where this is not the loop's thread.
    public convenience init(on loop: EventLoop, fire: @escaping () -> Void) throws(EventLoopError) {
        try self.init(on: loop, fire: fire, closed: nil)
    }

    init(on loop: EventLoop, fire: @escaping () -> Void, closed: (() -> Void)?) throws(EventLoopError) {
        guard loop.isCurrent else { throw .loopEnded }
        self.loop = loop
        handle = try LoopHandle(uv_timer_t.self, "making a timer", event: { _, _ in fire() }, closed: closed) {
            uv_timer_init(loop.raw, $0)
        }
    }

    /// Fires once, that much later, instead of whatever was set before. Zero means: at the loop's next turn.
    public func start(after delay: Duration) {
        set(delay, repeating: 0)
    }

    /// Fires again and again, the first time one interval from now.
    public func start(every interval: Duration) {
        set(interval, repeating: max(1, wholeMilliseconds(interval)))
    }

    /// Ends what was started; it can be started again.
    public func stop() {
        loop.assertCurrent()
        guard handle.isOpen else { return }
        uv_timer_stop(handle.pointer(as: uv_timer_t.self))
    }

    /// Ends the timer for good.
    public func close() {
        loop.assertCurrent()
        handle.close()
    }

    private func set(_ delay: Duration, repeating interval: UInt64) {
        loop.assertCurrent()
        guard handle.isOpen else { return }
        // A loop's clock stands still during a turn; without this a long turn would shorten the delay.
        uv_update_time(loop.raw)
        uv_timer_start(
            handle.pointer(as: uv_timer_t.self), { LoopHandle.deliver($0) }, wholeMilliseconds(delay), interval)
    }

    deinit {
        closeAtLast(handle, on: loop)
    }
}

/// A duration in milliseconds, rounded up, so that nothing fires early; negative ones are zero.
func wholeMilliseconds(_ duration: Duration) -> UInt64 {
    let (seconds, attoseconds) = duration.components
    guard seconds >= 0, attoseconds >= 0 else { return 0 }
    let part = UInt64((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
    let (whole, overflow) = UInt64(seconds).multipliedReportingOverflow(by: 1000)
    return overflow ? .max : whole &+ part
}
