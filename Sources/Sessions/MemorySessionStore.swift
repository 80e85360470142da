public import Clocks
import Locks
import Pagination

/// Keeps sessions in this process; they end with it.
///
/// Rows of kept pages share a budget: past it the page that was kept longest ago loses its rows, and a page over
/// `maxPageBytes` is never kept with them. A repeated move then fetches its page again.
public final class MemorySessionStore: SessionStore {
    private let state: Lock<State>
    private let maxPageBytes: Int

    private struct State {
        var records: [SessionID: SessionRecord] = [:]
        var owners: [String: OwnedSessions] = [:]
        var expiries = ExpiryQueue()
        var tombstones = Tombstones()
        var kept: KeptPages
        var broadcasts: [SessionID: EventBroadcast<SessionEvent>] = [:]
        var latestSequence = 0
    }

    /// A session that was just written, with whoever listens to it: they are told outside the lock.
    private struct Written {
        var broadcast: EventBroadcast<SessionEvent>?

        func close() {
            broadcast?.send(.closed)
            broadcast?.finish()
        }
    }

    /// An empty store.
    ///
    /// - Parameters:
    ///   - replayMemory: the budget for the rows of all kept pages, in bytes.
    ///   - maxPageBytes: the largest page whose rows are kept, in bytes.
    public init(replayMemory: Int = 256 << 20, maxPageBytes: Int = 1 << 20) {
        state = Lock(State(kept: KeptPages(budget: replayMemory)))
        self.maxPageBytes = maxPageBytes
    }

    /// Adds a session.
    public func create(_ record: SessionRecord, limits: SessionLimits) throws(SessionStoreError) -> SessionRecord {
        try state.withLock { state throws(SessionStoreError) in
            if state.records.count >= limits.total {
                throw .full(limit: limits.total, nearestExpiry: state.records.values.lazy.map(\.expiresAt).min())
            }
            let owned = state.owners[record.owner, default: OwnedSessions()]
            if let perOwner = limits.perOwner, owned.count >= perOwner {
                let records = state.records
                let expiries = owned.ids(before: nil).lazy.compactMap { records[$0]?.expiresAt }
                throw .full(limit: perOwner, nearestExpiry: expiries.min())
            }
            var record = record
            state.latestSequence += 1
            record.sequence = state.latestSequence
            state.records[record.id] = record
            state.owners[record.owner, default: OwnedSessions()].append(record.id, sequence: record.sequence)
            state.expiries.add(record.id, at: record.expiresAt)
            return record
        }
    }

    /// Finds a session.
    public func read(_ id: SessionID) -> StoredSession {
        state.withLock { state in
            if let record = state.records[id] { return .live(record) }
            if let owner = state.tombstones.owner(of: id) { return .gone(owner: owner) }
            return .unknown
        }
    }

    /// Writes a session.
    public func replace(_ record: SessionRecord, event: SessionEvent?) -> Bool {
        let written: Written? = state.withLock { state in
            guard let stored = state.records[record.id], stored.revision == record.revision else { return nil }
            var record = record
            record.revision += 1
            if record.position == stored.position {
                // Rows may have been dropped since this record was read.
                record.keptPage = stored.keptPage
            } else {
                keep(&record, in: &state)
            }
            state.records[record.id] = record
            return Written(broadcast: state.broadcasts[record.id])
        }
        if let event { written?.broadcast?.send(event) }
        return written != nil
    }

    /// Lets a session live longer.
    public func touch(_ id: SessionID, expiresAt: Timestamp) {
        state.withLock { state in
            guard let stored = state.records[id]?.expiresAt, stored < expiresAt else { return }
            state.records[id]?.expiresAt = expiresAt
        }
    }

    /// An owner's sessions, the newest first.
    public func list(owner: String, before sequence: Int?, limit: Int) -> [SessionRecord] {
        state.withLock { state in
            guard let owned = state.owners[owner] else { return [] }
            let records = state.records
            return Array(owned.ids(before: sequence).lazy.compactMap { records[$0] }.prefix(limit))
        }
    }

    /// Ends a session.
    public func delete(_ id: SessionID, now: Timestamp) {
        state.withLock { Self.end(id, now: now, in: &$0) }?.close()
    }

    /// Ends the sessions whose time is up.
    public func sweep(now: Timestamp, inUse: @Sendable (SessionID) -> Bool) -> [SessionID] {
        let due = state.withLock { state in
            state.tombstones.forget(before: now.adding(seconds: -3600))
            return state.expiries.due(at: now)
        }
        var ended: [SessionID] = []
        for id in due {
            let isInUse = inUse(id)
            let written: Written? = state.withLock { state in
                guard let expiresAt = state.records[id]?.expiresAt else { return nil }
                guard expiresAt <= now, !isInUse else {
                    state.expiries.add(id, at: max(expiresAt, now.adding(seconds: 1)))
                    return nil
                }
                return Self.end(id, now: now, in: &state)
            }
            guard let written else { continue }
            written.close()
            ended.append(id)
        }
        return ended
    }

    /// Sends an event to whoever listens.
    public func publish(_ event: SessionEvent, of id: SessionID) {
        state.withLock { $0.broadcasts[id] }?.send(event)
    }

    /// Every event of a session from now on.
    public func events(of id: SessionID) -> AsyncThrowingStream<SessionEvent, any Error> {
        let broadcast = state.withLock { state in
            guard state.records[id] != nil else {
                let ended = EventBroadcast<SessionEvent>()
                ended.finish()
                return ended
            }
            let broadcast = state.broadcasts[id] ?? EventBroadcast()
            state.broadcasts[id] = broadcast
            return broadcast
        }
        return broadcast.subscribe()
    }

    private func keep(_ record: inout SessionRecord, in state: inout State) {
        state.kept.remove(record.id)
        guard case .page(let page) = record.keptPage else { return }
        guard page.rows.byteCount <= maxPageBytes else { return record.dropRows() }
        for dropped in state.kept.add(record.id, bytes: page.rows.byteCount) {
            if dropped == record.id { record.dropRows() } else { state.records[dropped]?.dropRows() }
        }
    }

    private static func end(_ id: SessionID, now: Timestamp, in state: inout State) -> Written? {
        guard let record = state.records.removeValue(forKey: id) else { return nil }
        state.kept.remove(id)
        state.owners[record.owner]?.remove(sequence: record.sequence)
        if state.owners[record.owner]?.count == 0 { state.owners[record.owner] = nil }
        state.tombstones.add(id, owner: record.owner, at: now)
        return Written(broadcast: state.broadcasts.removeValue(forKey: id))
    }
}
