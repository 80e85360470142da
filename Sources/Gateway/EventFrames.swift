import Locks
import Pagination
import Sessions

/// The latest page events, each written once however many subscribers hear it.
final class EventFrames: Sendable {
    private struct Key: Hashable {
        var session: SessionID
        var position: Int
    }

    private struct State {
        var frames: [Key: ServerSentEvent] = [:]
        var order: [Key] = []
    }

    /// As many as are kept: what subscribers of one event, on all loops, ask for at about the same time.
    private static let limit = 32
    /// The largest one that is kept, in bytes: what a larger one takes to be written again is little beside what it takes to be
    /// sent, and it would be held long after its session.
    private static let maxBytes = 256 << 10

    private let state = Lock(State())

    /// A delivered page as an event; the record is the session right after it.
    func page(_ page: Page, of record: SessionRecord) -> ServerSentEvent {
        let key = Key(session: record.id, position: record.position)
        if let frame = state.withLock({ $0.frames[key] }) { return frame }
        let frame = ServerSentEvent.page(page, of: record)
        guard frame.byteCount <= Self.maxBytes else { return frame }
        state.withLock { state in
            guard state.frames.updateValue(frame, forKey: key) == nil else { return }
            state.order.append(key)
            if state.order.count > Self.limit { state.frames[state.order.removeFirst()] = nil }
        }
        return frame
    }
}
