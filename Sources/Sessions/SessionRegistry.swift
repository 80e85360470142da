public import Clocks
public import Pagination

/// Opens, finds and ends sessions.
public actor SessionRegistry {
    /// Makes the source of a session's pages.
    public typealias SourceFactory = @Sendable (SessionDefinition) throws(PageSourceError) -> any PageSource

    private let store: any SessionStore
    private let configuration: SessionConfiguration
    private let clock: ServiceClock
    private let makeSource: SourceFactory
    /// Where pages are read ahead.
    let background: Background
    private let readAheadMemory: ReadAheadMemory
    private var live: [SessionID: Session] = [:]
    /// The second of the latest sweep.
    private var sweptSecond: Int?

    /// A registry over a store.
    ///
    /// - Parameters:
    ///   - executor: where work that is begun now, and goes on when its caller has been answered, ought to run; `nil`:
    ///     wherever there is room.
    ///   - makeSource: makes the source of a session's pages. Requests for the same window that it has under way at the same
    ///     time ought to be one.
    public init(
        store: any SessionStore, configuration: SessionConfiguration, clock: ServiceClock,
        executor: @escaping @Sendable () -> (any TaskExecutor)? = { nil }, makeSource: @escaping SourceFactory
    ) {
        self.store = store
        self.configuration = configuration
        self.clock = clock
        self.makeSource = makeSource
        background = Background(executor: executor)
        readAheadMemory = ReadAheadMemory(bytes: configuration.readAheadMemory)
    }

    /// Opens a session. Nothing is asked of the instance.
    ///
    /// - Throws: `SessionError`.
    public func open(
        _ definition: SessionDefinition, publisherShouldFinish: Bool, owner: String
    ) async throws(SessionError) -> SessionRecord {
        let record = SessionRecord(
            id: SessionID(), owner: owner, definition: definition, publisherShouldFinish: publisherShouldFinish,
            now: clock.now())
        do {
            return try await store.create(record, limits: configuration.limits)
        } catch let full where full.isFull {
            // Sessions whose time is up do not count. But callers who are refused again and again shall not cost more
            // than one sweep a second.
            guard clock.now().milliseconds / 1000 != sweptSecond else { throw SessionError(full, now: clock.now()) }
            await sweep()
        } catch {
            throw SessionError(error, now: clock.now())
        }
        do {
            return try await store.create(record, limits: configuration.limits)
        } catch {
            throw SessionError(error, now: clock.now())
        }
    }

    /// Finds a session by its name. Whose it is, and whether its time is up, is looked at by its methods.
    ///
    /// - Throws: `SessionError`.
    public func session(_ id: SessionID, for owner: String) async throws(SessionError) -> Session {
        if let session = live[id] { return session }
        switch try await stored(id) {
        case .live(let record) where record.owner == owner:
            // Somebody else may have come first while the store was read.
            if let session = live[id] { return session }
            let session = try makeSession(record)
            live[id] = session
            return session
        case .gone(owner): throw .expired
        case .live, .gone, .unknown: throw .notFound
        }
    }

    /// An owner's sessions, the newest first, each with whether a fetch is under way.
    ///
    /// - Throws: `SessionError`.
    public func list(
        owner: String, before sequence: Int?, limit: Int
    ) async throws(SessionError) -> [(record: SessionRecord, isBusy: Bool)] {
        let now = clock.now()
        var sequence = sequence
        var found: [(record: SessionRecord, isBusy: Bool)] = []
        // More than once only where sessions whose time is up have not been swept yet.
        while found.count < limit {
            let wanted = limit - found.count
            let records: [SessionRecord]
            do {
                records = try await store.list(owner: owner, before: sequence, limit: wanted)
            } catch {
                throw SessionError(error, now: now)
            }
            for var record in records {
                let session = live[record.id]
                if session?.isInUse == true { record.stay(from: now) }
                if record.expiresAt > now { found.append((record, session?.isBusy ?? record.isLeased)) }
            }
            guard records.count == wanted else { break }
            sequence = records.last?.sequence
        }
        return found
    }

    /// Closes a session: its streams end, and moves that wait or are under way are told that it is gone. Closing it again
    /// changes nothing.
    ///
    /// - Throws: `SessionError.notFound` where this owner never had it.
    public func close(_ id: SessionID, for owner: String) async throws(SessionError) {
        switch try await stored(id) {
        case .live(let record) where record.owner == owner:
            do {
                try await store.delete(id, now: clock.now())
            } catch {
                throw SessionError(error, now: clock.now())
            }
            await live.removeValue(forKey: id)?.end()
        case .gone(owner): return
        case .live, .gone, .unknown: throw .notFound
        }
    }

    /// Looks whether sessions can be read and written now.
    ///
    /// - Throws: `SessionError.store` where they cannot.
    public func checkStore() async throws(SessionError) {
        do {
            try await store.check()
        } catch {
            throw SessionError(error, now: clock.now())
        }
    }

    /// Ends the sessions whose time is up, now and every `interval`, until the task is cancelled. Only meanwhile are pages read
    /// ahead.
    ///
    /// - Parameter sleep: waits for that long; throws when the task is cancelled.
    public func run(every interval: Duration, sleep: @Sendable (Duration) async throws -> Void) async {
        background.open()
        while !Task.isCancelled {
            await sweep()
            do { try await sleep(interval) } catch { break }
        }
        await background.close()
    }

    /// Ends the sessions whose time is up, and lets go of what is held for sessions that nobody is using: the store has it.
    public func sweep() async {
        sweptSecond = clock.now().milliseconds / 1000
        let used = live.values.filter(\.isInUse)
        for session in used { await session.stayWhileInUse() }
        let inUse = Set(used.map(\.id))
        // A store that is away now is asked again next time.
        let ended = (try? await store.sweep(now: clock.now()) { inUse.contains($0) }) ?? []
        for id in ended { await live.removeValue(forKey: id)?.end() }
        let now = clock.uptime()
        var overdue: [Session] = []
        for id in Array(live.keys) {
            // Whoever has found a session and does not use it yet shall not be left with another one than those who come
            // later: they would not wait for each other, and nobody would know that it is in use.
            let isHeld = !isKnownUniquelyReferenced(&live[id])
            guard let session = live[id] else { continue }
            if session.hasOldPages(at: now) { overdue.append(session) }
            if !isHeld, !session.isInUse, !session.takeWasUsed(), !session.holdsPages(at: now) { live[id] = nil }
        }
        for session in overdue { await session.dropOldPages() }
    }

    private func stored(_ id: SessionID) async throws(SessionError) -> StoredSession {
        do {
            return try await store.read(id)
        } catch {
            throw SessionError(error, now: clock.now())
        }
    }

    private func makeSession(_ record: SessionRecord) throws(SessionError) -> Session {
        do {
            return Session(
                id: record.id, idleTimeout: record.definition.idleTimeout, source: try makeSource(record.definition),
                store: store, clock: clock,
                configuration: configuration, background: background, readAheadMemory: readAheadMemory)
        } catch {
            throw .pagination(.source(error), record)
        }
    }
}
