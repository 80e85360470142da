import Pagination
import PaginatordTesting
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(10))) struct SessionConcurrencyTests {
    @Test("Two callers with the same position at the same moment: one fetch, and both get the same page")
    func samePosition() async throws {
        let open = try await OpenSession()
        let gate = Gate()
        open.source.hold(behind: gate)
        async let first = open.move(.next, after: 0)
        try await open.source.waitForRequests(1)
        #expect(open.session.isBusy)
        async let second = open.move(.next, after: 0)
        try await eventually("it waits") { open.session.turns.waitingCount == 1 }
        gate.open()
        let outcomes = try await [first, second]
        #expect(outcomes.map(\.origin) == [.fetched, .replayed])
        #expect(outcomes[0].page == outcomes[1].page)
        #expect(open.source.requests.count == 1)
        #expect(!open.session.isBusy)
    }

    @Test(
        "Moves without a position wait their turn, first come, first served, each from where the last one arrived (F10)"
    )
    func turns() async throws {
        let open = try await OpenSession()
        let gate = Gate()
        open.source.hold(behind: gate)
        let moves: [SessionMove] = [.next, .next, .reset, .last, .previous, .next]
        let outcomes = try await withThrowingTaskGroup(of: (Int, MoveOutcome).self) { group in
            for (index, move) in moves.enumerated() {
                group.addTask { (index, try await open.move(move)) }
                try await open.source.waitForRequests(1)
                try await eventually("move \(index) waits") { open.session.turns.waitingCount == index }
            }
            gate.open()
            return try await group.reduce(into: [:]) { $0[$1.0] = $1.1 }
        }
        let order = moves.indices.compactMap { outcomes[$0] }
        #expect(order.map(\.record.position) == [1, 2, 3, 4, 5, 6])
        #expect(order.map { $0.page?.page } == [1, 2, nil, 5, 4, 5])
    }

    @Test("Sixteen moves may wait, the next one is refused; with waits: false none waits")
    func queueIsFull() async throws {
        let open = try await OpenSession(ScriptedSource(SampleSet(count: 4000)))
        let gate = Gate()
        open.source.hold(behind: gate)
        try await withThrowingTaskGroup(of: Int.self) { group in
            group.addTask { try await open.move(.next).record.position }
            try await open.source.waitForRequests(1)
            #expect(await refusal { try await open.move(.next, waits: false) } == .busy)
            for number in 1...16 {
                group.addTask { try await open.move(.next).record.position }
                try await eventually("\(number) wait") { open.session.turns.waitingCount == number }
            }
            #expect(await refusal { try await open.move(.next) } == .busy)
            #expect(await refusal { try await open.move(.reset) } == .busy)
            gate.open()
            let positions = try await group.reduce(into: []) { $0.append($1) }
            #expect(positions.sorted() == Array(1...17))
        }
        #expect(try await open.move(.next, waits: false).record.position == 18)
    }

    @Test("A caller that is cancelled while it waits leaves at once, moves nothing and holds nobody up")
    func cancelledWaiter() async throws {
        let open = try await OpenSession(configuration: SessionConfiguration(waitingMoves: 1))
        let gate = Gate()
        open.source.hold(behind: gate)
        async let first = open.move(.next)
        try await open.source.waitForRequests(1)
        let waiter = Task { try await open.move(.next) }
        try await eventually("it waits") { open.session.turns.waitingCount == 1 }
        waiter.cancel()
        await #expect(throws: SessionError.busy) { try await waiter.value }
        // Its place is free.
        async let third = open.move(.next)
        try await eventually("the next one waits") { open.session.turns.waitingCount == 1 }
        gate.open()
        #expect(try await [first.record.position, third.record.position] == [1, 2])
        #expect(open.source.requests.count == 2)
    }

    @Test("The flag changed while the last page is under way is the one that counts", arguments: [true, false])
    func flagDuringFetch(value: Bool) async throws {
        let open = try await OpenSession(publisherShouldFinish: !value)
        let gate = Gate()
        open.source.answer(from: SampleSet(count: 5))
        open.source.hold(behind: gate)
        async let outcome = open.move(.next, after: 0)
        try await open.source.waitForRequests(1)
        let changed = try await open.session.setPublisherShouldFinish(value, for: "ann")
        #expect(changed.state.publisherShouldFinish == value && changed.position == 0)
        gate.open()
        let page = try await outcome.page
        #expect(page?.isFinished == value)
        #expect(try await open.stored.state.isFinished == value)
        #expect(try await open.stored.state.publisherShouldFinish == value)
        #expect(open.source.requests.count == 1)
    }

    @Test("The flag changed between the two fetches of last() counts too, and no fetch is made twice")
    func flagBetweenFetches() async throws {
        let open = try await OpenSession()
        let gates = [Gate(), Gate()]
        gates.forEach { open.source.hold(behind: $0) }
        async let outcome = open.move(.last)
        try await open.source.waitForRequests(1)
        _ = try await open.session.setPublisherShouldFinish(true, for: "ann")
        gates[0].open()
        try await open.source.waitForRequests(2)
        _ = try await open.session.setPublisherShouldFinish(false, for: "ann")
        _ = try await open.session.setPublisherShouldFinish(true, for: "ann")
        gates[1].open()
        #expect(try await outcome.page?.isFinished == true)
        #expect(open.source.offsets == [0, 80])
    }

    @Test("A flag set after the last page was delivered finishes nothing until one is delivered again")
    func flagAfterwards() async throws {
        let open = try await OpenSession()
        try await open.move(.last)
        let record = try await open.session.setPublisherShouldFinish(true, for: "ann")
        #expect(!record.state.isFinished && record.position == 1)
        #expect(try await open.move(.first).page?.isFinished == false)
        #expect(try await open.move(.last).page?.isFinished == true)
    }

    @Test("A move under way when its session is deleted is told that it is gone, and so is who waits, at once")
    func deleted() async throws {
        let open = try await OpenSession()
        let gate = Gate()
        open.source.hold(behind: gate)
        let under = Task { await refusal { try await open.move(.next) } }
        try await open.source.waitForRequests(1)
        let waiting = [SessionMove.next, .reset, .last].map { move in
            Task { await refusal { try await open.move(move) } }
        }
        try await eventually("they wait") { open.session.turns.waitingCount == 3 }
        try await open.registry.close(open.id, for: "ann")
        // The gate is still closed.
        for task in waiting { #expect(await task.value == .expired) }
        gate.open()
        #expect(await under.value == .expired)
        #expect(try await open.store.read(open.id) == .gone(owner: "ann"))
    }

    @Test("A failed move passes the turn on, and who waited starts from the same place")
    func failurePassesOn() async throws {
        let open = try await OpenSession()
        let gate = Gate()
        open.source.hold(behind: gate)
        open.source.answer { request, index throws(PageSourceError) in
            if index == 0 { throw .timedOut(nil) }
            return SampleSet(count: 85).answer(to: request)
        }
        let first = Task { await refusal { try await open.move(.next, after: 0) } }
        try await open.source.waitForRequests(1)
        async let second = open.move(.next, after: 0)
        try await eventually("it waits") { open.session.turns.waitingCount == 1 }
        gate.open()
        #expect(await first.value == .pagination(.source(.timedOut(nil))))
        #expect(try await second.origin == .fetched)
        #expect(try await second.record.position == 1)
    }

    @Test("Two processes over one store: positions follow one another, no page is lost and none delivered twice")
    func twoProcesses() async throws {
        let open = try await OpenSession(
            ScriptedSource(SampleSet(count: 10_000)), configuration: SessionConfiguration(waitingMoves: .max))
        let other = Session(id: open.id, source: open.source, store: open.store, clock: open.clock.clock)
        let listener = try await open.store.events(of: open.id)
        let outcomes = try await withThrowingTaskGroup(of: MoveOutcome.self) { group in
            for number in 0..<200 {
                let session = number.isMultiple(of: 2) ? open.session : other
                group.addTask { try await session.move(.next, after: nil, for: "ann") }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        let sorted = outcomes.sorted { $0.record.position < $1.record.position }
        #expect(sorted.map(\.record.position) == Array(1...200))
        #expect(sorted.map { $0.page?.page } == Array(1...200))
        #expect(sorted.map { $0.page?.rows.texts.first } == (0..<200).map { SampleSet.row($0 * 20) })
        let heard = try await open.events(of: listener).dropLast().map { event in
            if case .page(let page, let record) = event, page.page == record.position { record.position } else { 0 }
        }
        #expect(heard == Array(1...200))
    }

    @Test(
        "Where another process moved first, the same move is its repeat and another one is stale",
        arguments: [
            (SessionMove.next, nil), (.first, Refusal.stale(1)),
        ] as [(SessionMove, Refusal?)])
    func otherProcessMovesFirst(move: SessionMove, expected: Refusal?) async throws {
        let open = try await OpenSession()
        let other = Session(
            id: open.id, source: ScriptedSource(SampleSet(count: 85)), store: open.store, clock: open.clock.clock)
        let gate = Gate()
        open.source.hold(behind: gate)
        let late = Task { try await open.move(move, after: 0) }
        try await open.source.waitForRequests(1)
        let made = try await other.move(.next, after: 0, for: "ann")
        gate.open()
        let result = await late.result
        switch (result, expected) {
        case (.success(let outcome), nil):
            #expect(outcome.origin == .replayed && outcome.page == made.page)
        case (.failure(let error), let expected?):
            #expect((error as? SessionError).map { Refusal($0) } == expected)
        default: Issue.record("\(result)")
        }
        #expect(try await open.stored.position == 1)
    }
}
