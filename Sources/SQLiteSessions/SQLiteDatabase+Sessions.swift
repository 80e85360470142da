import Clocks
import SQLite
import Sessions

/// The statements that sessions need; each is one indexed look-up or change.
extension SQLiteDatabase {
    private static let columns = "id, sequence, expires_at, revision, opening, state"

    /// A session's row.
    func session(_ id: SessionID) throws(SQLiteError) -> StoredRow? {
        try first("SELECT \(Self.columns) FROM session WHERE id = ?", [.blob(id.bytes)]) { storedRow($0) }
    }

    /// A session with its kept page. What cannot be read of that page's rows does not matter: they are fetched again.
    func record(_ id: SessionID) throws(SQLiteError) -> Result<SessionRecord?, SessionStoreError> {
        guard let row = try session(id) else { return .success(nil) }
        if let rows = try? keptRows(row.sequence), let record = try? row.record(rows: rows) { return .success(record) }
        do throws(SessionEncodingError) {
            return .success(try row.record(rows: nil))
        } catch {
            return .failure(SessionStoreError(error))
        }
    }

    /// An owner's sessions, the newest first.
    func sessions(of owner: String, before sequence: Int?, limit: Int) throws(SQLiteError) -> [StoredRow] {
        var rows: [StoredRow] = []
        try query(
            "SELECT \(Self.columns) FROM session WHERE owner = ? AND sequence < ? ORDER BY sequence DESC LIMIT ?",
            [.text(owner), .integer(Int64(sequence ?? .max)), .integer(Int64(limit))]
        ) { rows.append(storedRow($0)) }
        return rows
    }

    /// The rows of a session's kept page.
    func keptRows(_ sequence: Int64) throws(SQLiteError) -> [UInt8]? {
        try first("SELECT rows FROM kept_rows WHERE sequence = ?", [.integer(sequence)]) { $0.blob(at: 0) } ?? nil
    }

    /// Whose an ended session was.
    func ownerOfEnded(_ id: SessionID) throws(SQLiteError) -> String? {
        try first("SELECT owner FROM ended WHERE id = ?", [.blob(id.bytes)]) { $0.text(at: 0) } ?? nil
    }

    /// How many rows a table has.
    func countOfRows(in table: StaticString) throws(SQLiteError) -> Int {
        Int(try first("SELECT count(*) FROM \(table)") { $0.integer(at: 0) } ?? 0)
    }

    /// How many sessions an owner has.
    func countOfSessions(of owner: String) throws(SQLiteError) -> Int {
        Int(try first("SELECT count(*) FROM session WHERE owner = ?", [.text(owner)]) { $0.integer(at: 0) } ?? 0)
    }

    /// The sessions, of one owner or of all, that end first by what is written: a hundred at most.
    func firstToEnd(owner: String?) throws(SQLiteError) -> [SessionMemory.Expiry] {
        var found: [SessionMemory.Expiry] = []
        let (condition, parameters): (String, [SQLiteValue]) =
            owner.map { ("WHERE owner = ?", [.text($0)]) } ?? ("", [])
        try query("SELECT id, expires_at FROM session \(condition) ORDER BY expires_at LIMIT 100", parameters) { row in
            guard let id = SessionID(bytes: row.blob(at: 0) ?? []) else { return }
            found.append((id, Timestamp(milliseconds: Int(row.integer(at: 1)))))
        }
        return found
    }

    /// Sessions whose written time is up, in the order of that time, from behind the given one on: so many at most that ending
    /// them holds nobody up for long.
    func due(
        at now: Timestamp, behind last: DueSession?
    ) throws(SQLiteError) -> [DueSession] {
        var found: [DueSession] = []
        try query(
            """
            SELECT id, sequence, expires_at FROM session
            WHERE expires_at <= ? AND (expires_at, sequence) > (?, ?) ORDER BY expires_at, sequence LIMIT 250
            """,
            [
                .integer(Int64(now.milliseconds)), .integer(Int64(last?.expiresAt.milliseconds ?? .min)),
                .integer(last?.sequence ?? .min),
            ]
        ) { row in
            guard let id = SessionID(bytes: row.blob(at: 0) ?? []) else { return }
            found.append(
                DueSession(
                    id: id, sequence: row.integer(at: 1),
                    expiresAt: Timestamp(milliseconds: Int(row.integer(at: 2)))))
        }
        return found
    }

    /// Adds a session and gives its sequence back.
    func insert(_ record: SessionRecord) throws(SQLiteError) -> Int64 {
        try first(
            """
            INSERT INTO session (id, owner, expires_at, revision, opening, state) VALUES (?, ?, ?, ?, ?, ?)
            RETURNING sequence
            """,
            [
                .blob(record.id.bytes), .text(record.owner), .integer(Int64(record.expiresAt.milliseconds)),
                .integer(Int64(record.revision)), .blob(EncodedSession.opening(of: record)),
                .blob(EncodedSession.state(of: record)),
            ]
        ) { $0.integer(at: 0) } ?? 0
    }

    /// Writes what has changed in a session, if it has that revision still.
    ///
    /// - Parameter expiresAt: when it ends; `nil` leaves what is written.
    /// - Returns: whether it had.
    func update(
        sequence: Int, revision: Int, state: [UInt8], expiresAt: Timestamp?
    ) throws(SQLiteError) -> Bool {
        let state = SQLiteValue.blob(state)
        let key: [SQLiteValue] = [.integer(Int64(sequence)), .integer(Int64(revision))]
        guard let expiresAt else {
            return try execute(
                "UPDATE session SET state = ?, revision = revision + 1 WHERE sequence = ? AND revision = ?",
                [state] + key) == 1
        }
        return try execute(
            """
            UPDATE session SET state = ?, revision = revision + 1, expires_at = ? WHERE sequence = ? AND revision = ?
            """, [state, .integer(Int64(expiresAt.milliseconds))] + key) == 1
    }

    /// Writes, or takes away, the rows of a session's kept page.
    func setKeptRows(_ rows: [UInt8]?, of sequence: Int64) throws(SQLiteError) {
        if let rows {
            try execute("INSERT OR REPLACE INTO kept_rows VALUES (?, ?)", [.integer(sequence), .blob(rows)])
        } else {
            try execute("DELETE FROM kept_rows WHERE sequence = ?", [.integer(sequence)])
        }
    }

    /// Writes when a session ends.
    func setExpiry(_ expiresAt: Timestamp, of id: SessionID) throws(SQLiteError) {
        try execute(
            "UPDATE session SET expires_at = ? WHERE id = ?",
            [.integer(Int64(expiresAt.milliseconds)), .blob(id.bytes)])
    }

    /// Takes a session away and leaves its tombstone.
    ///
    /// - Returns: whether it was there.
    func end(_ id: SessionID, now: Timestamp) throws(SQLiteError) -> Bool {
        let found = try first(
            "DELETE FROM session WHERE id = ? RETURNING sequence, owner", [.blob(id.bytes)]
        ) { ($0.integer(at: 0), $0.text(at: 1) ?? "") }
        guard let (sequence, owner) = found else { return false }
        try setKeptRows(nil, of: sequence)
        try execute(
            "INSERT OR REPLACE INTO ended VALUES (?, ?, ?)",
            [.blob(id.bytes), .text(owner), .integer(Int64(now.milliseconds))])
        return true
    }

    /// How many tombstones are taken away at a time.
    static let tombstoneGroup = 1000

    /// Takes away tombstones set before that time, and the oldest past that many: a group at most, so that nobody is held up
    /// for long.
    ///
    /// - Returns: how many; fewer than a group only where there are no more.
    func forgetEnded(before time: Timestamp, count: Int, limit: Int) throws(SQLiteError) -> Int {
        let oldest = try first("SELECT min(ended_at) FROM ended") { $0.integer(at: 0) } ?? .max
        let excess = max(0, min(count - limit, Self.tombstoneGroup))
        guard excess > 0 || oldest < Int64(time.milliseconds) else { return 0 }
        let group = "SELECT id FROM ended WHERE ended_at < ? ORDER BY ended_at LIMIT ?"
        let forgotten = try execute(
            "DELETE FROM ended WHERE id IN (\(group))",
            [.integer(Int64(time.milliseconds)), .integer(Int64(Self.tombstoneGroup))])
        guard forgotten < excess else { return forgotten }
        return forgotten
            + (try execute(
                "DELETE FROM ended WHERE id IN (\(group))", [.integer(.max), .integer(Int64(excess - forgotten))]))
    }

    /// The key under which callers are named: the file's own, or this one where it has none yet.
    func ownerKey(orElse key: FileOwnerKey.Words) throws(SQLiteError) -> FileOwnerKey.Words {
        let words: (UInt64) -> SQLiteValue = { .integer(Int64(bitPattern: $0)) }
        try execute(
            "INSERT INTO owner_key SELECT ?, ? WHERE NOT EXISTS (SELECT * FROM owner_key)",
            [words(key.first), words(key.second)])
        let found = try first("SELECT first, second FROM owner_key") {
            (UInt64(bitPattern: $0.integer(at: 0)), UInt64(bitPattern: $0.integer(at: 1)))
        }
        return found ?? key
    }

    /// Writes something of a session's size and takes it away again, to see whether there is room.
    func tryWriting() throws(SQLiteError) {
        try setKeptRows(Array(repeating: 0, count: 8192), of: -1)
        try setKeptRows(nil, of: -1)
    }

    private func storedRow(_ row: borrowing SQLiteRow) -> StoredRow {
        StoredRow(
            name: row.blob(at: 0) ?? [], sequence: row.integer(at: 1),
            expiresAt: Timestamp(milliseconds: Int(row.integer(at: 2))), revision: Int(row.integer(at: 3)),
            opening: row.blob(at: 4) ?? [], state: row.blob(at: 5) ?? [])
    }
}
