import Pagination
import PaginatordTesting
import Testing

@testable import Sessions

/// Callers that go away, and sessions that do, while the source is at work.
@Suite(.timeLimit(.minutes(1))) struct SessionHangUpTests {
    /// A source that gives up what it does for a task that is cancelled, as a transport would.
    private func source() -> ScriptedSource {
        ScriptedSource { request, _ throws(PageSourceError) in
            if Task.isCancelled { throw .stopping }
            return SampleSet(count: 85).answer(to: request)
        }
    }

    @Test(
        "A caller that hangs up cancels no fetch: its repeat gets the page, and nothing is asked for twice",
        arguments: [(SessionMove.next, 0), (.first, 0), (.last, 0), (.last, 1)])
    func hangUp(move: SessionMove, fetch: Int) async throws {
        let open = try await OpenSession(source())
        let gates = [Gate(), Gate()]
        gates.forEach { open.source.hold(behind: $0) }
        let caller = Task { try await open.move(move, after: 0) }
        for gate in gates.prefix(fetch) { gate.open() }
        try await open.source.waitForRequests(fetch + 1)
        caller.cancel()
        gates.forEach { $0.open() }
        let outcome = try await caller.value
        #expect(outcome.origin == .fetched && outcome.record.position == 1)
        let asked = open.source.requests.count
        #expect(asked == (move == .last ? 2 : 1))
        let again = try await open.move(move, after: 0)
        #expect(
            again.origin == .replayed && again.page == outcome.page
                && again.page?.rows.count == (move == .last ? 5 : 20))
        #expect(open.source.requests.count == asked)
        #expect(!open.session.isBusy)
    }

    @Test("A caller that was gone before it came makes its move all the same, and so does one whose page was not kept")
    func goneBefore() async throws {
        let open = try await OpenSession(source(), store: MemorySessionStore(replayMemory: 0))
        for _ in 0..<2 {
            let caller = Task {
                while !Task.isCancelled { await Task.yield() }
                return try await open.move(.next, after: 0)
            }
            caller.cancel()
            #expect(try await caller.value.page?.rows.texts.first == SampleSet.row(0))
        }
        #expect(try await open.stored.position == 1)
        #expect(open.source.requests.count == 2)
    }

    @Test(
        "Whatever a move of a deleted session comes to, its caller is told that the session is gone",
        arguments: [true, false], [true, false])
    func deleted(isRepeat: Bool, fails: Bool) async throws {
        let open = try await OpenSession(source(), store: MemorySessionStore(replayMemory: 0))
        if isRepeat { try await open.move(.next, after: 0) }
        let gate = Gate()
        open.source.hold(behind: gate)
        if fails { open.source.answer { _, _ throws(PageSourceError) in throw .timedOut(nil) } }
        let listener = try await open.store.events(of: open.id)
        let asked = open.source.requests.count
        let caller = Task { await refusal { try await open.move(.next, after: 0) } }
        try await open.source.waitForRequests(asked + 1)
        try await open.registry.close(open.id, for: "ann")
        gate.open()
        #expect(await caller.value == .expired)
        #expect(try await listener.reduce(0) { count, _ in count + 1 } == 1)
    }

    @Test("A move that fails tells how the session stands then, and not how it stood before")
    func presentState() async throws {
        let open = try await OpenSession(ScriptedSource(SampleSet(count: 85, counts: false)))
        let gate = Gate()
        open.source.hold(behind: gate)
        let caller = Task { try await open.move(.last) }
        try await open.source.waitForRequests(1)
        let changed = try await open.session.setPublisherShouldFinish(true, for: "ann")
        gate.open()
        guard case .failure(let error as SessionError) = await caller.result,
            case .pagination(.lastPageUnknown, let record) = error
        else {
            Issue.record("it does not fail as it should")
            return
        }
        #expect(record.state == changed.state && record.state.publisherShouldFinish)
    }
}
