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

    /// A session and whoever listens to it. An object, so that the table of all sessions stays small.
    private final class Entry {
        var record: SessionRecord
        var broadcast: EventBroadcast<SessionEvent>?

        init(_ record: SessionRecord) {
            self.record = record
        }
    }

    private struct State {
        var entries: [SessionID: Entry] = [:]
        var owners: [String: OwnedSessions] = [:]
        var expiries = ExpiryQueue()
        var tombstones = Tombstones()
        var kept: KeptPages
        var latestSequence = 0
    }

    /// That something was written, with whoever has to be told of it outside the lock.
    private struct Written {
        var broadcast: EventBroadcast<SessionEvent>?
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

    /// How many places sessions, ended ones too, have in the queue of those that may expire.
    var placesInTime: Int {
        state.withLock { $0.expiries.count }
    }

    /// Adds a session.
    public func create(_ record: SessionRecord, limits: SessionLimits) throws(SessionStoreError) -> SessionRecord {
        try state.withLock { state throws(SessionStoreError) in
            if state.entries.count >= limits.total {
                let entries = state.entries
                let nearest = state.expiries.nearest { entries[$0]?.record.expiresAt }
                throw .full(limit: limits.total, nearestExpiry: nearest)
            }
            if let limit = limits.perOwner, let owned = state.owners[record.owner], owned.count >= limit {
                let entries = state.entries
                let nearest = owned.ids(before: nil).lazy.compactMap { entries[$0]?.record.expiresAt }.min()
                throw .full(limit: limit, nearestExpiry: nearest)
            }
            var record = record
            state.latestSequence += 1
            record.sequence = state.latestSequence
            state.entries[record.id] = Entry(record)
            state.owners[record.owner, default: OwnedSessions()].append(record.id, sequence: record.sequence)
            state.expiries.add(record.id, at: record.expiresAt)
            return record
        }
    }

    /// Finds a session.
    public func read(_ id: SessionID) -> StoredSession {
        state.withLock { state in
            if let entry = state.entries[id] { return .live(entry.record) }
            if let owner = state.tombstones.owner(of: id) { return .gone(owner: owner) }
            return .unknown
        }
    }

    /// Writes a session.
    public func replace(_ record: SessionRecord, event: SessionEvent?) -> Bool {
        let written: Written? = state.withLock { state in
            guard let entry = state.entries[record.id], entry.record.revision == record.revision else { return nil }
            var record = record
            record.revision += 1
            record.expiresAt = max(record.expiresAt, entry.record.expiresAt)
            if record.position == entry.record.position {
                // Rows may have been dropped since this record was read.
                record.keptPage = entry.record.keptPage
            } else {
                keep(&record, in: &state)
            }
            entry.record = record
            // The order of events is the order of writes; they leave outside the lock.
            if let event { entry.broadcast?.append(event) }
            return Written(broadcast: entry.broadcast)
        }
        written?.broadcast?.deliver()
        return written != nil
    }

    /// Lets a session live longer.
    public func touch(_ id: SessionID, expiresAt: Timestamp) {
        state.withLock { state in
            guard let entry = state.entries[id], entry.record.expiresAt < expiresAt else { return }
            entry.record.expiresAt = expiresAt
        }
    }

    /// An owner's sessions, the newest first.
    public func list(owner: String, before sequence: Int?, limit: Int) -> [SessionRecord] {
        state.withLock { state in
            guard let owned = state.owners[owner] else { return [] }
            let entries = state.entries
            return owned.ids(before: sequence).prefix(limit).compactMap { entries[$0]?.record }
        }
    }

    /// Ends a session.
    public func delete(_ id: SessionID, now: Timestamp) {
        state.withLock { Self.end(id, now: now, in: &$0) }?.broadcast?.deliver()
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
                guard let expiresAt = state.entries[id]?.record.expiresAt else { return nil }
                guard expiresAt <= now, !isInUse else {
                    state.expiries.add(id, at: max(expiresAt, now.adding(seconds: 1)))
                    return nil
                }
                return Self.end(id, now: now, in: &state)
            }
            guard let written else { continue }
            written.broadcast?.deliver()
            ended.append(id)
        }
        return ended
    }

    /// Sends an event to whoever listens.
    public func publish(_ event: SessionEvent, of id: SessionID) {
        let broadcast = state.withLock { state in
            let broadcast = state.entries[id]?.broadcast
            broadcast?.append(event)
            return broadcast
        }
        broadcast?.deliver()
    }

    /// Every event of a session from now on.
    public func events(of id: SessionID) -> AsyncThrowingStream<SessionEvent, any Error> {
        let stream: AsyncThrowingStream<SessionEvent, any Error>? = state.withLock { state in
            guard let entry = state.entries[id] else { return nil }
            let broadcast = entry.broadcast ?? EventBroadcast()
            entry.broadcast = broadcast
            return broadcast.subscribe()
        }
        return stream
            ?? AsyncThrowingStream { continuation in
                continuation.yield(.closed)
                continuation.finish()
            }
    }

    /// Nothing can be wrong with it.
    public func check() {}

    private func keep(_ record: inout SessionRecord, in state: inout State) {
        state.kept.remove(record.id)
        guard case .page(let page) = record.keptPage, !page.rows.isEmpty else { return }
        let bytes = page.rows.byteCount
        guard bytes <= maxPageBytes else { return record.dropRows() }
        let extents = page.rows.count * MemoryLayout<Range<Int>>.stride
        for dropped in state.kept.add(record.id, bytes: bytes + extents) {
            if dropped == record.id { record.dropRows() } else { state.entries[dropped]?.record.dropRows() }
        }
    }

    private static func end(_ id: SessionID, now: Timestamp, in state: inout State) -> Written? {
        guard let entry = state.entries.removeValue(forKey: id) else { return nil }
        let record = entry.record
        state.kept.remove(id)
        state.owners[record.owner]?.remove(sequence: record.sequence)
        if state.owners[record.owner]?.count == 0 { state.owners[record.owner] = nil }
        state.tombstones.add(id, owner: record.owner, at: now)
        if state.expiries.count > 2 * state.entries.count + 1024 {
            let entries = state.entries
            state.expiries.keep { entries[$0] != nil }
        }
        entry.broadcast?.append(.closed)
        entry.broadcast?.appendEnd()
        return Written(broadcast: entry.broadcast)
    }
}
