import Clocks
import Pagination
import Synchronization

/// One open session: lets its callers move one after the other, repeats what was lost, and puts every page into the store
/// before anybody sees it.
///
/// What the session is stands in the store; this actor holds the order of its callers and the source of its pages.
public actor Session {
    /// The session's name.
    public nonisolated let id: SessionID
    let source: any PageSource
    let store: any SessionStore
    let clock: ServiceClock
    let configuration: SessionConfiguration
    let background: Background
    let readAheadMemory: ReadAheadMemory
    /// Whose move it is.
    nonisolated let turns = TurnQueue()
    /// How often this actor has written the session: tells whether a record that was read before a wait may be old.
    private var writes = 0
    /// How many requests, streams and exports are under way.
    nonisolated let requests = Atomic(0)
    private nonisolated let wasUsed = Atomic(true)
    private nonisolated let fetches = Atomic(0)
    private let idleTimeout: Int
    /// When a use that goes on was told the store last, in milliseconds since 1970.
    private nonisolated let stayedAt = Atomic(0)
    /// The pages behind the cursor that are at hand or under way.
    var readAhead = ReadAhead()
    /// Until when one of them may be delivered, in milliseconds of the clock's uptime.
    nonisolated let holdsPagesUntil = Atomic(0)

    init(
        id: SessionID, idleTimeout: Int, source: any PageSource, store: any SessionStore, clock: ServiceClock,
        configuration: SessionConfiguration, background: Background, readAheadMemory: ReadAheadMemory
    ) {
        self.id = id
        self.idleTimeout = idleTimeout
        self.source = source
        self.store = store
        self.clock = clock
        self.configuration = configuration
        self.background = background
        self.readAheadMemory = readAheadMemory
    }

    /// Whether a move's fetch is under way.
    public nonisolated var isBusy: Bool {
        fetches.load(ordering: .relaxed) > 0
    }

    /// Whether any request is under way: the session does not expire meanwhile.
    nonisolated var isInUse: Bool {
        requests.load(ordering: .relaxed) > 0
    }

    /// Whether it was used since this was asked the last time.
    nonisolated func takeWasUsed() -> Bool {
        wasUsed.exchange(false, ordering: .relaxed)
    }

    /// The session as it stands. Counts as use.
    ///
    /// - Throws: `SessionError`.
    public func record(for owner: String) async throws(SessionError) -> SessionRecord {
        var record = try await live(owner)
        wasUsed.store(true, ordering: .relaxed)
        do {
            record.expiresAt = max(record.expiresAt, try await touch(record))
        } catch {
            throw SessionError(error, now: clock.now())
        }
        return record
    }

    /// Changes whether the publisher ends with the last page. Waits for no move; a page that arrives later obeys it.
    ///
    /// - Throws: `SessionError`.
    public func setPublisherShouldFinish(_ value: Bool, for owner: String) async throws(SessionError) -> SessionRecord {
        while true {
            var record = try await record(for: owner)
            record.state.publisherShouldFinish = value
            if try await commit(record, event: nil) { return record }
        }
    }

    /// Moves the session, or repeats the move that a caller may not have heard the end of.
    ///
    /// A caller that hangs up does not end the fetch, whose page is kept for its repeat: so the calling task is not to be
    /// cancelled when that happens, and `HTTPServer` does not.
    /// - Parameters:
    ///   - position: where the caller believes the session to stand; `nil` moves it from wherever it stands.
    ///   - waits: whether to wait while another move is under way.
    /// - Throws: `SessionError`; the session is then as it was.
    public func move(
        _ move: SessionMove, after position: Int?, for owner: String, waits: Bool = true
    ) async throws(SessionError) -> MoveOutcome {
        let writesBefore = writes
        let present = try await record(for: owner)
        requests.add(1, ordering: .relaxed)
        defer { requests.subtract(1, ordering: .relaxed) }
        if present.wasReached(by: move, from: position) { return try await again(present, for: owner) }
        var isFresh = turns.take()
        if !isFresh {
            guard waits else { throw .busy }
            switch await turns.wait(behind: configuration.waitingMoves) {
            case .taken: break
            // A cancelled caller hears nothing; what it might hear is true: the move was not made.
            case .full, .cancelled: throw .busy
            case .dismissed: throw .expired
            }
        }
        defer { turns.pass() }
        isFresh = isFresh && writes == writesBefore
        let lease = try await lease(waits: waits)
        defer { lease.end() }
        if let revision = lease.revision { isFresh = isFresh && revision == present.revision }
        while true {
            let record = isFresh ? present : try await live(owner)
            isFresh = false
            if record.wasReached(by: move, from: position) { return try await again(record, for: owner) }
            if let position, position != record.position { throw .stale(position: record.position) }
            let outcome =
                if let fetching = move.fetching {
                    try await fetch(fetching, as: move, for: owner, from: record)
                } else {
                    try await reset(record)
                }
            // None: somebody else wrote the session meanwhile, in another process perhaps. Start again from there.
            if let outcome { return outcome }
        }
    }

    /// Fetches one page by its number and leaves the session where it is.
    ///
    /// - Throws: `SessionError`.
    public func page(_ number: Int, for owner: String) async throws(SessionError) -> MoveOutcome {
        let record = try await record(for: owner)
        requests.add(1, ordering: .relaxed)
        defer { requests.subtract(1, ordering: .relaxed) }
        guard !record.state.isFinished else { throw .pagination(.finished, record) }
        let start = clock.uptime()
        let found: (page: Page, origin: PageAnswer.Origin)?
        do {
            found = try await source.pageWithOrigin(
                number, itemsPerPage: record.definition.itemsPerPage, caller: owner)
        } catch {
            await stay(record)
            throw .pagination(error, record)
        }
        guard let (page, origin) = found else { throw .noSuchPage }
        await stay(record)
        return MoveOutcome(
            record: record, page: page, origin: MoveOutcome.Origin(origin), upstream: clock.uptime() - start)
    }

    /// Sends away whoever waits for a turn, and gives up what was read ahead: the session has ended.
    func end() {
        turns.dismissWaiting()
        _ = readAhead.retain([], now: clock.uptime())
    }

    /// The session as it is stored, if this owner has it and its time is not up.
    func live(_ owner: String) async throws(SessionError) -> SessionRecord {
        let stored: StoredSession
        do {
            stored = try await store.read(id)
        } catch {
            throw SessionError(error, now: clock.now())
        }
        switch stored {
        case .live(let record) where record.owner == owner:
            guard record.expiresAt > clock.now() || isInUse else { throw .expired }
            return record
        case .gone(owner): throw .expired
        case .live, .gone, .unknown: throw .notFound
        }
    }

    /// Answers a repeated move with the page that the session keeps, or with that page fetched again.
    private func again(_ record: SessionRecord, for owner: String) async throws(SessionError) -> MoveOutcome {
        switch record.keptPage {
        case .none: return MoveOutcome(record: record, page: nil, origin: .replayed, upstream: .zero)
        case .page(let page): return MoveOutcome(record: record, page: page, origin: .replayed, upstream: .zero)
        case .withoutRows(var page):
            var upstream = Duration.zero
            var origin = MoveOutcome.Origin.refetched
            if let offset = PaginatorState.offset(ofPage: page.page, itemsPerPage: page.itemsPerPage) {
                let request = PageRequest(offset: offset, limit: page.itemsPerPage)
                do {
                    let answer = try await ask(request, for: owner, upstream: &upstream)
                    page.rows = answer.rows
                    if answer.origin == .cached { origin = .cached }
                } catch {
                    throw await failed(.source(error), record, isMove: false)
                }
                await stay(record)
                // A session that was deleted meanwhile has no page any more.
                _ = try await live(owner)
            }
            return MoveOutcome(record: record, page: page, origin: origin, upstream: upstream)
        }
    }

    private func reset(_ record: SessionRecord) async throws(SessionError) -> MoveOutcome? {
        var record = record
        if !record.state.isFinished {
            record.state.reset()
            arrive(&record, by: .reset, keeping: .none)
            guard try await commit(record, event: .reset(record)) else { return nil }
            readAhead(behind: record, after: nil)
        }
        return MoveOutcome(record: record, page: nil, origin: .fetched, upstream: .zero)
    }

    private func fetch(
        _ fetching: Move, as move: SessionMove, for owner: String, from start: SessionRecord
    ) async throws(SessionError) -> MoveOutcome? {
        var state = start.state
        var action: PaginatorState.Action
        do {
            action = try state.begin(fetching)
        } catch {
            throw .pagination(error, start)
        }
        fetches.add(1, ordering: .relaxed)
        defer { fetches.subtract(1, ordering: .relaxed) }
        var record = start
        var upstream = Duration.zero
        // None while everything needed was at hand already.
        var asked: PageAnswer.Origin?
        while case .fetch(let request) = action {
            let answer: PageAnswer
            // What was read ahead is older than an answer that this move has got already, and so is its count.
            if asked == nil, let page = readAhead.take(request, now: clock.uptime()) {
                answer = page
            } else {
                do {
                    answer = try await ask(request, for: owner, upstream: &upstream)
                } catch {
                    throw await failed(.source(error), record)
                }
                asked = min(asked ?? answer.origin, answer.origin)
            }
            // What was read before the fetch is good enough if nobody wrote since, which `replace` finds out.
            arrival: while true {
                var arrived = state
                // The flag may have been changed during the fetch, and is looked at when a page arrives.
                arrived.publisherShouldFinish = record.state.publisherShouldFinish
                do {
                    action = try arrived.complete(answer)
                } catch {
                    throw await failed(error, record)
                }
                guard case .deliver(let page) = action else {
                    state = arrived
                    break arrival
                }
                var moved = record
                moved.state = arrived
                arrive(&moved, by: move, keeping: .page(page))
                if try await commit(moved, event: .page(page, moved)) {
                    readAhead(behind: moved, after: start.reachedBy)
                    return MoveOutcome(
                        record: moved, page: page, origin: asked.map { MoveOutcome.Origin($0) } ?? .readAhead,
                        upstream: upstream)
                }
                record = try await live(owner)
                guard record.position == start.position else { return nil }
            }
        }
        throw .impossible("a move ended without a page")
    }

    /// Tells everybody of an upstream failure, which leaves the session as it was. The caller hears how it stands now, or that it
    /// was deleted meanwhile.
    private func failed(_ error: PaginationError, _ record: SessionRecord, isMove: Bool = true) async -> SessionError {
        await stay(record)
        var present = record
        do {
            present = try await live(record.owner)
        } catch {
            // A store that is away now is of no consequence here either.
            if error == .expired { return error }
        }
        if isMove, case .source(let failure) = error { await store.publish(.failure(failure), of: id) }
        return .pagination(error, present)
    }

    /// Lets the session live on from the end of a long use: it may have been longer than the idle timeout.
    func stay(_ record: SessionRecord) async {
        // A store that is away now is of no consequence: what was asked for has its answer.
        _ = try? await touch(record)
    }

    /// Tells the store of a use that goes on, such as an open stream, every tenth of the idle timeout: a later process, or
    /// another one that shares the store, knows of it by this alone.
    nonisolated func stayWhileInUse() async {
        let now = clock.now()
        guard isInUse, now.milliseconds - stayedAt.load(ordering: .relaxed) >= idleTimeout * 100 else { return }
        stayedAt.store(now.milliseconds, ordering: .relaxed)
        // Told again a tenth later, so a store that is away now is of no consequence.
        _ = try? await store.touch(id, expiresAt: now.adding(seconds: idleTimeout))
    }

    private func touch(_ record: SessionRecord) async throws(SessionStoreError) -> Timestamp {
        let expiresAt = clock.now().adding(seconds: record.definition.idleTimeout)
        try await store.touch(id, expiresAt: expiresAt)
        return expiresAt
    }

    private func arrive(_ record: inout SessionRecord, by move: SessionMove, keeping page: SessionRecord.KeptPage) {
        record.position += 1
        record.reachedBy = move
        record.keptPage = page
        record.stay(from: clock.now())
    }

    /// Takes the session against other processes.
    private func lease(waits: Bool) async throws(SessionError) -> SessionLease {
        let lease: SessionLease?
        do {
            lease = try await store.lease(id, waits: waits)
        } catch {
            throw SessionError(error, now: clock.now())
        }
        guard let lease else { throw .busy }
        return lease
    }

    /// Asks the source for what a move needs.
    private func ask(
        _ request: PageRequest, for owner: String, upstream: inout Duration
    ) async throws(PageSourceError) -> PageAnswer {
        var request = request
        request.caller = owner
        let start = clock.uptime()
        defer { upstream += clock.uptime() - start }
        return try await source.fetch(request)
    }

    private func commit(_ record: SessionRecord, event: SessionEvent?) async throws(SessionError) -> Bool {
        defer { writes += 1 }
        do {
            return try await store.replace(record, event: event)
        } catch {
            throw SessionError(error, now: clock.now())
        }
    }
}

extension SessionRecord {
    /// Whether the session stands where that move from that position led: the move is then a repeat.
    fileprivate func wasReached(by move: SessionMove, from position: Int?) -> Bool {
        guard let position, position >= 0 else { return false }
        return self.position - 1 == position && reachedBy == move
    }
}
