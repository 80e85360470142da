import SQLite

/// The tables of a sessions' file, as steps from version to version: a file of an earlier version is brought up to date by
/// the steps that it lacks.
struct Schema: Sendable {
    /// What distinguishes our files from other programs' databases (`PRAGMA application_id`): "pgsn".
    static let applicationID: Int32 = 0x7067_736E

    /// The statements that lead from version n to version n + 1, for every n from 0. Never changed once released.
    var steps: [[String]]

    /// The version that this program writes.
    var version: Int { steps.count }

    /// The tables as this program knows them.
    static let current = Schema(steps: [
        [
            // A sequence is never given twice, not even where the newest session has ended.
            """
            CREATE TABLE session (
              sequence INTEGER PRIMARY KEY AUTOINCREMENT, id BLOB NOT NULL UNIQUE, owner TEXT NOT NULL,
              expires_at INTEGER NOT NULL, revision INTEGER NOT NULL, opening BLOB NOT NULL, state BLOB NOT NULL)
            """,
            "CREATE INDEX session_owner ON session (owner, sequence)",
            "CREATE INDEX session_expiry ON session (expires_at)",
            // Apart, so that a list and an expiry do not read pages.
            "CREATE TABLE kept_rows (sequence INTEGER PRIMARY KEY, rows BLOB NOT NULL)",
            "CREATE TABLE ended (id BLOB PRIMARY KEY, owner TEXT NOT NULL, ended_at INTEGER NOT NULL) WITHOUT ROWID",
            "CREATE INDEX ended_time ON ended (ended_at)",
        ],
        // One row at most.
        ["CREATE TABLE owner_key (first INTEGER NOT NULL, second INTEGER NOT NULL)"],
    ])

    /// Brings a file up to date, in one transaction.
    ///
    /// - Parameter found: its version.
    /// - Throws: `SQLiteError`; the file is then as it was.
    func migrate(_ database: SQLiteDatabase, from found: Int) throws(SQLiteError) {
        // Even where nothing has to be done this shows whether the file can be written.
        try database.transaction { () throws(SQLiteError) in
            for statement in steps[found...].joined() { try database.execute(statement) }
            guard found < version else { return }
            try database.execute("PRAGMA application_id = \(Self.applicationID)")
            try database.setUserVersion(Int32(version))
        }
    }
}
