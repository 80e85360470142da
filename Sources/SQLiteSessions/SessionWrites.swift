import Clocks
import Locks
import SQLite
import Sessions

/// The file's connection: gathers what waits to be written into one transaction, and opens the file again after failures
/// that this may mend.
final class SessionWrites: Sendable {
    /// How long a file that could not be opened is left alone, and an answer of `check` stands.
    private static let pause = Duration.seconds(1)

    /// How many writes one transaction takes where the disk is quick: those who wait for it then do not wait for all others,
    /// and the next ones gather meanwhile.
    private static let quickGroup = 16
    /// From when on a disk counts as slow; whatever waits is then written together.
    private static let slowCommit = Duration.milliseconds(2)

    private struct State {
        var waiting: [any WaitingWrite] = []
        /// Whether the file was told to be of no use.
        var isLost = false
        /// Why the file is not open, and until when it is left alone.
        var refusal: (error: SessionStoreError, until: Duration)?
        var isClosed = false
        /// How many writes the next transaction takes at most.
        var group = SessionWrites.quickGroup
        var latestCheck: (result: Result<Void, SessionStoreError>, at: Duration)?
    }

    private let connection: SQLiteConnection
    private let file: SessionFile
    private let memory: SessionMemory
    private let clock: ServiceClock
    private let onChange: @Sendable (String?) -> Void
    private let state = Lock(State())

    /// Makes a connection that is not open yet.
    ///
    /// - Parameter onChange: called on the connection's thread, with why the file cannot be used, and with `nil` when it can again.
    /// - Throws: `SessionFileError` where the system gives no thread.
    init(
        file: SessionFile, memory: SessionMemory, clock: ServiceClock, onChange: @escaping @Sendable (String?) -> Void
    ) throws(SessionFileError) {
        do {
            connection = try .unopened()
        } catch {
            throw .cannotOpen(path: file.path, detail: error.message)
        }
        self.file = file
        self.memory = memory
        self.clock = clock
        self.onChange = onChange
    }

    /// How many writes wait for a transaction.
    var waitingCount: Int {
        state.withLock { $0.waiting.count }
    }

    /// Opens the file for the first time.
    ///
    /// - Throws: `SessionFileError`, but for one that may pass.
    func start() async throws(SessionFileError) {
        try await connection.run { database throws(SessionFileError) in
            do throws(SessionFileError) {
                _ = try self.open(database)
            } catch {
                guard error.isPassing else { throw error }
                self.refuse(error)
            }
        }
    }

    /// Writes, together with whatever else waits, and returns what it came to once that is on the disk.
    ///
    /// - Throws: `SessionStoreError`; nothing is written then.
    func write<Output: Sendable>(
        _ body: @escaping SessionWrite<Output>.Body
    ) async throws(SessionStoreError) -> Output {
        let write = SessionWrite(body)
        state.withLock { $0.waiting.append(write) }
        // Whoever comes first takes along what has gathered meanwhile; the others then find nothing left to do.
        await connection.run { database in
            while !write.isOver { self.commit(database) }
        }
        return try write.outcome.get()
    }

    /// Reads.
    ///
    /// - Throws: `SessionStoreError`.
    func read<Output: Sendable>(
        _ body: @Sendable (SQLiteDatabase) throws(SQLiteError) -> Result<Output, SessionStoreError>
    ) async throws(SessionStoreError) -> Output {
        try await connection.run { database throws(SessionStoreError) in
            try self.ready(database)
            let result: Result<Output, SessionStoreError>
            do throws(SQLiteError) {
                result = try body(database)
            } catch {
                throw self.failure(error, database)
            }
            return try result.get()
        }
    }

    /// Looks whether there is room to write, once a second at most.
    ///
    /// - Throws: `SessionStoreError`.
    func check() async throws(SessionStoreError) {
        let now = clock.uptime()
        if let latest = state.withLock({ $0.latestCheck }), now - latest.at < Self.pause {
            return try latest.result.get()
        }
        do {
            try await write { transaction throws(SQLiteError) in
                try transaction.database.tryWriting()
                return .success(())
            }
            state.withLock { $0.latestCheck = (.success(()), now) }
        } catch {
            state.withLock { $0.latestCheck = (.failure(error), now) }
            throw error
        }
    }

    /// Writes down when the sessions end and closes the file for good.
    func close() async {
        await connection.run { database in
            self.memory.withState { $0.makeAllLate() }
            self.commit(database)
            database.close()
            self.state.withLock { $0.isClosed = true }
        }
    }

    // MARK: On the connection's thread

    /// Opens the file; returns whether callers have been named by its key before.
    private func open(_ database: SQLiteDatabase) throws(SessionFileError) -> Bool {
        let hasNamedCallers = try file.open(database)
        do throws(SQLiteError) {
            let (sessions, tombstones) = (
                try database.countOfRows(in: "session"), try database.countOfRows(in: "ended")
            )
            // Somebody else may have had the file meanwhile.
            memory.withState { $0.begin(sessions: sessions, tombstones: tombstones) }
        } catch {
            database.close()
            throw SessionFileError(error, path: file.path)
        }
        state.withLock { $0.refusal = nil }
        return hasNamedCallers
    }

    /// Leaves the file alone for a while; returns what whoever asks is told meanwhile.
    @discardableResult
    private func refuse(_ error: SessionFileError) -> SessionStoreError {
        let refusal = lost(error.reason)
        let until = clock.uptime() + Self.pause
        state.withLock { $0.refusal = (refusal, until) }
        return refusal
    }

    /// Notes that the file cannot be used; returns what whoever asks is told.
    private func lost(_ reason: String) -> SessionStoreError {
        let reason = "The sessions' file cannot be used: \(reason)."
        note(reason)
        return .unavailable(reason)
    }

    /// Tells why the file cannot be used, or that it can, where that was otherwise before.
    private func note(_ reason: String?) {
        let isLost = reason != nil
        let isChange = state.withLock { state in
            defer { state.isLost = isLost }
            return state.isLost != isLost
        }
        if isChange { onChange(reason) }
    }

    /// Something was written. Where that failed before, there may still be no room for more.
    private func noteRecovery(_ database: SQLiteDatabase) {
        guard state.withLock(\.isLost) else { return }
        do throws(SQLiteError) {
            try database.transaction { () throws(SQLiteError) in try database.tryWriting() }
            note(nil)
        } catch {}
    }

    /// Sees to it that the file is open.
    private func ready(_ database: SQLiteDatabase) throws(SessionStoreError) {
        if database.isOpen { return }
        let (refusal, isClosed) = state.withLock { ($0.refusal, $0.isClosed) }
        if isClosed { throw .unavailable("The sessions' file is closed.") }
        if let refusal, clock.uptime() < refusal.until { throw refusal.error }
        let hasNamedCallers: Bool
        do throws(SessionFileError) {
            hasNamedCallers = try open(database)
        } catch {
            throw refuse(error)
        }
        // Who asks now was named by a key that nobody has any more.
        guard hasNamedCallers else { throw lost("it could be opened only now") }
    }

    /// What a failure means to whoever asked. Where it is the file itself that cannot be reached, the file is closed and opened
    /// again at the next request.
    private func failure(_ error: SQLiteError, _ database: SQLiteDatabase) -> SessionStoreError {
        let reason: String
        switch error.kind {
        case .full: reason = "there is no room left"
        case .readOnly, .inputOutput, .cannotOpen, .notADatabase, .moved:
            database.close()
            reason = SessionFileError(error, path: file.path).reason
        case .busy, .corrupt, .constraint, .closed, .other: reason = error.message
        }
        return lost(reason)
    }

    /// Writes whatever waits, in one transaction; where that fails, each by itself, so that it fails alone.
    private func commit(_ database: SQLiteDatabase) {
        let waiting = state.withLock { state in
            let waiting = Array(state.waiting.prefix(state.group))
            state.waiting.removeFirst(waiting.count)
            return waiting
        }
        let late = memory.withState { $0.takeLate() }
        guard !waiting.isEmpty || !late.isEmpty else { return }
        do throws(SessionStoreError) {
            try ready(database)
        } catch {
            for write in waiting { write.fail(error) }
            return
        }
        guard let error = commit(waiting, late, database) else { return }
        if error.kind == .full {
            // What the log holds moves to the file, which takes less room.
            _ = try? database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        }
        let isAlone = waiting.count + (late.isEmpty ? 0 : 1) == 1 && error.kind != .full
        for write in waiting {
            do throws(SessionStoreError) {
                if !isAlone { try ready(database) }
                if let error = isAlone ? error : commit([write], [], database) { throw failure(error, database) }
            } catch {
                write.fail(error)
            }
        }
        // Those that fail here are tried again when their sessions are used.
        if !isAlone, database.isOpen { _ = commit([], late, database) }
    }

    private func commit(
        _ waiting: [any WaitingWrite], _ late: [SessionMemory.Expiry], _ database: SQLiteDatabase
    ) -> SQLiteError? {
        let transaction = SessionTransaction(database, memory: memory)
        var made = Duration.zero
        do throws(SQLiteError) {
            try database.transaction { () throws(SQLiteError) in
                for (id, expiresAt) in late { try transaction.write(expiresAt, of: id) }
                for write in waiting { try write.make(in: transaction) }
                made = clock.uptime()
            }
        } catch {
            return error
        }
        guard database.isInPlace else {
            // Whoever opens the files that are there now is not to find a log of others; those of this one are then whole.
            _ = try? database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            database.close()
            return SQLiteError(.moved, "it was moved, replaced or deleted")
        }
        let isSlow = clock.uptime() - made >= Self.slowCommit
        state.withLock { $0.group = isSlow ? .max : Self.quickGroup }
        noteRecovery(database)
        let effects = transaction.effects
        memory.withState { state in
            for effect in effects { effect(&state) }
        }
        return nil
    }
}
