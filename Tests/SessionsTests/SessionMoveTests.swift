import Pagination
import PaginatordTesting
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(10))) struct SessionMoveTests {
    @Test("Each delivered page and each reset is one position further")
    func positions() async throws {
        let open = try await OpenSession()
        #expect(try await open.stored.position == 0)
        var pages: [Int?] = []
        for (index, move) in [SessionMove.first, .next, .last, .reset, .next, .next, .previous].enumerated() {
            let outcome = try await open.move(move)
            #expect(outcome.record.position == index + 1)
            #expect(outcome.record.reachedBy == move)
            #expect(outcome.origin == .fetched)
            #expect(try await open.stored.position == index + 1)
            pages.append(outcome.page?.page)
        }
        #expect(pages == [1, 2, 5, nil, 1, 2, 1])
        #expect(open.source.offsets == [0, 20, 80, 0, 20, 0])
        #expect(open.source.requests.allSatisfy { $0.caller == "ann" })
    }

    @Test("A move from where the session stands moves it", arguments: SessionMove.allCases)
    func fromHere(move: SessionMove) async throws {
        let open = try await OpenSession()
        try await open.moves(.next, .next)
        let outcome = try await open.move(move, after: 2)
        #expect(outcome.record.position == 3)
        #expect(outcome.origin == .fetched)
    }

    @Test(
        "The same kind of move from the position before is the stored page again, fetching nothing",
        arguments: SessionMove.allCases)
    func repeated(move: SessionMove) async throws {
        let open = try await OpenSession()
        try await open.moves(.next, .next)
        let made = try await open.move(move, after: 2)
        let requests = open.source.requests.count
        open.source.answer(from: SampleSet(count: 1))
        for _ in 1...3 {
            let again = try await open.move(move, after: 2)
            #expect(again.origin == .replayed)
            #expect(again.page == made.page)
            #expect(again.record.position == 3)
            #expect(again.record.state == made.record.state)
            #expect(again.upstream == .zero)
        }
        #expect(open.source.requests.count == requests)
    }

    @Test(
        "Another kind of move from the position before is stale", arguments: SessionMove.allCases, SessionMove.allCases)
    func otherKind(made: SessionMove, asked: SessionMove) async throws {
        guard made != asked else { return }
        let open = try await OpenSession()
        try await open.moves(.next, .next)
        try await open.move(made, after: 2)
        let before = try await open.stored
        let requests = open.source.requests.count
        #expect(await refusal { try await open.move(asked, after: 2) } == .stale(3))
        #expect(open.source.requests.count == requests)
        var after = try await open.stored
        after.expiresAt = before.expiresAt
        #expect(after == before)
    }

    @Test(
        "Any other position is stale and says where the session stands",
        arguments: [-2, -1, 0, 1, 4, 5, Int.max, Int.min])
    func stale(position: Int) async throws {
        let open = try await OpenSession()
        try await open.moves(.next, .next, .next)
        for move in SessionMove.allCases {
            #expect(await refusal { try await open.move(move, after: position) } == .stale(3))
        }
        #expect(open.source.requests.count == 3)
    }

    @Test("No position is before the first: −1 is stale on a new session", arguments: SessionMove.allCases)
    func beforeTheFirst(move: SessionMove) async throws {
        let open = try await OpenSession()
        #expect(await refusal { try await open.move(move, after: -1) } == .stale(0))
        #expect(open.source.requests.isEmpty)
    }

    @Test("What the paginator refuses changes nothing, fetches nothing and tells the session's state")
    func refused() async throws {
        let open = try await OpenSession()
        #expect(await refusal { try await open.move(.previous) } == .pagination(.noPreviousPage))
        try await open.move(.last)
        #expect(await refusal { try await open.move(.next) } == .pagination(.noNextPage))
        #expect(open.source.requests.count == 2)
        let stored = try await open.stored
        #expect(stored.position == 1)
        do {
            try await open.move(.next)
            Issue.record("it moved")
        } catch let error as SessionError {
            #expect(error == .pagination(.noNextPage, stored))
        }
    }

    @Test("last() without a count is refused, and nobody is told of a failure")
    func lastUnknown() async throws {
        let open = try await OpenSession(ScriptedSource(SampleSet(count: 85, counts: false)))
        let listener = try await open.store.events(of: open.id)
        #expect(await refusal { try await open.move(.last) } == .pagination(.lastPageUnknown))
        #expect(try await open.stored.position == 0)
        #expect(try await open.events(of: listener) == [.closed])
    }

    @Test(
        "The last page of a finished session can be repeated; everything else is refused, a reset changes nothing (F8)")
    func finished() async throws {
        let open = try await OpenSession(publisherShouldFinish: true)
        try await open.move(.next)
        let last = try await open.move(.last, after: 1)
        #expect(last.page?.isFinished == true)
        let again = try await open.move(.last, after: 1)
        #expect(again.origin == .replayed && again.page == last.page)
        for move in [SessionMove.first, .next, .previous, .last] {
            #expect(await refusal { try await open.move(move) } == .pagination(.finished))
            #expect(await refusal { try await open.move(move, after: 2) } == .pagination(.finished))
            #expect(await refusal { try await open.move(move, after: 0) } == .stale(2))
        }
        for position in [nil, 2] {
            let reset = try await open.move(.reset, after: position)
            #expect(reset.page == nil && reset.record.position == 2 && reset.record.state == last.record.state)
        }
        #expect(await refusal { try await open.move(.reset, after: 1) } == .stale(2))
        #expect(await refusal { _ = try await open.session.page(1, for: "ann") } == .pagination(.finished))
        #expect(open.source.requests.count == 2)
    }

    @Test("Page 0 of 0 finishes and is repeated like any other, whatever memory there is", arguments: [0, 1 << 20])
    func emptyFinished(memory: Int) async throws {
        let store = MemorySessionStore(replayMemory: memory, maxPageBytes: memory)
        let open = try await OpenSession(
            ScriptedSource(SampleSet(count: 0)), store: store, publisherShouldFinish: true)
        let page = try await open.move(.next, after: 0)
        #expect(page.page?.page == 0 && page.page?.isFinished == true)
        #expect(try await open.move(.next, after: 0).page == page.page)
        #expect(open.source.requests.count == 1)
    }

    @Test(
        "A page whose rows were not kept is fetched again as the same page number",
        arguments: [
            (SessionMove.next, 40), (.last, 80), (.previous, 0), (.first, 0),
        ])
    func refetched(move: SessionMove, offset: Int) async throws {
        let store = MemorySessionStore(maxPageBytes: 10)
        let open = try await OpenSession(store: store)
        try await open.moves(.next, .next)
        let made = try await open.move(move, after: 2)
        #expect(made.origin == .fetched && made.page?.rows.isEmpty == false)
        open.source.answer { request, _ in
            var answer = SampleSet(count: 85).answer(to: request)
            answer.total = 200
            return answer
        }
        let listener = try await open.store.events(of: open.id)
        let again = try await open.move(move, after: 2, waits: false)
        #expect(again.origin == .refetched)
        #expect(again.page == made.page)
        #expect(again.record.position == 3)
        #expect(open.source.requests.count == 4)
        #expect(open.source.requests.last == PageRequest(offset: offset, limit: 20, caller: "ann"))
        #expect(try await open.stored.state == made.record.state)
        open.source.answer { _, _ throws(PageSourceError) in throw .timedOut(nil) }
        #expect(await refusal { try await open.move(move, after: 2) } == .pagination(.source(.timedOut(nil))))
        #expect(try await open.events(of: listener) == [.closed])
    }

    @Test("The order of checks: expired, repeat, busy, stale, finished, no such page")
    func orderOfChecks() async throws {
        let open = try await OpenSession(publisherShouldFinish: true)
        try await open.moves(.next, .next)
        let gate = Gate()
        open.source.hold(behind: gate)
        async let under = open.move(.last)
        try await open.source.waitForRequests(3)
        // A repeat is neither busy nor made to wait; whatever else would be stale or impossible is busy first.
        #expect(try await open.move(.next, after: 1, waits: false).origin == .replayed)
        #expect(try await open.move(.next, after: 1).origin == .replayed)
        #expect(await refusal { try await open.move(.previous, after: 7, waits: false) } == .busy)
        #expect(await refusal { try await open.move(.reset, after: 7, waits: false) } == .busy)
        #expect(await refusal { try await open.move(.reset, after: 2, waits: false) } == .busy)
        gate.open()
        #expect(try await under.page?.isFinished == true)
        #expect(await refusal { try await open.move(.next, after: 0, waits: false) } == .stale(3))
        #expect(await refusal { try await open.move(.next, after: 3, waits: false) } == .pagination(.finished))
        #expect(try await open.move(.last, after: 2, waits: false).origin == .replayed)
        open.clock.advance(seconds: 900)
        #expect(await refusal { try await open.move(.last, after: 2) } == .expired)
        #expect(await refusal { try await open.move(.next, after: 0) } == .expired)
    }

    @Test("Another owner finds nothing, whatever is asked")
    func otherOwner() async throws {
        let open = try await OpenSession()
        let session = open.session
        #expect(await refusal { _ = try await session.move(.next, after: nil, for: "bob") } == .notFound)
        #expect(await refusal { _ = try await session.page(1, for: "bob") } == .notFound)
        #expect(await refusal { _ = try await session.record(for: "bob") } == .notFound)
        #expect(await refusal { _ = try await session.setPublisherShouldFinish(true, for: "bob") } == .notFound)
        try await open.store.delete(open.id, now: open.clock.now)
        #expect(await refusal { _ = try await session.move(.next, after: nil, for: "bob") } == .notFound)
        #expect(await refusal { _ = try await session.move(.next, after: nil, for: "ann") } == .expired)
        #expect(open.source.requests.isEmpty)
    }

    @Test(
        "An upstream failure leaves the session as it was, is published, and the same call works then (F12)",
        arguments: [
            SessionMove.first, .next, .previous, .last,
        ])
    func upstreamFailure(move: SessionMove) async throws {
        let open = try await OpenSession()
        try await open.moves(.next, .next)
        let before = try await open.stored
        let listener = try await open.store.events(of: open.id)
        let failure = PageSourceError.unavailable(.init(status: 503), retryAfter: 9)
        open.source.answer { _, _ throws(PageSourceError) in throw failure }
        #expect(await refusal { try await open.move(move, after: 2) } == .pagination(.source(failure)))
        #expect(try await open.stored == before)
        #expect(!open.session.isBusy)
        open.source.answer(from: SampleSet(count: 85))
        let made = try await open.move(move, after: 2)
        #expect(made.record.position == 3)
        let heard = try await open.events(of: listener)
        #expect(heard.count == 3)
        #expect(heard.first == .failure(failure) && heard.last == .closed)
        guard case .page(made.page, let record) = heard[1] else {
            Issue.record("no page")
            return
        }
        #expect(record.position == 3)
    }

    @Test("A source that makes no progress is a failure that is published")
    func noProgress() async throws {
        let answer = PageAnswer(texts: [SampleSet.row(1)], total: nil)
        let open = try await OpenSession(ScriptedSource { _, _ in answer })
        try await open.move(.next)
        let listener = try await open.store.events(of: open.id)
        guard case .pagination(.source(let failure)) = await refusal({ try await open.move(.next) }) else {
            Issue.record("it moved")
            return
        }
        #expect(try await open.events(of: listener) == [.failure(failure), .closed])
    }

    @Test("Pages by their number move nothing, are heard by nobody, and have their own count")
    func pageByNumber() async throws {
        let open = try await OpenSession()
        try await open.move(.next)
        let before = try await open.stored
        let listener = try await open.store.events(of: open.id)
        open.source.answer(from: SampleSet(count: 45))
        let outcome = try await open.session.page(3, for: "ann")
        #expect(outcome.page?.page == 3 && outcome.page?.totalItems == 45 && outcome.page?.hasNext == false)
        #expect(outcome.record.position == 1 && outcome.record.state.totalItems == 85)
        #expect(try await open.session.page(99, for: "ann").page?.rows.isEmpty == true)
        for number in [0, -1, Int.max, Int.min] {
            #expect(await refusal { _ = try await open.session.page(number, for: "ann") } == .noSuchPage)
        }
        open.source.answer { _, _ throws(PageSourceError) in throw .stopping }
        #expect(await refusal { _ = try await open.session.page(1, for: "ann") } == .pagination(.source(.stopping)))
        #expect(try await open.stored == before)
        #expect(try await open.events(of: listener) == [.closed])
    }

    @Test("How long the instance took is all its answers together")
    func upstreamTime() async throws {
        let clock = ManualClock()
        let source = ScriptedSource { request, _ in
            clock.advance(milliseconds: 70)
            return SampleSet(count: 85).answer(to: request)
        }
        let store = MemorySessionStore()
        let record = try store.create(.sample(now: clock.now), limits: SessionLimits(perOwner: nil, total: 1))
        let session = Session(id: record.id, source: source, store: store, clock: clock.clock)
        #expect(try await session.move(.last, after: nil, for: "ann").upstream == .milliseconds(140))
        #expect(try await session.page(1, for: "ann").upstream == .milliseconds(70))
        #expect(try await session.move(.last, after: 0, for: "ann").upstream == .zero)
    }
}
