public import Clocks
import Locks
import Pagination
import SQLite
public import Sessions

/// Keeps sessions in a file that this process has for itself; they outlive it.
///
/// What is written is on the disk before it is answered (write-ahead log, `synchronous = FULL`); whatever waits at the same
/// time shares one transaction. Records in use are remembered, so a move costs one write and no read. A session keeps the
/// rows of one page, of at most `maxPageBytes`, and loses them with its next page or its end.
///
/// When a session ends is written once it is off by a tenth of its idle timeout, and by `close`: where the process is
/// killed, a session may end that much earlier.
public final class SQLiteSessionStore: SessionStore {
    let writes: SessionWrites
    let memory: SessionMemory
    private let maxPageBytes: Int

    private init(writes: SessionWrites, memory: SessionMemory, maxPageBytes: Int) {
        self.writes = writes
        self.memory = memory
        self.maxPageBytes = maxPageBytes
    }

    /// Opens a file, or makes one. Where it cannot be written for now, for want of room or rights, the store is there all the
    /// same, refuses what it is asked, and tries again.
    ///
    /// - Parameters:
    ///   - path: where the file is; its folder has to exist.
    ///   - memory: how many bytes of kept pages are remembered, about.
    ///   - maxPageBytes: the largest page whose rows are kept, in bytes.
    ///   - ownerKey: by which callers are named that bring their own credentials; `nil` where none do.
    ///   - onChange: called, on the store's own thread, with why the file cannot be used, as soon as that shows, and with `nil`
    ///     when it can again.
    /// - Throws: `SessionFileError` where it is damaged, in use, of a newer version, of another program, or cannot be made.
    public static func open(
        _ path: String, memory: Int = 256 << 20, maxPageBytes: Int = 1 << 20, ownerKey: FileOwnerKey? = nil,
        clock: ServiceClock = .system, onChange: @escaping @Sendable (String?) -> Void = { _ in }
    ) async throws(SessionFileError) -> SQLiteSessionStore {
        try await open(
            SessionFile(path: path, ownerKey: ownerKey), memory: memory, maxPageBytes: maxPageBytes, clock: clock,
            onChange: onChange)
    }

    /// Opens a file in another than the usual way, for tests.
    static func open(
        _ file: SessionFile, memory: Int = 256 << 20, maxPageBytes: Int = 1 << 20, clock: ServiceClock = .system,
        onChange: @escaping @Sendable (String?) -> Void = { _ in }
    ) async throws(SessionFileError) -> SQLiteSessionStore {
        let memory = SessionMemory(bytes: memory)
        let writes = try SessionWrites(file: file, memory: memory, clock: clock, onChange: onChange)
        try await writes.start()
        return SQLiteSessionStore(writes: writes, memory: memory, maxPageBytes: maxPageBytes)
    }

    /// Writes down when the sessions end and closes the file. What is asked later is refused.
    public func close() async {
        await writes.close()
    }

    /// Adds a session.
    public func create(
        _ record: SessionRecord, limits: SessionLimits
    ) async throws(SessionStoreError) -> SessionRecord {
        try await writes.write { [memory] transaction throws(SQLiteError) in
            let database = transaction.database
            let count = memory.withState(\.sessions) + transaction.addedSessions
            if count >= limits.total {
                return .failure(.full(limit: limits.total, nearestExpiry: try transaction.nearestExpiry(owner: nil)))
            }
            if let limit = limits.perOwner, try database.countOfSessions(of: record.owner) >= limit {
                return .failure(.full(limit: limit, nearestExpiry: try transaction.nearestExpiry(owner: record.owner)))
            }
            var record = record
            record.sequence = Int(try database.insert(record))
            transaction.addedSessions += 1
            let created = record
            transaction.afterCommit { state in
                state.sessions += 1
                state.remember(created, written: created.expiresAt)
            }
            return .success(created)
        }
    }

    /// Finds a session.
    public func read(_ id: SessionID) async throws(SessionStoreError) -> StoredSession {
        if let record = memory.withState({ $0.record(id) }) { return .live(record) }
        return try await writes.read { [memory] database throws(SQLiteError) in
            switch try database.record(id) {
            case .success(let record?):
                return .success(
                    .live(
                        memory.withState { state in
                            state.remember(record, written: record.expiresAt)
                            return state.record(id) ?? record
                        }))
            case .success(nil): return .success(try database.ownerOfEnded(id).map { .gone(owner: $0) } ?? .unknown)
            case .failure(let error): return .failure(error)
            }
        }
    }

    /// Writes a session.
    public func replace(_ record: SessionRecord, event: SessionEvent?) async throws(SessionStoreError) -> Bool {
        var record = record
        if record.keptBytes > maxPageBytes { record.dropRows() }
        // Here and not on the connection's thread, which all writes have to pass. A move, as nearly every write is one.
        let moved = record
        let movedState = EncodedSession.state(of: moved)
        let movedRows = EncodedSession.rows(of: moved)
        return try await writes.write { [memory] transaction throws(SQLiteError) in
            let database = transaction.database
            let remembered = memory.withState { $0.record(moved.id) }
            let stored: SessionRecord
            let found: Result<SessionRecord?, SessionStoreError> =
                if let remembered { .success(remembered) } else { try database.record(moved.id) }
            switch found {
            case .success(let found?): stored = found
            case .success(nil): return .success(false)
            case .failure(let error): return .failure(error)
            }
            guard stored.revision == moved.revision else { return .success(false) }
            let isMove = moved.position != stored.position
            var record = moved
            record.sequence = stored.sequence
            record.expiresAt = max(record.expiresAt, stored.expiresAt)
            record.keptPage = isMove ? record.keptPage : stored.keptPage
            let written = memory.withState { $0.lives[record.id]?.written } ?? stored.expiresAt
            let life = SessionMemory.Life(expiresAt: record.expiresAt, written: written, of: record.definition)
            // Nothing is found where a write in front of this one has changed or ended the session.
            let state = isMove ? movedState : EncodedSession.state(of: record)
            guard
                try database.update(
                    sequence: record.sequence, revision: record.revision, state: state,
                    expiresAt: life.isLate ? record.expiresAt : nil)
            else { return .success(false) }
            if isMove { try database.setKeptRows(movedRows, of: Int64(record.sequence)) }
            record.revision += 1
            let replaced = record
            transaction.afterCommit { state in
                state.remember(replaced, written: life.isLate ? replaced.expiresAt : written)
                if let event { state.append(event, to: replaced.id) }
            }
            return .success(true)
        }
    }

    /// Lets a session live longer. It is written with whatever is written next.
    public func touch(_ id: SessionID, expiresAt: Timestamp) async throws(SessionStoreError) {
        let isKnown = memory.withState { $0.touch(id, expiresAt: expiresAt) }
        guard !isKnown, case .live = try await read(id) else { return }
        _ = memory.withState { $0.touch(id, expiresAt: expiresAt) }
    }

    /// An owner's sessions, the newest first, without the rows of their kept pages.
    public func list(
        owner: String, before sequence: Int?, limit: Int
    ) async throws(SessionStoreError) -> [SessionRecord] {
        try await writes.read { [memory] database throws(SQLiteError) in
            let rows = try database.sessions(of: owner, before: sequence, limit: limit)
            return memory.withState { state in
                Result { () throws(SessionEncodingError) in
                    try rows.map { row throws(SessionEncodingError) in
                        var record = try row.record(rows: nil)
                        record.expiresAt = state.expiry(of: record.id, written: row.expiresAt)
                        return record
                    }
                }.mapError { SessionStoreError($0) }
            }
        }
    }

    /// Ends a session.
    public func delete(_ id: SessionID, now: Timestamp) async throws(SessionStoreError) {
        try await writes.write { transaction throws(SQLiteError) in
            try transaction.end(id, now: now)
            return .success(())
        }
    }

    /// Sends an event to whoever listens.
    public func publish(_ event: SessionEvent, of id: SessionID) async {
        memory.withState { $0.append(event, to: id) }
    }

    /// Every event of a session from now on.
    public func events(
        of id: SessionID
    ) async throws(SessionStoreError) -> AsyncThrowingStream<SessionEvent, any Error> {
        let stream = memory.withState { state in
            let broadcast = state.broadcasts[id] ?? EventBroadcast()
            state.broadcasts[id] = broadcast
            return broadcast.subscribe()
        }
        // Looked for behind the subscription, so that its end is not missed.
        if case .live = try await read(id) { return stream }
        memory.withState { $0.end(id) }
        return stream
    }

    /// Looks whether there is room to write.
    public func check() async throws(SessionStoreError) {
        try await writes.check()
    }
}

extension SessionRecord {
    /// The bytes of the kept page's rows.
    fileprivate var keptBytes: Int {
        if case .page(let page) = keptPage { page.rows.byteCount } else { 0 }
    }
}
