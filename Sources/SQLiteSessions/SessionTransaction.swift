import Clocks
import SQLite
import Sessions

/// One transaction: the database, and what is true once it is committed.
final class SessionTransaction {
    /// The open database.
    let database: SQLiteDatabase
    /// What is remembered of sessions, as it was before this transaction.
    let memory: SessionMemory
    /// By how much the number of sessions has changed so far.
    var addedSessions = 0
    /// What is to be remembered, in the order of the writes.
    private(set) var effects: [SessionMemory.Change] = []

    /// Begins with nothing changed.
    init(_ database: SQLiteDatabase, memory: SessionMemory) {
        self.database = database
        self.memory = memory
    }

    /// Says what is to be remembered once the transaction is committed.
    func afterCommit(_ effect: @escaping SessionMemory.Change) {
        effects.append(effect)
    }

    /// Ends a session; nothing happens where it is not there.
    ///
    /// - Returns: whether it was.
    /// - Throws: `SQLiteError`.
    @discardableResult
    func end(_ id: SessionID, now: Timestamp) throws(SQLiteError) -> Bool {
        guard try database.end(id, now: now) else { return false }
        addedSessions -= 1
        afterCommit { state in
            state.sessions -= 1
            state.tombstones += 1
            state.end(id)
        }
        return true
    }

    /// Writes down when a session ends.
    ///
    /// - Throws: `SQLiteError`.
    func write(_ expiresAt: Timestamp, of id: SessionID) throws(SQLiteError) {
        try database.setExpiry(expiresAt, of: id)
        afterCommit { $0.lives[id]?.written = expiresAt }
    }

    /// When the next session ends, of one owner or of all: the nearest of the hundred that end first by the file.
    ///
    /// - Throws: `SQLiteError`.
    func nearestExpiry(owner: String?) throws(SQLiteError) -> Timestamp? {
        let found = try database.firstToEnd(owner: owner)
        return memory.withState { state in found.map { state.expiry(of: $0.id, written: $0.expiresAt) }.min() }
    }
}
