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
        var bytes = 0
    }

    /// As many as are kept: what subscribers of one event, on all loops, ask for at about the same time.
    static let limit = 32
    /// The most bytes that are kept, but for the latest event, which may be larger by itself.
    static let maxBytes = 8 << 20

    private let state = Lock(State())

    /// How many are kept, and their bytes.
    var kept: (count: Int, bytes: Int) { state.withLock { ($0.frames.count, $0.bytes) } }

    /// A delivered page as an event; the record is the session right after it.
    func page(_ page: Page, of record: SessionRecord) -> ServerSentEvent {
        let key = Key(session: record.id, position: record.position)
        if let frame = state.withLock({ $0.frames[key] }) { return frame }
        let frame = ServerSentEvent.page(page, of: record)
        state.withLock { state in
            guard state.frames.updateValue(frame, forKey: key) == nil else { return }
            state.order.append(key)
            state.bytes += frame.byteCount
            while state.order.count > Self.limit || state.bytes > Self.maxBytes && state.order.count > 1 {
                guard let dropped = state.frames.removeValue(forKey: state.order.removeFirst()) else { continue }
                state.bytes -= dropped.byteCount
            }
        }
        return frame
    }
}
