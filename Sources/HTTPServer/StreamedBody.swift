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
        /// The producer has thrown: what lies here is sent, then the connection is cut.
        case failed
        /// libmicrohttpd has done with it.
        case closed
    }

    /// How many bytes it has in all; `nil` where only its end will tell.
    let length: UInt64?
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
    /// Whether the connection was suspended once more before it is cut.
    private var hasPaused = false
    /// Whether the connection is suspended because nothing lies here.
    private(set) var isSuspended = false

    /// Makes the body of a response to that connection; without a producer it is never read.
    init(
        _ daemon: Daemon, _ connection: OpaquePointer, length: UInt64? = nil,
        produce: (@Sendable (any BodyWriter) async throws -> Void)?
    ) {
        self.length = length
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
            let end: Phase
            let keepsPieces: Bool
            do {
                try await produce(self)
                (end, keepsPieces) = (.complete, true)
            } catch {
                (end, keepsPieces) = (.failed, !(error is BodyWriterError))
            }
            if self.loop.isCurrent {
                self.finish(end, keepsPieces: keepsPieces)
            } else {
                self.loop.execute { self.finish(end, keepsPieces: keepsPieces) }
            }
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
        var taken = await taking(pieces, limit: limit)
        if taken == false {
            // The connection may not have had its turn to send what came just before.
            try? await loop.sleep(for: .milliseconds(1))
            taken = await taking(pieces, limit: limit)
        }
        guard let taken else { throw .closed }
        return taken
    }

    private func taking(_ pieces: [ArraySlice<UInt8>], limit: Int) async -> Bool? {
        if loop.isCurrent { return take(pieces, limit: limit) }
        return await withCheckedContinuation { continuation in
            let isRunning = loop.execute { continuation.resume(returning: self.take(pieces, limit: limit)) }
            if !isRunning { continuation.resume(returning: nil) }
        }
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

    private func finish(_ end: Phase, keepsPieces: Bool) {
        loop.assertCurrent()
        task = nil
        guard case .open = phase else { return }
        phase = end
        if !keepsPieces {
            dropPieces()
            // What libmicrohttpd has of the body may wait for a peer that does not read.
            record(connection)?.cut()
        }
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
        guard bytesHeld > 0 else {
            if case .failed = phase, !hasPaused, !daemon.isCutting {
                // libmicrohttpd looks after a connection that is cut right behind a piece only when its peer moves; one that
                // was resumed it looks after at once.
                hasPaused = true
                suspend()
                loop.execute { self.resume() }
                return 0
            }
            guard case .open = phase, !daemon.isCutting else { return phase == .complete ? endOfStream : endWithError }
            suspend()
            return 0
        }
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

    private func suspend() {
        isSuspended = true
        MHD_suspend_connection(connection)
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
        dropPieces()
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
        dropPieces()
        releaseWriters(false)
        task?.cancel()
        resume()
    }

    private func dropPieces() {
        pieces = []
        first = 0
        bytesHeld = 0
    }
}

/// How many bytes may lie between producer and connection before the producer has to wait.
private let capacity = 64 << 10
