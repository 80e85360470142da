import Clocks
import Locks
import Pagination
import PaginatordTesting
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(10))) struct SessionRegistryTests {
    private let clock = ManualClock()
    private let definition = SessionDefinition(
        instance: "default", table: "incident", itemsPerPage: 20, idleTimeout: 60)

    private func registry(
        perOwner: Int? = nil, total: Int = 100, store: any SessionStore = MemorySessionStore(),
        made: Counter = Counter()
    ) -> SessionRegistry {
        let configuration = SessionConfiguration(limits: SessionLimits(perOwner: perOwner, total: total))
        return SessionRegistry(store: store, configuration: configuration, clock: clock.clock) { _ in
            made.add()
            return ScriptedSource(SampleSet(count: 85))
        }
    }

    private func open(_ registry: SessionRegistry, owner: String = "ann") async throws -> SessionRecord {
        try await registry.open(definition, publisherShouldFinish: false, owner: owner)
    }

    @Test("A session is opened without asking the instance, with its values in force", arguments: [true, false])
    func open(finishes: Bool) async throws {
        let made = Counter()
        let registry = registry(made: made)
        let record = try await registry.open(definition, publisherShouldFinish: finishes, owner: "ann")
        #expect(record.owner == "ann" && record.definition == definition)
        #expect(record.position == 0 && record.reachedBy == nil && record.keptPage == .none)
        #expect(record.state == PaginatorState(itemsPerPage: 20, publisherShouldFinish: finishes))
        #expect(record.createdAt == clock.now && record.expiresAt == clock.now.adding(seconds: 60))
        #expect(made.value == 0)
    }

    @Test("A session is found by its owner alone")
    func find() async throws {
        let registry = registry()
        let record = try await open(registry)
        #expect(await refusal { _ = try await registry.session(record.id, for: "bob") } == .notFound)
        let session = try await registry.session(record.id, for: "ann")
        #expect(try await registry.session(record.id, for: "ann") === session)
        #expect(try await session.record(for: "ann") == record)
        #expect(await refusal { _ = try await registry.session(SessionID(), for: "ann") } == .notFound)
    }

    @Test("Limits refuse and say when to come back: at the nearest expiry", arguments: [true, false])
    func limits(isPerOwner: Bool) async throws {
        let registry = isPerOwner ? registry(perOwner: 2) : registry(total: 2)
        let first = try await open(registry)
        clock.advance(milliseconds: 10_500)
        _ = try await open(registry)
        await #expect(throws: SessionError.tooManySessions(limit: 2, retryAfter: 50)) { try await open(registry) }
        if isPerOwner { _ = try await open(registry, owner: "bob") }
        clock.advance(milliseconds: 49_499)
        await #expect(throws: SessionError.tooManySessions(limit: 2, retryAfter: 1)) { try await open(registry) }
        _ = try await registry.session(first.id, for: "ann").record(for: "ann")
        // The first was used: now the second is the nearest.
        await #expect(throws: SessionError.tooManySessions(limit: 2, retryAfter: 11)) { try await open(registry) }
    }

    @Test("Sessions whose time is up make room before anybody is refused, and those in use do not")
    func sweepsBeforeRefusing() async throws {
        let registry = registry(total: 1)
        let first = try await open(registry)
        clock.advance(seconds: 60)
        let second = try await open(registry)
        #expect(await refusal { _ = try await registry.session(first.id, for: "ann") } == .expired)
        let source = ScriptedSource(SampleSet(count: 85))
        let gate = Gate()
        source.hold(behind: gate)
        let store = MemorySessionStore()
        let busy = SessionRegistry(
            store: store, configuration: SessionConfiguration(limits: SessionLimits(perOwner: nil, total: 1)),
            clock: clock.clock
        ) { _ in source }
        let session = try await busy.session(try await open(busy).id, for: "ann")
        async let page = session.move(.next, after: nil, for: "ann")
        try await source.waitForRequests(1)
        clock.advance(seconds: 600)
        #expect(await refusal { _ = try await open(busy) } == .full)
        gate.open()
        #expect(try await page.record.position == 1)
        #expect(second.position == 0)
    }

    @Test("Closing tells the owner of an ended session nothing new, however it ended; nobody else learns of it")
    func close() async throws {
        let registry = registry()
        let closed = try await open(registry)
        let expired = try await open(registry)
        let unswept = try await open(registry)
        #expect(await refusal { try await registry.close(closed.id, for: "bob") } == .notFound)
        try await registry.close(closed.id, for: "ann")
        try await registry.close(closed.id, for: "ann")
        #expect(await refusal { _ = try await registry.session(closed.id, for: "ann") } == .expired)
        #expect(await refusal { _ = try await registry.session(closed.id, for: "bob") } == .notFound)
        #expect(await refusal { try await registry.close(closed.id, for: "bob") } == .notFound)
        #expect(await refusal { try await registry.close(SessionID(), for: "ann") } == .notFound)
        clock.advance(seconds: 60)
        try await registry.close(unswept.id, for: "ann")
        await registry.sweep()
        try await registry.close(expired.id, for: "ann")
        clock.advance(seconds: 3601)
        await registry.sweep()
        #expect(await refusal { try await registry.close(closed.id, for: "ann") } == .notFound)
        #expect(await refusal { _ = try await registry.session(expired.id, for: "ann") } == .notFound)
    }

    @Test("A session that was found before it was closed answers expired")
    func closedMeanwhile() async throws {
        let registry = registry()
        let id = try await open(registry).id
        let session = try await registry.session(id, for: "ann")
        try await registry.close(id, for: "ann")
        for move in SessionMove.allCases {
            #expect(await refusal { _ = try await session.move(move, after: nil, for: "ann") } == .expired)
        }
    }

    @Test("The list is the owner's, newest first, page by page, without those whose time is up")
    func list() async throws {
        let registry = registry()
        var ids: [SessionID] = []
        for index in 0..<9 {
            ids.append(try await open(registry).id)
            _ = try await open(registry, owner: "bob")
            if index < 5 { clock.advance(seconds: 5) }
        }
        // Six, counted from the oldest: the first five at 0, 5, 10, 15, 20, the others at 25. Now 25.
        _ = try await registry.session(ids[1], for: "ann").record(for: "ann")
        clock.advance(seconds: 55)
        // Those of 0, 10, 15 and 20 are over.
        let expected = [8, 7, 6, 5, 1].map { ids[$0] }
        for limit in 1...10 {
            var listed: [SessionID] = []
            var sequence: Int?
            while true {
                let page = try await registry.list(owner: "ann", before: sequence, limit: limit)
                #expect(page.allSatisfy { !$0.isBusy })
                listed += page.map(\.record.id)
                guard page.count == limit else { break }
                sequence = page.last?.record.sequence
            }
            #expect(listed == expected, "limit \(limit)")
        }
        #expect(try await registry.list(owner: "cid", before: nil, limit: 10).isEmpty)
    }

    @Test("The list says which sessions are busy")
    func listBusy() async throws {
        let open = try await OpenSession()
        let gate = Gate()
        open.source.hold(behind: gate)
        async let page = open.move(.next)
        try await open.source.waitForRequests(1)
        #expect(try await open.registry.list(owner: "ann", before: nil, limit: 10).map(\.isBusy) == [true])
        gate.open()
        _ = try await page
        #expect(try await open.registry.list(owner: "ann", before: nil, limit: 10).map(\.isBusy) == [false])
    }

    @Test("Sessions that nobody uses are let go, and come back as they were")
    func letGo() async throws {
        let made = Counter()
        let registry = registry(made: made)
        let id = try await open(registry).id
        weak let held = try await registry.session(id, for: "ann")
        #expect(held != nil)
        _ = try await registry.session(id, for: "ann").move(.next, after: 0, for: "ann")
        await registry.sweep()
        #expect(held != nil)
        await registry.sweep()
        #expect(held == nil)
        #expect(made.value == 1)
        let back = try await registry.session(id, for: "ann")
        #expect(made.value == 2)
        let outcome = try await back.move(.next, after: 0, for: "ann")
        #expect(outcome.origin == .replayed && outcome.record.position == 1)
        #expect(try await back.move(.next, after: 1, for: "ann").page?.page == 2)
    }

    @Test(
        "Whoever has found a session has the one that others find too, whether they use it or not",
        arguments: [false, true])
    func oneForAll(isUsed: Bool) async throws {
        let registry = registry(made: Counter())
        let id = try await open(registry).id
        let found = try await registry.session(id, for: "ann")
        if isUsed { _ = try await found.record(for: "ann") }
        for _ in 0..<4 { await registry.sweep() }
        #expect(try await registry.session(id, for: "ann") === found)
    }

    @Test("Sweeping goes on until it is cancelled, and a store that is away does not stop it")
    func run() async throws {
        let store = FlakyStore()
        let registry = registry(store: store)
        let id = try await open(registry).id
        let rounds = Counter()
        let clock = clock
        await registry.run(every: .seconds(7)) { interval in
            #expect(interval == .seconds(7))
            rounds.add()
            store.isAway = rounds.value < 3
            clock.advance(seconds: 30)
            if rounds.value == 6 { throw CancellationError() }
        }
        #expect(try await store.read(id) == .gone(owner: "ann"))
    }

    @Test("A store that is away is told as such, by everything, and nothing is half done")
    func storeIsAway() async throws {
        let store = FlakyStore()
        let open = try await OpenSession(store: store)
        try await open.move(.next)
        store.isAway = true
        let away = Refusal.store("away")
        #expect(await refusal { _ = try await self.open(open.registry) } == away)
        #expect(await refusal { _ = try await open.registry.list(owner: "ann", before: nil, limit: 1) } == away)
        #expect(await refusal { try await open.registry.close(open.id, for: "ann") } == away)
        #expect(await refusal { _ = try await open.session.record(for: "ann") } == away)
        #expect(await refusal { _ = try await open.session.page(1, for: "ann") } == away)
        #expect(await refusal { _ = try await open.session.setPublisherShouldFinish(true, for: "ann") } == away)
        for move in SessionMove.allCases { #expect(await refusal { try await open.move(move) } == away) }
        store.isAway = false
        #expect(open.source.requests.count == 1)
        let gate = Gate()
        open.source.hold(behind: gate)
        let late = Task { await refusal { try await open.move(.next, after: 1) } }
        try await open.source.waitForRequests(2)
        store.isAway = true
        gate.open()
        #expect(await late.value == away)
        #expect(!open.session.isBusy)
        store.isAway = false
        #expect(try await open.stored.position == 1)
        #expect(try await open.move(.next, after: 1).page?.page == 2)
    }

    @Test("A source that cannot be made is an upstream failure with the session's state")
    func noSource() async throws {
        let registry = SessionRegistry(
            store: MemorySessionStore(), configuration: SessionConfiguration(), clock: clock.clock
        ) { _ throws(PageSourceError) in throw .failed(nil, reason: "gone") }
        let record = try await open(registry)
        await #expect(throws: SessionError.pagination(.source(.failed(nil, reason: "gone")), record)) {
            try await registry.session(record.id, for: "ann")
        }
    }
}

/// A number that several tasks raise.
final class Counter: Sendable {
    private let count = Lock(0)

    var value: Int { count.withLock { $0 } }

    func add() {
        count.withLock { $0 += 1 }
    }
}

/// A store that can be out of reach.
final class FlakyStore: SessionStore {
    private let base = MemorySessionStore()
    private let away = Lock(false)

    var isAway: Bool {
        get { away.withLock { $0 } }
        set { away.withLock { $0 = newValue } }
    }

    private func reach() throws(SessionStoreError) {
        if isAway { throw .unavailable("away") }
    }

    func create(_ record: SessionRecord, limits: SessionLimits) async throws(SessionStoreError) -> SessionRecord {
        try reach()
        return try base.create(record, limits: limits)
    }

    func read(_ id: SessionID) async throws(SessionStoreError) -> StoredSession {
        try reach()
        return base.read(id)
    }

    func replace(_ record: SessionRecord, event: SessionEvent?) async throws(SessionStoreError) -> Bool {
        try reach()
        return base.replace(record, event: event)
    }

    func touch(_ id: SessionID, expiresAt: Timestamp) async throws(SessionStoreError) {
        try reach()
        base.touch(id, expiresAt: expiresAt)
    }

    func list(owner: String, before sequence: Int?, limit: Int) async throws(SessionStoreError) -> [SessionRecord] {
        try reach()
        return base.list(owner: owner, before: sequence, limit: limit)
    }

    func delete(_ id: SessionID, now: Timestamp) async throws(SessionStoreError) {
        try reach()
        base.delete(id, now: now)
    }

    func sweep(now: Timestamp, inUse: @Sendable (SessionID) -> Bool) async throws(SessionStoreError) -> [SessionID] {
        try reach()
        return base.sweep(now: now, inUse: inUse)
    }

    func publish(_ event: SessionEvent, of id: SessionID) async {
        base.publish(event, of: id)
    }

    func events(of id: SessionID) async throws(SessionStoreError) -> AsyncThrowingStream<SessionEvent, any Error> {
        try reach()
        return base.events(of: id)
    }

    func check() async throws(SessionStoreError) {
        try reach()
    }
}
