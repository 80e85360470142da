import HTTPModel
import Pagination
import Sessions

/// One subscriber's stream of a session's events.
struct EventStream: Sendable {
    /// As much as may wait for a subscriber who does not read, in bytes.
    static let limit = 1 << 20
    /// The time between two comments.
    static let heartbeat = Duration.seconds(15)
    /// How long a subscriber who fell behind may still take to read what waits, and with it the reason.
    static let parting = Duration.seconds(5)
    /// The time between two looks at whether that has happened.
    private static let glance = Duration.milliseconds(100)

    /// The session.
    let session: Session
    /// Whose it is.
    let owner: String
    /// How the session stood when the subscription began.
    let record: SessionRecord
    /// What happens from then on; events that the record tells of already may come once more.
    let events: AsyncThrowingStream<SessionEvent, any Error>
    /// The latest event that the subscriber has; `nil` where it names none.
    let latest: Int?
    /// The language of problems.
    let language: Language
    /// The page events of all sessions.
    let frames: EventFrames
    /// Waits; throws when the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void

    /// Writes events until the publisher, the session, the subscriber or the service ends.
    ///
    /// - Throws: `BodyWriterError` where the connection has to be cut, or is.
    func run(to writer: any BodyWriter) async throws {
        do {
            // For as long as the stream is open, the session does not expire.
            try await session.use(for: owner) { _ in
                try await withThrowingTaskGroup(of: Void.self) { group in
                    group.addTask { try await follow(writer) }
                    group.addTask { try await beat(writer) }
                    defer { group.cancelAll() }
                    try await group.next()
                }
            }
        } catch let error as SessionError {
            _ = try await writer.offer(
                ServerSentEvent.error(Problem(error), in: language).pieces, limit: Self.limit)
        }
    }

    private var gone: ServerSentEvent { .error(Problem(.expired), in: language) }

    private func follow(_ writer: any BodyWriter) async throws {
        do {
            try await write(.retry, to: writer)
            if let latest, latest < record.position, let event = ServerSentEvent.latest(of: record) {
                try await write(event, to: writer)
            }
            if record.state.isFinished { return try await write(.finished(record), to: writer) }
            var position = record.position
            for try await event in events {
                switch event {
                case .page(let page, let record) where record.position > position:
                    position = record.position
                    try await write(frames.page(page, of: record), to: writer)
                    if record.state.isFinished { return try await write(.finished(record), to: writer) }
                case .reset(let record) where record.position > position:
                    position = record.position
                    try await write(.reset(record), to: writer)
                case .page, .reset: break
                case .failure(let error): try await write(.error(Problem(error), in: language), to: writer)
                case .closed: return try await write(gone, to: writer)
                }
            }
        } catch is SubscriptionError {
            try await part(from: writer)
        }
    }

    private func beat(_ writer: any BodyWriter) async throws {
        while true {
            // Cancelled: the stream ends for another reason.
            do { try await sleep(Self.heartbeat) } catch { return }
            // Where so much waits already, the connection does not look idle.
            _ = try await writer.offer(ServerSentEvent.heartbeat.pieces, limit: Self.limit)
        }
    }

    /// - Throws: `SubscriptionError.fellBehind` where too much waits for the subscriber already.
    private func write(_ event: ServerSentEvent, to writer: any BodyWriter) async throws {
        guard try await writer.offer(event.pieces, limit: Self.limit) else { throw SubscriptionError.fellBehind }
    }

    /// Ends the stream of a subscriber who fell behind: tells why, if that still fits, and leaves some time to read it.
    private func part(from writer: any BodyWriter) async throws {
        let detail =
            "More than \(Self.limit) bytes waited for this subscriber. Subscribe again with Last-Event-ID: the latest event "
            + "comes first then."
        let problem = Problem(.positionStale, detail)
        _ = try await writer.offer(ServerSentEvent.error(problem, in: language).pieces, limit: Self.limit)
        // A `write` would wait for room however long it takes, and for nothing else.
        for _ in 0..<Int(Self.parting / Self.glance) {
            if try await writer.offer([], limit: 0) { return }
            try await sleep(Self.glance)
        }
        throw BodyWriterError.closed
    }
}
