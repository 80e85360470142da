import Clocks
import Locks
import Pagination
import Sessions

/// What a process remembers of the sessions in its file. It has the file for itself, so this is never out of date.
final class SessionMemory: Sendable {
    /// When a session ends really, and by what is written.
    struct Life: Sendable {
        /// Really; never before what is written.
        var expiresAt: Timestamp
        /// By the file.
        var written: Timestamp
        /// How far the first may be behind the second: a tenth of the idle timeout, in milliseconds.
        var slack: Int

        /// A life of a session with that definition.
        init(expiresAt: Timestamp, written: Timestamp, of definition: SessionDefinition) {
            self.expiresAt = expiresAt
            self.written = written
            slack = definition.idleTimeout * 100
        }

        /// Whether it is time to write it down.
        var isLate: Bool { expiresAt.milliseconds - written.milliseconds >= slack && expiresAt != written }
    }

    /// All of it.
    struct State: Sendable {
        /// Records that were read or written last.
        var cache: RecordCache
        /// The sessions that were read or written in this process.
        var lives: [SessionID: Life] = [:]
        /// Those of them whose expiry is to be written with the next transaction.
        var late: Set<SessionID> = []
        /// Whoever listens.
        var broadcasts: [SessionID: EventBroadcast<SessionEvent>] = [:]
        /// The broadcasts that have something to hand out, outside the lock.
        var undelivered: [EventBroadcast<SessionEvent>] = []
        /// The number of sessions.
        var sessions = 0
        /// The number of tombstones.
        var tombstones = 0
    }

    /// When a session ends.
    typealias Expiry = (id: SessionID, expiresAt: Timestamp)

    /// Changes what is remembered.
    typealias Change = @Sendable (inout State) -> Void

    private let state: Lock<State>

    /// Remembers about so many bytes of kept rows.
    init(bytes: Int) {
        state = Lock(State(cache: RecordCache(bytes: bytes)))
    }

    /// Reads or changes what is remembered; events that were appended leave behind it, in the order of the changes.
    func withState<Output: Sendable>(_ body: (inout State) -> Output) -> Output {
        let (output, undelivered) = state.withLock { state in
            let output = body(&state)
            let undelivered = state.undelivered
            state.undelivered = []
            return (output, undelivered)
        }
        for broadcast in undelivered { broadcast.deliver() }
        return output
    }
}

extension SessionMemory.State {
    /// Remembers a session as it stands in the file now.
    mutating func remember(_ record: SessionRecord, written: Timestamp) {
        var record = record
        let known = lives[record.id]?.expiresAt ?? record.expiresAt
        record.expiresAt = max(record.expiresAt, known)
        lives[record.id] = SessionMemory.Life(expiresAt: record.expiresAt, written: written, of: record.definition)
        cache.put(record)
    }

    /// A session as it is remembered, with its real expiry.
    mutating func record(_ id: SessionID) -> SessionRecord? {
        guard var record = cache.record(id) else { return nil }
        record.expiresAt = expiry(of: id, written: record.expiresAt)
        return record
    }

    /// When a session ends really.
    func expiry(of id: SessionID, written: Timestamp) -> Timestamp {
        max(lives[id]?.expiresAt ?? written, written)
    }

    /// Lets a session live longer, and has it written where it is time for that.
    ///
    /// - Returns: whether the session is known here.
    mutating func touch(_ id: SessionID, expiresAt: Timestamp) -> Bool {
        guard var life = lives[id] else { return false }
        guard life.expiresAt < expiresAt else { return true }
        life.expiresAt = expiresAt
        lives[id] = life
        if life.isLate { late.insert(id) }
        return true
    }

    /// Has every expiry written that is not as it really is.
    mutating func makeAllLate() {
        late = Set(lives.lazy.filter { $0.value.expiresAt != $0.value.written }.map(\.key))
    }

    /// Begins with an opened file. Whoever listens goes on.
    mutating func begin(sessions: Int, tombstones: Int) {
        (self.sessions, self.tombstones) = (sessions, tombstones)
        cache.removeAll()
        lives.removeAll()
        late.removeAll()
    }

    /// The expiries that are to be written now.
    mutating func takeLate() -> [SessionMemory.Expiry] {
        defer { late.removeAll() }
        return late.compactMap { id in lives[id].map { (id, $0.expiresAt) } }
    }

    /// Appends an event for whoever listens to a session.
    mutating func append(_ event: SessionEvent, to id: SessionID) {
        guard let broadcast = broadcasts[id] else { return }
        broadcast.append(event)
        undelivered.append(broadcast)
    }

    /// Forgets a session, and tells whoever listens to it.
    mutating func end(_ id: SessionID) {
        cache.remove(id)
        lives[id] = nil
        late.remove(id)
        guard let broadcast = broadcasts.removeValue(forKey: id) else { return }
        broadcast.append(.closed)
        broadcast.appendEnd()
        undelivered.append(broadcast)
    }
}
