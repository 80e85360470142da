import Glibc
import Synchronization

/// Shows on a terminal how far an export is, in one line that is drawn over and over.
final class ProgressBar: Sendable {
    /// The least time between two drawings.
    private static let pause = Duration.milliseconds(200)

    private struct State {
        var progress = ExportProgress()
        var drawnAt: ContinuousClock.Instant?
    }

    private let write: @Sendable (String) -> Void
    private let start = ContinuousClock.now
    private let state = Mutex(State())

    /// Draws with that function.
    init(_ write: @escaping @Sendable (String) -> Void) {
        self.write = write
    }

    /// Takes note of how many records there will be.
    func expect(_ total: Int) {
        state.withLock { $0.progress.total = total }
    }

    /// Takes note of further records, and shows it unless the last drawing was just now.
    func add(_ count: Int) {
        let now = ContinuousClock.now
        let due = state.withLock { state -> ExportProgress? in
            state.progress.done += count
            if let drawnAt = state.drawnAt, now - drawnAt < Self.pause { return nil }
            state.drawnAt = now
            return state.progress
        }
        if let due { write("\r" + due.line(after: now - start, width: columns - 1) + clearRest) }
    }

    /// Leaves the summary of a whole export.
    func finish() {
        write("\r" + state.withLock(\.progress).summary(after: ContinuousClock.now - start) + clearRest + "\n")
    }

    /// Takes the line away.
    func clear() {
        write("\r" + clearRest)
    }

    private var columns: Int {
        var size = winsize()
        return ioctl(STDERR_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
    }
}

/// Clears from the cursor to the end of the line (ECMA-48, EL).
private let clearRest = "\u{1B}[K"
