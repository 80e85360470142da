import Clocks
import PaginatordTesting
import SQLite
import Sessions

@testable import SQLiteSessions

/// Ways behind the store's back.
extension SQLiteSessionStore {
    /// Puts other bytes in the place of a session's.
    func rewrite(_ id: SessionID, _ change: @Sendable (inout EncodedSession) -> Void) async throws {
        try await writes.read { database throws(SQLiteError) in
            guard let row = try database.session(id) else { return .success(()) }
            var encoded = EncodedSession(
                opening: row.opening, state: row.state, rows: try database.keptRows(row.sequence))
            change(&encoded)
            try database.execute(
                "UPDATE session SET opening = ?, state = ? WHERE id = ?",
                [.blob(encoded.opening), .blob(encoded.state), .blob(id.bytes)])
            try database.setKeptRows(encoded.rows, of: row.sequence)
            return .success(())
        }
        forget()
    }

    /// Forgets what is remembered of records, but not when they end.
    func forget() {
        memory.withState { $0.cache.removeAll() }
    }

    /// Runs SQL.
    func execute(_ statements: String...) async throws {
        try await writes.read { database throws(SQLiteError) in
            for statement in statements { try database.execute(statement) }
            return .success(())
        }
    }

    /// When a session ends by the file.
    func writtenExpiry(of id: SessionID) async throws -> Timestamp {
        let row = try await writes.read { database throws(SQLiteError) in .success(try database.session(id)) }
        guard let row else { throw NeverHappened(what: "a session") }
        return row.expiresAt
    }

    /// How many rows a table has.
    func rows(of table: StaticString) async throws -> Int {
        try await writes.read { database throws(SQLiteError) in .success(try database.countOfRows(in: table)) }
    }

    /// Frees the file as the end of its process does, with nothing written any more.
    func letGo() async throws {
        try await writes.read { database throws(SQLiteError) in
            database.close()
            return .success(())
        }
    }
}

/// A store that remembers no record from one call to the next.
struct ForgetfulStore: SessionStore {
    private let base: SQLiteSessionStore

    init(_ base: SQLiteSessionStore) {
        self.base = base
    }

    private var store: SQLiteSessionStore {
        base.forget()
        return base
    }

    func create(_ record: SessionRecord, limits: SessionLimits) async throws(SessionStoreError) -> SessionRecord {
        try await store.create(record, limits: limits)
    }

    func read(_ id: SessionID) async throws(SessionStoreError) -> StoredSession {
        try await store.read(id)
    }

    func replace(_ record: SessionRecord, event: SessionEvent?) async throws(SessionStoreError) -> Bool {
        try await store.replace(record, event: event)
    }

    func touch(_ id: SessionID, expiresAt: Timestamp) async throws(SessionStoreError) {
        try await store.touch(id, expiresAt: expiresAt)
    }

    func list(owner: String, before sequence: Int?, limit: Int) async throws(SessionStoreError) -> [SessionRecord] {
        try await store.list(owner: owner, before: sequence, limit: limit)
    }

    func delete(_ id: SessionID, now: Timestamp) async throws(SessionStoreError) {
        try await store.delete(id, now: now)
    }

    func sweep(now: Timestamp, inUse: @Sendable (SessionID) -> Bool) async throws(SessionStoreError) -> [SessionID] {
        try await store.sweep(now: now, inUse: inUse)
    }

    func publish(_ event: SessionEvent, of id: SessionID) async {
        await store.publish(event, of: id)
    }

    func events(of id: SessionID) async throws(SessionStoreError) -> AsyncThrowingStream<SessionEvent, any Error> {
        try await store.events(of: id)
    }

    func check() async throws(SessionStoreError) {
        try await store.check()
    }
}

/// Whether a call is refused since the store cannot be used, in words without the path of its file.
func isUnavailable(_ call: () async throws -> Void) async -> Bool {
    do {
        try await call()
        return false
    } catch SessionStoreError.unavailable(let reason) {
        return !reason.contains("/")
    } catch {
        return false
    }
}
