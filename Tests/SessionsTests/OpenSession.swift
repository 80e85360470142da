import Clocks
import Pagination
import PaginatordTesting

@testable import Sessions

/// A session of Ann's with all that it needs, on clocks that a test moves.
struct OpenSession {
    let clock = ManualClock()
    let source: ScriptedSource
    let store: any SessionStore
    let registry: SessionRegistry
    let id: SessionID
    let session: Session

    init(
        _ source: ScriptedSource = ScriptedSource(SampleSet(count: 85)),
        store: any SessionStore = MemorySessionStore(), publisherShouldFinish: Bool = false, idleTimeout: Int = 900,
        readAhead: ReadAheadDepth = .auto, configuration: SessionConfiguration = SessionConfiguration()
    ) async throws {
        self.source = source
        self.store = store
        registry = SessionRegistry(
            store: store, configuration: configuration, clock: clock.clock
        ) { _ in source }
        var definition = SessionDefinition(
            instance: "default", table: "incident", itemsPerPage: 20, idleTimeout: idleTimeout)
        definition.readAhead = readAhead
        id = try await registry.open(definition, publisherShouldFinish: publisherShouldFinish, owner: "ann").id
        session = try await registry.session(id, for: "ann")
    }

    /// Makes a move as Ann.
    @discardableResult
    func move(_ move: SessionMove, after position: Int? = nil, waits: Bool = true) async throws -> MoveOutcome {
        try await session.move(move, after: position, for: "ann", waits: waits)
    }

    /// Makes moves as Ann, one after the other.
    func moves(_ moves: SessionMove...) async throws {
        for move in moves { try await self.move(move) }
    }

    /// What the store has.
    var stored: SessionRecord {
        get async throws {
            guard case .live(let record) = try await store.read(id) else { throw NeverHappened(what: "a session") }
            return record
        }
    }

    /// Every event so far and until the close.
    func events(of listener: AsyncThrowingStream<SessionEvent, any Error>) async throws -> [SessionEvent] {
        try await store.delete(id, now: clock.now)
        return try await listener.reduce(into: []) { $0.append($1) }
    }
}

extension Session {
    /// A session as another process would have it.
    init(id: SessionID, source: any PageSource, store: any SessionStore, clock: ServiceClock) {
        self.init(
            id: id, idleTimeout: 900, source: source, store: store, clock: clock,
            configuration: SessionConfiguration(waitingMoves: .max),
            background: Background { nil }, readAheadMemory: ReadAheadMemory(bytes: 0))
    }
}

/// The error that a session throws, without the session's state; for tests that look only at the kind.
enum Refusal: Equatable {
    case notFound, expired, busy, noSuchPage, full
    case stale(Int)
    case pagination(PaginationError)
    case store(String), impossible(String)

    init(_ error: SessionError) {
        self =
            switch error {
            case .notFound: .notFound
            case .expired: .expired
            case .busy: .busy
            case .stale(let position): .stale(position)
            case .noSuchPage: .noSuchPage
            case .pagination(let error, _): .pagination(error)
            case .tooManySessions: .full
            case .store(let reason): .store(reason)
            case .impossible(let what): .impossible(what)
            }
    }
}

/// The refusal that a call ends with; `nil` where it is not refused.
func refusal(_ call: () async throws -> Void) async -> Refusal? {
    do {
        try await call()
        return nil
    } catch {
        return (error as? SessionError).map { Refusal($0) }
    }
}
