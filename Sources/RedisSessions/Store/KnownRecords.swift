internal import Locks
internal import Pagination
internal import Sessions

/// Sessions as this process wrote or read them last, so that the server need not send again what has not changed: it is asked
/// for what is newer than the revision that is known.
final class KnownRecords: Sendable {
    private struct State {
        var records: [SessionID: SessionRecord] = [:]
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
    func record(_ id: SessionID) -> SessionRecord? {
        state.withLock { $0.records[id] }
    }

    /// Takes note of a session as the server has it.
    func know(_ record: SessionRecord) {
        var record = record
        record.isLeased = false
        let rows = if case .page(let page) = record.keptPage { page.rows } else { Rows() }
        let bytes = Self.recordBytes + rows.byteCount + rows.count * MemoryLayout<Range<Int>>.stride
        state.withLock { state in
            // Two answers may overtake each other; the older one would only be asked for again.
            if let known = state.records[record.id], known.revision > record.revision { return }
            state.records[record.id] = record
            for dropped in state.kept.add(record.id, bytes: bytes) { state.records[dropped] = nil }
        }
    }

    /// Forgets a session that has ended, or is not known any more as it is.
    func forget(_ id: SessionID) {
        state.withLock { state in
            state.records[id] = nil
            state.kept.remove(id)
        }
    }
}
