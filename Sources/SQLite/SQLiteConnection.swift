/// A connection to a database, on a thread of its own.
///
/// Work is handed over as closures; they run on that thread one behind the other, in the order in which they were
/// handed over, so nothing that SQLite does blocks the caller's thread. The connection closes when it is released.
public actor SQLiteConnection {
    private let thread: SQLiteThread
    private let database: SQLiteDatabase

    /// The connection's own thread. Safe because the actor, which holds the thread, outlives the reference's use.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        thread.asUnownedSerialExecutor()
    }

    private init(statementCapacity: Int) throws(SQLiteError) {
        thread = try SQLiteThread()
        database = SQLiteDatabase(statementCapacity: statementCapacity)
    }

    /// Opens a database.
    ///
    /// - Parameters:
    ///   - location: where it lives.
    ///   - busyTimeout: how long a statement waits for another connection's lock before it fails as busy.
    ///   - statementCapacity: how many prepared statements are kept for reuse.
    /// - Throws: `SQLiteError` where it cannot be opened. That a file is damaged or no database shows only with the
    ///   first statement.
    public static func open(
        _ location: SQLiteLocation, busyTimeout: Duration = .seconds(5), statementCapacity: Int = 128
    ) async throws(SQLiteError) -> SQLiteConnection {
        let connection = try SQLiteConnection(statementCapacity: statementCapacity)
        try await connection.start(location, busyTimeout: busyTimeout)
        return connection
    }

    /// A connection whose work opens, and closes, the database itself.
    ///
    /// - Parameter statementCapacity: how many prepared statements are kept for reuse.
    /// - Throws: `SQLiteError` where the system gives no thread.
    public static func unopened(statementCapacity: Int = 128) throws(SQLiteError) -> SQLiteConnection {
        try SQLiteConnection(statementCapacity: statementCapacity)
    }

    private func start(_ location: SQLiteLocation, busyTimeout: Duration) throws(SQLiteError) {
        try database.open(location, busyTimeout: busyTimeout)
    }

    /// Runs work on the connection's thread and returns what it returns.
    ///
    /// The database is valid only inside the closure.
    /// - Throws: whatever the work throws.
    @discardableResult
    public func run<Output: Sendable, Failure: Error>(
        _ work: @Sendable (SQLiteDatabase) throws(Failure) -> Output
    ) async throws(Failure) -> Output {
        try work(database)
    }

    /// Closes the connection after the work handed over so far; later work fails as closed.
    public func close() {
        database.close()
    }
}
