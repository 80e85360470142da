import SQLite

/// A file that keeps sessions, and how it is opened.
struct SessionFile: Sendable {
    /// Larger files are checked at the start without the kept rows, which are most of them: what is wrong with those costs
    /// a fetch and nothing else.
    private static let largestWholeCheck: Int64 = 64 << 20

    /// Where it is.
    var path: String
    /// Its tables.
    var schema = Schema.current
    /// By which callers are named that bring their own credentials.
    var ownerKey: FileOwnerKey?
    /// How long another process is waited for that may be about to end.
    var patience: Duration = .seconds(1)
    /// What is done to the connection once it is open; for tests.
    var prepare: @Sendable (SQLiteDatabase) throws(SQLiteError) -> Void = { _ throws(SQLiteError) in }

    /// Opens the file, brings it up to date and takes it for this process alone.
    ///
    /// - Returns: whether callers have been named by the file's key before.
    /// - Throws: `SessionFileError`; the database is closed then.
    func open(_ database: SQLiteDatabase) throws(SessionFileError) -> Bool {
        do throws(SessionFileError) {
            let found = try attempt { () throws(SQLiteError) in
                try database.open(.privateFile(path), busyTimeout: patience)
                // Somebody may have put another file there: nothing in its schema is run that is not SQLite's own, and its
                // pages are looked at before they are believed (sqlite.org/security.html).
                try database.execute("PRAGMA trusted_schema = OFF")
                try database.execute("PRAGMA cell_size_check = ON")
                // For this process alone: no other one writes over what this one remembers. The lock ends with the process.
                try database.execute("PRAGMA locking_mode = EXCLUSIVE")
                return Int(try database.userVersion())
            }
            // Before anything is written to a file that is none of ours.
            try checkOrigin(of: database, version: found)
            try checkSoundness(of: database, version: found)
            return try attempt { () throws(SQLiteError) in
                try database.execute("PRAGMA journal_mode = WAL")
                try database.execute("PRAGMA synchronous = FULL")
                // Seldom, since the sessions that move write the same pages again and again.
                try database.execute("PRAGMA wal_autocheckpoint = 4096")
                try database.execute("PRAGMA journal_size_limit = \(32 << 20)")
                try schema.migrate(database, from: found)
                try prepare(database)
                database.rememberFiles()
                guard let ownerKey else { return true }
                let own = ownerKey.current()
                let key = try database.ownerKey(orElse: own)
                ownerKey.adopt(key)
                return key == own
            }
        } catch {
            database.close()
            throw error
        }
    }

    private func checkOrigin(of database: SQLiteDatabase, version: Int) throws(SessionFileError) {
        let (application, tables) = try attempt { () throws(SQLiteError) in
            (
                try database.first("PRAGMA application_id") { $0.integer(at: 0) } ?? 0,
                try database.first("SELECT count(*) FROM sqlite_schema") { $0.integer(at: 0) } ?? 0
            )
        }
        let isEmpty = application == 0 && version == 0 && tables == 0
        guard isEmpty || application == Schema.applicationID else { throw .foreign(path: path) }
        guard version <= schema.version else { throw .newer(path: path, version: version, known: schema.version) }
        guard isEmpty || version > 0 else { throw .damaged(path: path, detail: "it has no version") }
    }

    private func checkSoundness(of database: SQLiteDatabase, version: Int) throws(SessionFileError) {
        guard version > 0 else { return }
        let faults = try attempt { () throws(SQLiteError) in
            let pages = try database.first("PRAGMA page_count") { $0.integer(at: 0) } ?? 0
            let pageSize = try database.first("PRAGMA page_size") { $0.integer(at: 0) } ?? 0
            let parts = pages * pageSize <= Self.largestWholeCheck ? [""] : ["(session)", "(ended)"]
            var faults: [String] = []
            for part in parts {
                try database.query("PRAGMA quick_check\(part)") { faults.append($0.text(at: 0) ?? "") }
            }
            return faults.filter { $0 != "ok" }
        }
        if let fault = faults.first {
            throw .damaged(path: path, detail: fault.split(separator: "\n").first.map { String($0) } ?? "")
        }
    }

    private func attempt<Output>(
        _ work: () throws(SQLiteError) -> Output
    ) throws(SessionFileError) -> Output {
        do {
            return try work()
        } catch {
            throw SessionFileError(error, path: path)
        }
    }
}

extension SessionFileError {
    /// What a failure while a file is opened says of it.
    init(_ error: SQLiteError, path: String) {
        self =
            switch error.kind {
            case .busy: .inUse(path: path)
            case .full, .readOnly: .notWritable(path: path, detail: error.message)
            case .cannotOpen, .inputOutput, .moved: .cannotOpen(path: path, detail: error.message)
            case .corrupt, .notADatabase, .constraint, .closed, .other: .damaged(path: path, detail: error.message)
            }
    }
}
