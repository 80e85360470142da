internal import CSQLite

/// An open database, used by one thread at a time: by the work of a `SQLiteConnection`.
///
/// Its SQL has one more function, `text_contains`.
public final class SQLiteDatabase {
    private var handle: OpaquePointer?
    private var statements: StatementCache
    /// What it writes to, by path.
    private var files: [String: FileIdentity] = [:]

    /// Makes a closed database.
    init(statementCapacity: Int) {
        statements = StatementCache(capacity: statementCapacity)
    }

    deinit {
        close()
    }

    /// Whether it is open.
    public var isOpen: Bool { handle != nil }

    /// Opens it; only while it is closed.
    ///
    /// - Parameter busyTimeout: how long a statement waits for another connection's lock before it fails as busy.
    /// - Throws: `SQLiteError` where it cannot be opened.
    public func open(_ location: SQLiteLocation, busyTimeout: Duration) throws(SQLiteError) {
        if case .privateFile(let path) = location { try makePrivate(path) }
        let (path, access): (String, Int32) =
            switch location {
            case .memory: (":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            case .file(let path), .privateFile(let path): (path, SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE)
            case .readOnlyFile(let path): (path, SQLITE_OPEN_READONLY)
            }
        var status = sqlite3_open_v2(path, &handle, access | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_EXRESCODE, nil)
        if status == SQLITE_OK { status = TextSearch.define(in: handle) }
        guard status == SQLITE_OK else {
            let error = failure(status)
            close()
            throw error
        }
        let parts = busyTimeout.components
        let milliseconds = parts.seconds * 1000 + parts.attoseconds / 1_000_000_000_000_000
        sqlite3_busy_timeout(handle, Int32(clamping: milliseconds))
    }

    /// Remembers which files are its own, for `isInPlace`; once it has been written to, since not all are there before.
    public func rememberFiles() {
        files = [:]
        guard let path = sqlite3_db_filename(handle, nil).map({ String(cString: $0) }) else { return }
        for file in [path, path + "-wal"] { files[file] = FileIdentity(at: file) }
    }

    /// Whether the files that it writes to are still those at its path: what is written to others is there for nobody.
    public var isInPlace: Bool {
        files.allSatisfy { FileIdentity(at: $0.key) == $0.value }
    }

    /// Closes it; what is called later fails as closed.
    public func close() {
        statements.removeAll()
        // A statement that is still being stepped keeps the handle alive as a zombie until it is finalised.
        sqlite3_close_v2(handle)
        handle = nil
        files = [:]
    }

    /// Runs one statement to its end; rows that it gives are skipped.
    ///
    /// - Returns: the number of rows that it inserted, changed or deleted.
    /// - Throws: `SQLiteError`.
    @discardableResult
    public func execute(_ sql: String, _ parameters: [SQLiteValue] = []) throws(SQLiteError) -> Int {
        let before = sqlite3_total_changes64(handle)
        try query(sql, parameters) { _ in }
        return Int(sqlite3_total_changes64(handle) - before)
    }

    /// Runs one statement once for each list of parameters, prepared once: for many rows to be inserted.
    ///
    /// - Parameters:
    ///   - count: how often it runs.
    ///   - parameters: gives the parameters of one run, from 0.
    /// - Throws: `SQLiteError`; the runs before it stand unless a transaction around them is rolled back.
    public func execute(
        _ sql: String, times count: Int, _ parameters: (_ run: Int) -> [SQLiteValue]
    ) throws(SQLiteError) {
        let statement = try statement(for: sql)
        for run in 0..<count {
            try start(statement, parameters(run))
            defer { statement.stop() }
            while try step(statement) {}
        }
    }

    /// Runs one statement and hands over its rows one by one. A row is valid only during the call.
    ///
    /// - Throws: `SQLiteError`, its own or the closure's; after that no more rows come.
    public func query(
        _ sql: String, _ parameters: [SQLiteValue] = [],
        _ row: (borrowing SQLiteRow) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        let statement = try start(sql, parameters)
        defer { statement.stop() }
        while try step(statement) {
            try row(SQLiteRow(statement.handle))
        }
    }

    /// Runs one statement and reads its first row; `nil` where it gives none.
    ///
    /// - Throws: `SQLiteError`, its own or the closure's.
    public func first<Output>(
        _ sql: String, _ parameters: [SQLiteValue] = [],
        _ read: (borrowing SQLiteRow) throws(SQLiteError) -> Output
    ) throws(SQLiteError) -> Output? {
        let statement = try start(sql, parameters)
        defer { statement.stop() }
        return try step(statement) ? try read(SQLiteRow(statement.handle)) : nil
    }

    /// Runs work in one transaction that takes the write lock at its start. It is committed when the work returns and
    /// rolled back when the work, or the commit, throws. Transactions do not nest.
    ///
    /// - Throws: `SQLiteError`.
    @discardableResult
    public func transaction<Output>(
        _ work: () throws(SQLiteError) -> Output
    ) throws(SQLiteError) -> Output {
        try execute("BEGIN IMMEDIATE")
        do {
            let output = try work()
            try execute("COMMIT")
            return output
        } catch {
            // After some errors (a full disk, for one) SQLite has rolled back by itself.
            if sqlite3_get_autocommit(handle) == 0 { _ = try? execute("ROLLBACK") }
            throw error
        }
    }

    /// The number that the application keeps in the file's header, for its schema's version; 0 in a new file.
    /// - Throws: `SQLiteError`.
    public func userVersion() throws(SQLiteError) -> Int32 {
        try first("PRAGMA user_version") { Int32(truncatingIfNeeded: $0.integer(at: 0)) } ?? 0
    }

    /// Sets the number that `userVersion` reads.
    /// - Throws: `SQLiteError`.
    public func setUserVersion(_ version: Int32) throws(SQLiteError) {
        try execute("PRAGMA user_version = \(version)")
    }

    private func start(_ sql: String, _ parameters: [SQLiteValue]) throws(SQLiteError) -> SQLiteStatement {
        let statement = try statement(for: sql)
        try start(statement, parameters)
        return statement
    }

    private func start(_ statement: SQLiteStatement, _ parameters: [SQLiteValue]) throws(SQLiteError) {
        let status = statement.start(parameters)
        guard status == SQLITE_OK else {
            let error = failure(status)
            statement.stop()
            throw error
        }
    }

    private func statement(for sql: String) throws(SQLiteError) -> SQLiteStatement {
        guard let handle else { throw SQLiteError(.closed, "the database is closed") }
        if let statement = statements.idleStatement(for: sql) { return statement }
        var prepared: OpaquePointer?
        var sqlText = sql
        // Safe because UTF-8 bytes and C's characters have the same layout, and the statement keeps a copy of its text.
        let (status, isWhole) = sqlText.withUTF8 { bytes -> (Int32, Bool) in
            bytes.withMemoryRebound(to: CChar.self) { text in
                var rest: UnsafePointer<CChar>?
                let status = sqlite3_prepare_v3(
                    handle, text.baseAddress, Int32(clamping: text.count), UInt32(SQLITE_PREPARE_PERSISTENT), &prepared,
                    &rest)
                guard let base = text.baseAddress, let rest else { return (status, true) }
                return (status, text[(rest - base)...].allSatisfy { $0 == 0x20 || $0 == 0x0A || $0 == 0x3B })
            }
        }
        guard status == SQLITE_OK else { throw failure(status) }
        guard let prepared else { throw SQLiteError(.other, "no SQL statement") }
        let statement = SQLiteStatement(prepared)
        guard isWhole else { throw SQLiteError(.other, "more than one SQL statement") }
        statements.insert(statement, for: sql)
        return statement
    }

    private func step(_ statement: SQLiteStatement) throws(SQLiteError) -> Bool {
        switch sqlite3_step(statement.handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let status: throw failure(status)
        }
    }

    private func failure(_ status: Int32) -> SQLiteError {
        let text = handle.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(status)
        return SQLiteError(extendedCode: status, message: text.map { String(cString: $0) } ?? "error \(status)")
    }
}
