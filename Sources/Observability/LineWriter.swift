internal import Glibc
internal import Locks
internal import Synchronization

/// Whether the descriptor is a terminal.
func isTerminal(_ descriptor: Int32) -> Bool {
    isatty(descriptor) == 1
}

/// A bounded buffer of lines with a thread of its own that writes them to a descriptor.
///
/// Appending never waits for the descriptor: a line that does not fit is dropped and counted, and the count is
/// reported by a line of its own as soon as there is room. After each write the thread rests for a moment, so that a
/// busy service wakes it some hundred times a second and not once per line.
final class LineWriter: Sendable {
    private struct State {
        var pending: [UInt8] = []
        var dropped = 0
        /// Whether the thread waits without a time limit and has to be woken.
        var isAsleep = false
        var isClosing = false
    }

    private static let restMilliseconds: Int32 = 5

    private let descriptor: Int32
    private let capacity: Int
    private let droppedLine: @Sendable (Int) -> [UInt8]
    private let state = Lock(State())
    /// Signalled to wake the thread early.
    private let wake: WakePipe
    /// Signalled once the thread has written its last byte.
    private let finished: WakePipe

    /// Starts the thread.
    ///
    /// - Parameter droppedLine: makes the line that reports a number of dropped lines; empty for none.
    init(descriptor: Int32, capacity: Int, droppedLine: @escaping @Sendable (Int) -> [UInt8]) {
        self.descriptor = descriptor
        self.capacity = capacity
        self.droppedLine = droppedLine
        wake = WakePipe()
        finished = WakePipe()
        startThread()
    }

    /// Keeps a line for the thread, or drops it where too much is waiting already. Any thread.
    func append(_ line: [UInt8]) {
        let hasToWake = state.withLock { state in
            guard !state.isClosing, state.pending.count + line.count <= capacity else {
                state.dropped += 1
                return false
            }
            state.pending += line
            defer { state.isAsleep = false }
            return state.isAsleep
        }
        if hasToWake { wake.signal() }
    }

    /// Lets the thread write what is waiting and waits for its end, at most for `limit`. Any thread but an event loop.
    func close(within limit: Duration) {
        state.withLock { $0.isClosing = true }
        wake.signal()
        let parts = limit.components
        finished.wait(milliseconds: Int32(clamping: parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000))
    }

    private func startThread() {
        // The thread takes no signals: they belong to the event loops, and SIGPIPE would end the process when the
        // reader of standard error has gone. A new thread inherits the mask of the one that makes it.
        var all = sigset_t()
        var before = sigset_t()
        sigfillset(&all)
        pthread_sigmask(SIG_SETMASK, &all, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }

        var thread = pthread_t()
        // Safe because the thread takes over the one reference that is passed here, and is the only one to do so; where
        // no thread could be made it is released at once.
        let context = Unmanaged.passRetained(self)
        let failure = pthread_create(
            &thread, nil,
            { context in
                guard let context else { return nil }
                Unmanaged<LineWriter>.fromOpaque(context).takeRetainedValue().run()
                return nil
            }, context.toOpaque())
        if failure == 0 {
            pthread_detach(thread)
        } else {
            context.release()
            finished.signal()
        }
    }

    private func run() {
        while let lines = nextLines() {
            if !write(lines) {
                state.withLock { $0.dropped += lines.count { $0 == 0x0A } }
            }
            if !state.withLock({ $0.isClosing }) { rest(milliseconds: Self.restMilliseconds) }
        }
        finished.signal()
    }

    /// Waits for lines; `nil` once closed and empty.
    private func nextLines() -> [UInt8]? {
        while true {
            let (lines, isClosing) = state.withLock { state in
                var lines = state.pending
                state.pending = []
                // Only beside other lines: a descriptor that takes nothing any more is not worth a line.
                if state.dropped > 0, !lines.isEmpty {
                    lines += droppedLine(state.dropped)
                    state.dropped = 0
                }
                state.isAsleep = lines.isEmpty && !state.isClosing
                return (lines, state.isClosing)
            }
            if !lines.isEmpty { return lines }
            if isClosing { return nil }
            rest(milliseconds: -1)
        }
    }

    private func rest(milliseconds: Int32) {
        wake.wait(milliseconds: milliseconds)
        wake.clear()
    }

    private func write(_ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else if count < 0, errno == EAGAIN {
                var poll = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                Glibc.poll(&poll, 1, -1)
            } else if count == 0 || errno != EINTR {
                return false
            }
        }
        return true
    }
}
