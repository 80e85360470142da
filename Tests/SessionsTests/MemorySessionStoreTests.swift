import Clocks
import Pagination
import PaginatordTesting
import Sessions
import Testing

@Suite(.timeLimit(.minutes(10))) struct MemorySessionStoreTests {
    private let now = ManualClock().now

    @Test("It does what every session store does", arguments: SessionStoreCheck.all)
    func conforms(check: SessionStoreCheck) async throws {
        try await check.run(SessionStoreFixture(store: MemorySessionStore()))
    }

    /// Opens a session and moves it to a page whose text has that many bytes.
    private func open(in store: MemorySessionStore, bytes: Int) throws -> SessionID {
        let record = try store.create(
            .sample(now: now), limits: SessionLimits(perOwner: nil, total: .max))
        let row = "{" + String(repeating: " ", count: bytes - 2) + "}"
        let (moved, page) = try record.moved(by: .next, answer: PageAnswer(texts: [row], total: 45))
        #expect(store.replace(moved, event: .page(page, moved)))
        return record.id
    }

    private func hasRows(_ id: SessionID, in store: MemorySessionStore) -> Bool? {
        guard case .live(let record) = store.read(id) else { return nil }
        switch record.keptPage {
        case .none: return nil
        case .page(let page): return page.rows.count == 1
        case .withoutRows(let page): return page.rows.isEmpty && page.page == 1 ? false : nil
        }
    }

    @Test("Kept pages share a budget: the one kept longest ago loses its rows, and nothing else")
    func budget() throws {
        // Each row takes its text and the 16 bytes that say where it stands.
        let store = MemorySessionStore(replayMemory: 3 * (100 + 16), maxPageBytes: 200)
        let ids = try (0..<3).map { _ in try open(in: store, bytes: 100) }
        #expect(ids.map { hasRows($0, in: store) } == [true, true, true])
        let fourth = try open(in: store, bytes: 100)
        #expect((ids + [fourth]).map { hasRows($0, in: store) } == [false, true, true, true])
        store.delete(ids[2], now: now)
        let fifth = try open(in: store, bytes: 100)
        #expect([ids[1], fourth, fifth].map { hasRows($0, in: store) } == [true, true, true])
        let large = try open(in: store, bytes: 200)
        #expect(
            [ids[1], fourth, fifth, large].map { hasRows($0, in: store) } == [false, false, true, true])
    }

    @Test("A page without rows is never taken for one that lost them")
    func emptyPage() throws {
        let store = MemorySessionStore(replayMemory: 0, maxPageBytes: 0)
        for total in [0, 45] {
            let record = try store.create(
                .sample(now: now), limits: SessionLimits(perOwner: nil, total: .max))
            let (moved, page) = try record.moved(by: .next, answer: PageAnswer(texts: [], total: total))
            #expect(store.replace(moved, event: nil))
            guard case .live(let stored) = store.read(record.id) else {
                throw NeverHappened(what: "a session")
            }
            #expect(stored.keptPage == .page(page))
        }
        let id = try open(in: store, bytes: 10)
        #expect(hasRows(id, in: store) == false)
    }

    @Test("A page over the largest size takes nothing from the others")
    func largePage() throws {
        let store = MemorySessionStore(replayMemory: 10_000, maxPageBytes: 100)
        let small = try open(in: store, bytes: 100)
        #expect(hasRows(try open(in: store, bytes: 101), in: store) == false)
        #expect(hasRows(small, in: store) == true)
    }
}
