extension EventLoop {
    /// Suspends the calling task for that long, on a timer of this loop; callable from any thread.
    ///
    /// - Throws: `CancellationError` when the task is cancelled or the loop ends.
    public func sleep(for duration: Duration) async throws(CancellationError) {
        let sleeper = Sleeper()
        let slept = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                let accepted = execute { sleeper.begin(on: self, for: duration, continuation) }
                if !accepted { continuation.resume(returning: false) }
            }
        } onCancel: {
            execute { sleeper.finish(false) }
        }
        guard slept else { throw CancellationError() }
    }
}

/// One sleep. Safe because both methods run on the loop only.
private final class Sleeper: @unchecked Sendable {
    private var timer: LoopTimer?
    private var continuation: CheckedContinuation<Bool, Never>?
    private var isFinished = false

    func begin(on loop: EventLoop, for duration: Duration, _ continuation: CheckedContinuation<Bool, Never>) {
        self.continuation = continuation
        guard !isFinished else { return finish(false) }
        do {
            let timer = try LoopTimer(on: loop, fire: { self.finish(true) }, closed: { self.finish(false) })
            self.timer = timer
            timer.start(after: duration)
        } catch {
            finish(false)
        }
    }

    /// Ends the sleep; the first of timer, cancellation and end of the loop decides.
    func finish(_ slept: Bool) {
        isFinished = true
        timer?.close()
        timer = nil
        continuation?.resume(returning: slept)
        continuation = nil
    }
}
