internal import CMicroHTTPD
internal import EventLoops
internal import HTTPModel

/// A body on its way from a producer to a connection: a bounded buffer between a task and libmicrohttpd.
///
/// libmicrohttpd asks for bytes in `read`; where there are none the connection is suspended, and the producer's next
/// piece resumes it. The producer waits in `write` while more than `capacity` bytes lie here.
///
/// Safe because all state is touched on the daemon's loop only; `write` and the end of the producer go there first.
final class StreamedBody: BodyWriter, @unchecked Sendable {
    private enum Phase {
        /// The producer may write.
        case open
        /// The producer has returned: what lies here is sent, then the end.
        case complete
        /// The producer has thrown, or the server gives the stream up: the connection is cut.
        case failed
        /// libmicrohttpd has done with it.
        case closed
    }

    private let daemon: Daemon
    private let loop: EventLoop
    private let connection: OpaquePointer
    private var produce: (@Sendable (any BodyWriter) async throws -> Void)?
    private var task: Task<Void, Never>?
    private var phase = Phase.open
    private var isStopping = false
    private var pieces: [ArraySlice<UInt8>] = []
    private var first = 0
    private var bytesHeld = 0
    private var waiting: [CheckedContinuation<Bool, Never>] = []
    private var lastRead = ContinuousClock.now
    /// Whether the connection is suspended because nothing lies here.
    private(set) var isSuspended = false

    /// Makes the body of a response to that connection; without a producer it is never read.
    init(
        _ daemon: Daemon, _ connection: OpaquePointer, produce: (@Sendable (any BodyWriter) async throws -> Void)?
    ) {
        self.daemon = daemon
        loop = daemon.loop
        self.connection = connection
        self.produce = produce
    }

    /// Starts the producer. To be called once the response was queued.
    func start() {
        loop.assertCurrent()
        guard let produce else { return }
        self.produce = nil
        task = Task(executorPreference: loop) {
            let phase: Phase
            do {
                try await produce(self)
                phase = .complete
            } catch {
                phase = .failed
            }
            if self.loop.isCurrent { self.finish(phase) } else { self.loop.execute { self.finish(phase) } }
        }
        if isStopping { task?.cancel() }
    }

    // MARK: The producer's side

    /// Takes a piece over, and returns once there is room for more.
    func write(_ piece: ArraySlice<UInt8>) async throws(BodyWriterError) {
        if loop.isCurrent, append(piece), bytesHeld <= capacity { return }
        let isOpen = await withCheckedContinuation { continuation in
            if loop.isCurrent {
                awaitRoom(continuation)
            } else {
                let isRunning = loop.execute {
                    self.append(piece)
                    self.awaitRoom(continuation)
                }
                if !isRunning { continuation.resume(returning: false) }
            }
        }
        guard isOpen else { throw .closed }
    }

    /// Takes pieces over where there is room for them.
    func offer(_ pieces: [ArraySlice<UInt8>], limit: Int) async throws(BodyWriterError) -> Bool {
        let taken: Bool?
        if loop.isCurrent {
            taken = take(pieces, limit: limit)
        } else {
            taken = await withCheckedContinuation { continuation in
                let isRunning = loop.execute { continuation.resume(returning: self.take(pieces, limit: limit)) }
                if !isRunning { continuation.resume(returning: nil) }
            }
        }
        guard let taken else { throw .closed }
        return taken
    }

    /// - Returns: `nil` where the body has ended.
    private func take(_ pieces: [ArraySlice<UInt8>], limit: Int) -> Bool? {
        loop.assertCurrent()
        guard case .open = phase else { return nil }
        guard bytesHeld == 0 || bytesHeld + pieces.reduce(0, { $0 + $1.count }) <= limit else { return false }
        for piece in pieces { append(piece) }
        return true
    }

    @discardableResult
    private func append(_ piece: ArraySlice<UInt8>) -> Bool {
        loop.assertCurrent()
        guard case .open = phase else { return false }
        guard !piece.isEmpty else { return true }
        if bytesHeld == 0 { lastRead = .now }
        pieces.append(piece)
        bytesHeld += piece.count
        resume()
        return true
    }

    private func awaitRoom(_ continuation: CheckedContinuation<Bool, Never>) {
        loop.assertCurrent()
        guard case .open = phase else { return continuation.resume(returning: false) }
        if bytesHeld <= capacity {
            continuation.resume(returning: true)
        } else {
            waiting.append(continuation)
        }
    }

    private func finish(_ end: Phase) {
        loop.assertCurrent()
        task = nil
        guard case .open = phase else { return }
        phase = end
        resume()
    }

    private func releaseWriters(_ isOpen: Bool) {
        let released = waiting
        waiting = []
        for writer in released { writer.resume(returning: isOpen) }
    }

    // MARK: libmicrohttpd's side

    /// Gives libmicrohttpd what lies here, or suspends the connection.
    func read(into target: UnsafeMutableRawBufferPointer) -> Int {
        loop.assertCurrent()
        if case .failed = phase { return endWithError }
        guard bytesHeld > 0 else {
            guard case .open = phase, !daemon.isCutting else { return phase == .complete ? endOfStream : endWithError }
            isSuspended = true
            MHD_suspend_connection(connection)
            return 0
        }
        lastRead = .now
        var count = 0
        while count < target.count, first < pieces.count {
            let part = pieces[first].prefix(target.count - count)
            UnsafeMutableRawBufferPointer(rebasing: target[count...]).copyBytes(from: part)
            count += part.count
            if part.count == pieces[first].count {
                pieces[first] = []
                first += 1
            } else {
                pieces[first] = pieces[first].dropFirst(part.count)
            }
        }
        if first == pieces.count {
            pieces.removeAll(keepingCapacity: true)
            first = 0
        }
        bytesHeld -= count
        if bytesHeld <= capacity, !waiting.isEmpty { releaseWriters(true) }
        return count
    }

    private func resume() {
        guard isSuspended else { return }
        isSuspended = false
        MHD_resume_connection(connection)
        daemon.askForRun()
    }

    /// The response is gone, and with it the peer or the request: the producer is told and cancelled.
    func close() {
        loop.assertCurrent()
        guard phase != .closed else { return }
        phase = .closed
        pieces = []
        bytesHeld = 0
        isSuspended = false
        releaseWriters(false)
        task?.cancel()
        task = nil
    }

    /// The server is stopping: the producer is cancelled, and has until the end of the grace to say so and to end.
    func stop() {
        loop.assertCurrent()
        isStopping = true
        task?.cancel()
    }

    /// Gives the body up at once: the connection is cut without the final chunk.
    func fail() {
        loop.assertCurrent()
        guard phase != .closed else { return }
        phase = .failed
        releaseWriters(false)
        task?.cancel()
        resume()
    }

    /// Whether bytes have been lying here since before that instant.
    func isStalled(since instant: ContinuousClock.Instant) -> Bool {
        bytesHeld > 0 && lastRead < instant
    }
}

/// How many bytes may lie between producer and connection before the producer has to wait.
private let capacity = 64 << 10
