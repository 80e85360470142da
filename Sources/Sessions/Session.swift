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
    private let source: any PageSource
    private let store: any SessionStore
    private let clock: ServiceClock
    private let waitingMoves: Int
    private var turns = TurnQueue()
    private nonisolated let requests = Atomic(0)
    private nonisolated let wasUsed = Atomic(true)
    private nonisolated let fetches = Atomic(0)

    init(id: SessionID, source: any PageSource, store: any SessionStore, clock: ServiceClock, waitingMoves: Int) {
        self.id = id
        self.source = source
        self.store = store
        self.clock = clock
        self.waitingMoves = waitingMoves
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
        let record = try await live(owner)
        wasUsed.store(true, ordering: .relaxed)
        let expiresAt = clock.now().adding(seconds: record.definition.idleTimeout)
        do {
            try await store.touch(id, expiresAt: expiresAt)
        } catch {
            throw SessionError(error, now: clock.now())
        }
        var touched = record
        touched.expiresAt = max(record.expiresAt, expiresAt)
        return touched
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
    /// - Parameters:
    ///   - position: where the caller believes the session to stand; `nil` moves it from wherever it stands.
    ///   - waits: whether to wait while another move is under way.
    /// - Throws: `SessionError`; the session is then as it was.
    public func move(
        _ move: SessionMove, after position: Int?, for owner: String, waits: Bool = true
    ) async throws(SessionError) -> MoveOutcome {
        let present = try await record(for: owner)
        requests.add(1, ordering: .relaxed)
        defer { requests.subtract(1, ordering: .relaxed) }
        if let outcome = try await repeated(move, after: position, for: owner, in: present) { return outcome }
        if !turns.take() {
            guard waits, turns.waitingCount < waitingMoves else { throw .busy }
            guard await withCheckedContinuation({ turns.wait($0) }) else { throw .expired }
        }
        defer { turns.pass() }
        while true {
            let record = try await live(owner)
            if let outcome = try await repeated(move, after: position, for: owner, in: record) { return outcome }
            if let position, position != record.position { throw .stale(position: record.position) }
            let outcome =
                if let fetching = move.fetching {
                    try await fetch(fetching, as: move, for: owner, from: record)
                } else {
                    try await reset(record)
                }
            // None: somebody else, in another process, moved the session meanwhile. Start again from there.
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
        let page: Page?
        do {
            page = try await source.page(number, itemsPerPage: record.definition.itemsPerPage, caller: owner)
        } catch {
            throw .pagination(error, record)
        }
        guard let page else { throw .noSuchPage }
        return MoveOutcome(record: record, page: page, origin: .fetched, upstream: clock.uptime() - start)
    }

    /// Sends away whoever waits for a turn: the session has ended.
    func dismissWaiting() {
        turns.dismissWaiting()
    }

    private func live(_ owner: String) async throws(SessionError) -> SessionRecord {
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

    private func repeated(
        _ move: SessionMove, after position: Int?, for owner: String, in record: SessionRecord
    ) async throws(SessionError) -> MoveOutcome? {
        guard let position, position >= 0, record.position - 1 == position, record.reachedBy == move else { return nil }
        switch record.keptPage {
        case .none: return MoveOutcome(record: record, page: nil, origin: .replayed, upstream: .zero)
        case .page(let page): return MoveOutcome(record: record, page: page, origin: .replayed, upstream: .zero)
        case .withoutRows(var page):
            let itemsPerPage = record.definition.itemsPerPage
            guard let offset = PaginatorState.offset(ofPage: page.page, itemsPerPage: itemsPerPage) else { return nil }
            let request = PageRequest(offset: offset, limit: itemsPerPage)
            var upstream = Duration.zero
            page.rows = try await ask(request, for: owner, record: record, upstream: &upstream).rows
            return MoveOutcome(record: record, page: page, origin: .refetched, upstream: upstream)
        }
    }

    private func reset(_ record: SessionRecord) async throws(SessionError) -> MoveOutcome? {
        var record = record
        if !record.state.isFinished {
            record.state.reset()
            arrive(&record, by: .reset, keeping: .none)
            guard try await commit(record, event: .reset(record)) else { return nil }
        }
        return MoveOutcome(record: record, page: nil, origin: .fetched, upstream: .zero)
    }

    private func fetch(
        _ fetching: Move, as move: SessionMove, for owner: String, from start: SessionRecord
    ) async throws(SessionError) -> MoveOutcome? {
        var state = start.state
        let action: PaginatorState.Action
        do {
            action = try state.begin(fetching)
        } catch {
            throw .pagination(error, start)
        }
        guard case .fetch(var request) = action else { preconditionFailure("a move begins with a fetch") }
        fetches.add(1, ordering: .relaxed)
        defer { fetches.subtract(1, ordering: .relaxed) }
        var upstream = Duration.zero
        while true {
            let answer = try await ask(request, for: owner, record: start, upstream: &upstream)
            commit: while true {
                // The flag may have been changed during the fetch, and is looked at when a page arrives.
                var record = try await live(owner)
                guard record.position == start.position else { return nil }
                var arrived = state
                arrived.publisherShouldFinish = record.state.publisherShouldFinish
                switch try complete(&arrived, answer, record: record) {
                case .fetch(let further):
                    (request, state) = (further, arrived)
                    break commit
                case .deliver(let page):
                    record.state = arrived
                    arrive(&record, by: move, keeping: .page(page))
                    guard try await commit(record, event: .page(page, record)) else { continue commit }
                    return MoveOutcome(record: record, page: page, origin: .fetched, upstream: upstream)
                }
            }
        }
    }

    private func arrive(_ record: inout SessionRecord, by move: SessionMove, keeping page: SessionRecord.KeptPage) {
        record.position += 1
        record.reachedBy = move
        record.keptPage = page
        record.expiresAt = max(record.expiresAt, clock.now().adding(seconds: record.definition.idleTimeout))
    }

    private func complete(
        _ state: inout PaginatorState, _ answer: PageAnswer, record: SessionRecord
    ) throws(SessionError) -> PaginatorState.Action {
        do {
            return try state.complete(answer)
        } catch {
            throw .pagination(error, record)
        }
    }

    private func ask(
        _ request: PageRequest, for owner: String, record: SessionRecord, upstream: inout Duration
    ) async throws(SessionError) -> PageAnswer {
        var request = request
        request.caller = owner
        let start = clock.uptime()
        do {
            let answer = try await source.fetch(request)
            upstream += clock.uptime() - start
            return answer
        } catch {
            throw .pagination(.source(error), record)
        }
    }

    private func commit(_ record: SessionRecord, event: SessionEvent?) async throws(SessionError) -> Bool {
        do {
            return try await store.replace(record, event: event)
        } catch {
            throw SessionError(error, now: clock.now())
        }
    }
}
