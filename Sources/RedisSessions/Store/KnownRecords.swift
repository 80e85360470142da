internal import Locks
internal import Pagination
internal import Sessions

/// Sessions as this process wrote or read them last, so that the server need not send again what has not changed.
///
/// Each is known by the stamp of its latest write and not by its revision: a server that has lost its latest writes gives the
/// same revisions to others.
final class KnownRecords: Sendable {
    /// A session as it was last known.
    struct Entry {
        /// The session.
        var record: SessionRecord
        /// What no other write is called.
        var stamp: String
    }

    private struct State {
        var entries: [SessionID: Entry] = [:]
        var kept: KeptPages
    }

    /// What a record takes beside its rows, in bytes, roughly.
    private static let recordBytes = 1024
    private let state: Lock<State>

    /// Keeps records up to that many bytes.
    init(budget: Int) {
        state = Lock(State(kept: KeptPages(budget: budget)))
    }

    /// A session as it was last known.
    func entry(_ id: SessionID) -> Entry? {
        state.withLock { $0.entries[id] }
    }

    /// Takes note of a session as the server has it.
    func know(_ record: SessionRecord, stamp: String) {
        var record = record
        record.isLeased = false
        let rows = if case .page(let page) = record.keptPage { page.rows } else { Rows() }
        let bytes = Self.recordBytes + rows.byteCount + rows.count * MemoryLayout<Range<Int>>.stride
        state.withLock { state in
            // Answers may overtake each other; what an older one says is then asked for again.
            state.entries[record.id] = Entry(record: record, stamp: stamp)
            for dropped in state.kept.add(record.id, bytes: bytes) { state.entries[dropped] = nil }
        }
    }

    /// Forgets a session that has ended, or is not known any more as it is.
    func forget(_ id: SessionID) {
        state.withLock { state in
            state.entries[id] = nil
            state.kept.remove(id)
        }
    }
}
