import Pagination
import PaginatordTesting
import Testing

@testable import Sessions

/// Sessions that are deleted or changed while the source is at work.
@Suite(.timeLimit(.minutes(10))) struct SessionMeanwhileTests {
    @Test(
        "Whatever a move of a deleted session comes to, its caller is told that the session is gone",
        arguments: [true, false], [true, false])
    func deleted(isRepeat: Bool, fails: Bool) async throws {
        let open = try await OpenSession(store: MemorySessionStore(replayMemory: 0))
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
