import Clocks
import Pagination
import PaginatordTesting
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(10))) struct SessionExpiryTests {
    @Test("A session that is not used expires at its idle timeout, to the millisecond")
    func exact() async throws {
        let open = try await OpenSession(idleTimeout: 60)
        #expect(try await open.stored.expiresAt == open.clock.now.adding(seconds: 60))
        open.clock.advance(milliseconds: 59_999)
        let record = try await open.session.record(for: "ann")
        #expect(record.expiresAt == open.clock.now.adding(seconds: 60))
        open.clock.advance(milliseconds: 60_000)
        #expect(await refusal { _ = try await open.session.record(for: "ann") } == .expired)
        #expect(await refusal { _ = try await open.session.page(1, for: "ann") } == .expired)
        #expect(await refusal { _ = try await open.session.setPublisherShouldFinish(true, for: "ann") } == .expired)
        #expect(await refusal { try await open.move(.next) } == .expired)
        #expect(open.source.requests.isEmpty)
    }

    enum Use: CaseIterable {
        case record, page, flag, move, reset, replay, staleMove, refusedMove, failedMove, failedPage
    }

    @Test("Every request counts as use", arguments: Use.allCases)
    func use(use: Use) async throws {
        let open = try await OpenSession(idleTimeout: 60)
        try await open.move(.next)
        open.clock.advance(seconds: 40)
        let failing: ScriptedSource.Script = { _, _ throws(PageSourceError) in throw .stopping }
        switch use {
        case .record: _ = try await open.session.record(for: "ann")
        case .page: _ = try await open.session.page(2, for: "ann")
        case .flag: _ = try await open.session.setPublisherShouldFinish(true, for: "ann")
        case .move: try await open.move(.next)
        case .reset: try await open.move(.reset)
        case .replay: try await open.move(.next, after: 0)
        case .staleMove: #expect(await refusal { try await open.move(.next, after: 9) } == .stale(1))
        case .refusedMove:
            #expect(await refusal { try await open.move(.previous) } == .pagination(.noPreviousPage))
        case .failedMove:
            open.source.answer(failing)
            #expect(await refusal { try await open.move(.next) } == .pagination(.source(.stopping)))
        case .failedPage:
            open.source.answer(failing)
            #expect(await refusal { _ = try await open.session.page(1, for: "ann") } != nil)
        }
        #expect(try await open.stored.expiresAt == open.clock.now.adding(seconds: 60))
    }

    @Test("Somebody else's requests are no use")
    func othersDoNotCount() async throws {
        let open = try await OpenSession(idleTimeout: 60)
        open.clock.advance(seconds: 40)
        _ = await refusal { _ = try await open.session.record(for: "bob") }
        _ = await refusal { _ = try await open.session.move(.next, after: nil, for: "bob") }
        open.clock.advance(seconds: 20)
        #expect(await refusal { _ = try await open.session.record(for: "ann") } == .expired)
    }

    @Test(
        "A session in use does not expire, and lives a whole idle timeout from the end of the use",
        arguments: [
            (true, true), (true, false), (false, true), (false, false),
        ])
    func inUse(isMove: Bool, fails: Bool) async throws {
        let open = try await OpenSession(idleTimeout: 60)
        try await open.move(.next)
        let gate = Gate()
        open.source.hold(behind: gate)
        if fails { open.source.answer { _, _ throws(PageSourceError) in throw .timedOut(nil) } }
        let use = Task {
            await refusal {
                if isMove { try await open.move(.next) } else { _ = try await open.session.page(2, for: "ann") }
            }
        }
        try await open.source.waitForRequests(2)
        open.clock.advance(seconds: 180)
        await open.registry.sweep()
        #expect(try await open.stored.position == 1)
        let listed = try await open.registry.list(owner: "ann", before: nil, limit: 10)
        #expect(listed.map(\.record.expiresAt) == [open.clock.now.adding(seconds: 60)])
        gate.open()
        #expect(await use.value == (fails ? .pagination(.source(.timedOut(nil))) : nil))
        #expect(try await open.stored.expiresAt == open.clock.now.adding(seconds: 60))
        await open.registry.sweep()
        open.clock.advance(milliseconds: 59_999)
        _ = try await open.session.record(for: "ann")
        open.clock.advance(seconds: 60)
        await open.registry.sweep()
        #expect(try await open.store.read(open.id) == .gone(owner: "ann"))
    }

    @Test("A session that waits for a page to be fetched again is in use too")
    func refetchIsUse() async throws {
        let open = try await OpenSession(store: MemorySessionStore(maxPageBytes: 1), idleTimeout: 60)
        try await open.move(.next, after: 0)
        let gate = Gate()
        open.source.hold(behind: gate)
        async let again = open.move(.next, after: 0)
        try await open.source.waitForRequests(2)
        open.clock.advance(seconds: 100)
        await open.registry.sweep()
        gate.open()
        #expect(try await again.origin == .refetched)
        #expect(try await open.stored.expiresAt == open.clock.now.adding(seconds: 60))
    }

    @Test("A use that goes on is told the store every tenth of the idle timeout, and no more often")
    func longUse() async throws {
        let open = try await OpenSession(idleTimeout: 100)
        let gate = Gate()
        let use = Task { try await open.session.use(for: "ann") { _ in await gate.wait() } }
        try await eventually("it is used") { open.session.isInUse }
        var expiries: [Int] = []
        for second in 1...30 {
            open.clock.advance(seconds: 1)
            await open.registry.sweep()
            let left = try await open.stored.expiresAt.milliseconds - open.clock.now.milliseconds
            #expect(left > 90_000, "the store knows of it at second \(second)")
            expiries.append(try await open.stored.expiresAt.milliseconds)
        }
        #expect(Set(expiries).count == 3)
        gate.open()
        try await use.value
        #expect(try await open.stored.expiresAt == open.clock.now.adding(seconds: 100))
    }
}
