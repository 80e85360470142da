import Clocks
import Pagination
import PaginatordTesting
import Testing

@testable import Sessions

/// Pages that are fetched before anybody asks for them.
@Suite(.timeLimit(.minutes(10)))
struct ReadAheadTests {
    /// Lets pages be read ahead for as long as `body` runs.
    private func running(_ open: OpenSession, _ body: () async throws -> Void) async throws {
        let stopped = Gate()
        let run = Task {
            await open.registry.run(every: .seconds(1)) { _ in
                await stopped.wait()
                throw CancellationError()
            }
        }
        try await eventually("pages may be read ahead") { await open.registry.background.isOpen }
        do {
            try await body()
        } catch {
            stopped.open()
            await run.value
            throw error
        }
        stopped.open()
        await run.value
    }

    /// Waits until the pages behind the present one are at hand.
    private func arrive(_ open: OpenSession, _ count: Int) async throws {
        try await eventually("\(count) pages are at hand") { await open.session.readAhead.atHand == count }
    }

    @Test(
        "What is wanted ahead follows from the depth, the moves and the end",
        arguments: [
            (.auto, .next, .next, 3, 5, [60]), (.auto, .next, .first, 2, 5, []), (.auto, .next, nil, 1, 5, []),
            (.auto, .first, .next, 1, 5, []), (.auto, .previous, .next, 2, 5, []), (.auto, .last, .next, 5, 5, []),
            (.auto, .next, .next, 5, 5, []), (.auto, .next, .reset, 1, 5, []), (.auto, .next, .next, 4, 5, [80]),
            (.pages(0), .next, .next, 3, 5, []), (.pages(2), .first, nil, 1, 5, [20, 40]),
            (.pages(2), .next, nil, 1, 5, [20, 40]), (.pages(8), .next, .next, 2, 5, [40, 60, 80]),
            (.pages(2), .previous, .next, 2, 5, []), (.pages(2), .last, nil, 5, 5, []),
            (.pages(2), .reset, .next, 0, 5, []), (.pages(1), .next, .next, 5, 5, []),
            (.pages(3), .next, .next, 1, nil, [20]), (.auto, .next, .next, 2, nil, [40]),
        ] as [(ReadAheadDepth, SessionMove, SessionMove?, page: Int, pages: Int?, [Int])])
    func wanted(
        depth: ReadAheadDepth, move: SessionMove, earlier: SessionMove?, page: Int, pages: Int?, offsets: [Int]
    ) throws {
        let set = SampleSet(count: (pages ?? 9) * 20, counts: pages != nil)
        var state = PaginatorState(itemsPerPage: 20)
        for number in 1...max(1, page) {
            guard case .fetch(let request) = try state.begin(number == 1 ? .first : .next) else { return }
            _ = try state.complete(set.answer(to: request))
        }
        if move == .reset { state.reset() }
        let windows = depth.windows(behind: state, reachedBy: move, after: earlier, for: "ann")
        #expect(windows.map(\.offset) == offsets)
        #expect(windows.allSatisfy { $0.limit == 20 && $0.priority == .readAhead && $0.caller == "ann" })
    }

    @Test(
        "A page read ahead costs no request at its move, and a whole walk no more than one request per page",
        arguments: [ReadAheadDepth.auto, .pages(0), .pages(1), .pages(3), .pages(8)], [true, false])
    func walk(depth: ReadAheadDepth, counts: Bool) async throws {
        let set = SampleSet(count: 205, counts: counts)
        let open = try await OpenSession(ScriptedSource(set), readAhead: depth)
        try await running(open) {
            var texts: [String] = []
            var state = try await open.stored.state
            var page = 0
            while state.hasNext {
                page += 1
                let isAhead = await open.session.readAhead.atHand > 0
                let outcome = try await open.move(.next, after: page - 1)
                #expect(outcome.origin == (isAhead ? .readAhead : .fetched))
                if isAhead { #expect(outcome.upstream == .zero) }
                if depth == .pages(0) || (depth == .auto && page < 3) { #expect(!isAhead) }
                texts += outcome.page?.rows.texts ?? []
                state = outcome.record.state
                let windows = depth.windows(
                    behind: state, reachedBy: .next, after: page > 1 ? .next : nil, for: "ann")
                try await arrive(open, windows.count)
                #expect(!open.session.isBusy)
            }
            #expect(texts == (0..<205).map(SampleSet.row))
            #expect(open.source.requests.count == page && Set(open.source.offsets).count == page)
        }
    }

    @Test("A move elsewhere gives up what was read ahead", arguments: [SessionMove.previous, .first, .last, .reset])
    func elsewhere(move: SessionMove) async throws {
        let open = try await OpenSession()
        try await running(open) {
            try await open.moves(.next, .next)
            try await arrive(open, 1)
            try await open.move(move)
            #expect(await open.session.readAhead.atHand == 0)
        }
    }

    @Test("Whoever goes back to page 1 does not come upon pages, or a count, older than that page")
    func anew() async throws {
        let open = try await OpenSession(ScriptedSource(SampleSet(count: 200)), readAhead: .pages(3))
        try await running(open) {
            try await open.moves(.first)
            try await arrive(open, 3)
            open.source.answer(from: SampleSet(count: 60))
            #expect(try await open.move(.first).page?.totalItems == 60)
            try await arrive(open, 2)
            let second = try await open.move(.next)
            #expect(second.origin == .readAhead && second.page?.totalItems == 60)
            // Those ahead are fetched at the same time, in no order.
            let offsets = open.source.offsets
            #expect(offsets.count == 7 && offsets[4] == 0)
            #expect(offsets[1...3].sorted() == [20, 40, 60] && offsets[5...].sorted() == [20, 40])
        }
    }

    @Test(
        "A move that has asked the source takes no page that is older than the answer, and says that it asked",
        arguments: [(200, 80), (80, 15)])
    func shrunk(before: Int, after: Int) async throws {
        let open = try await OpenSession(ScriptedSource(SampleSet(count: before)), readAhead: .pages(3))
        // In the second case the last page is at hand, from when the set had shrunk already.
        let ahead = SampleSet(count: before == 80 ? after : before)
        open.source.answer { request, _ in
            (request.priority == .readAhead ? ahead : SampleSet(count: before)).answer(to: request)
        }
        try await running(open) {
            try await open.move(.next)
            try await arrive(open, 3)
            open.source.answer(from: SampleSet(count: after))
            let asked = open.source.requests.count
            let outcome = try await open.move(.last)
            #expect(outcome.origin == .fetched && outcome.page?.totalItems == after)
            #expect(outcome.page?.hasNext == false && outcome.page?.rows.count == (after - 1) % 20 + 1)
            #expect(open.source.requests.count == asked + (before == 200 ? 2 : 1))
        }
    }

    @Test("What is still under way is given up too, and what comes of it late is not kept")
    func underWay() async throws {
        let open = try await OpenSession()
        try await running(open) {
            try await open.move(.next)
            let (second, third) = (Gate(), Gate())
            open.source.hold(behind: second)
            open.source.hold(behind: third)
            second.open()
            try await open.move(.next)
            try await open.source.waitForRequests(3)
            try await open.move(.first)
            third.open()
            try await open.moves(.next, .next)
            try await arrive(open, 1)
            #expect(open.source.offsets == [0, 20, 40, 0, 20, 40, 60])
        }
    }

    @Test(
        "What was given up may end when its window is wanted anew: it is not taken for the new one",
        arguments: [true, false])
    func lateEnd(fails: Bool) async throws {
        let open = try await OpenSession()
        open.source.answer { request, index throws(PageSourceError) in
            guard index == 2 else { return SampleSet(count: 85).answer(to: request) }
            if fails { throw .timedOut(nil) }
            return SampleSet(count: 41).answer(to: request)
        }
        let gates = (0..<6).map { _ in Gate() }
        for (index, gate) in gates.enumerated() {
            open.source.hold(behind: gate)
            // Page 3 is held, both times that it is fetched ahead.
            if index != 2, index != 5 { gate.open() }
        }
        try await running(open) {
            try await open.moves(.next, .next)
            try await open.source.waitForRequests(3)
            try await open.moves(.reset, .next, .next)
            try await open.source.waitForRequests(6)
            #expect(open.source.offsets == [0, 20, 40, 0, 20, 40])
            gates[2].open()
            for _ in 0..<1000 {
                #expect(await open.session.readAhead.isUnderWay)
                await Task.yield()
            }
            gates[5].open()
            try await arrive(open, 1)
            let third = try await open.move(.next)
            #expect(third.origin == .readAhead && third.page?.totalItems == 85)
        }
        gates.forEach { $0.open() }
    }

    @Test("A page that has become too old is fetched anew", arguments: [(29_999, true), (30_000, false)])
    func age(milliseconds: Int, isDelivered: Bool) async throws {
        let open = try await OpenSession()
        try await running(open) {
            try await open.moves(.next, .next)
            try await arrive(open, 1)
            open.clock.advance(milliseconds: milliseconds)
            #expect(try await open.move(.next).origin == (isDelivered ? .readAhead : .fetched))
        }
    }

    @Test("A session that has pages at hand is not let go of, until they are too old")
    func kept() async throws {
        let open = try await OpenSession()
        try await running(open) {
            let definition = try await open.stored.definition
            let id = try await open.registry.open(definition, publisherShouldFinish: false, owner: "ann").id
            weak let held = try await open.registry.session(id, for: "ann")
            for _ in 0..<2 { _ = try await held?.move(.next, after: nil, for: "ann") }
            try await eventually("a page is at hand") { await held?.readAhead.atHand == 1 }
            for _ in 0..<3 { await open.registry.sweep() }
            #expect(held != nil)
            open.clock.advance(milliseconds: 30_000)
            // Whatever has brought the page may have to let go of the session first.
            try await eventually("it is let go of") {
                await open.registry.sweep()
                return held == nil
            }
        }
    }

    @Test("Pages that have become too old leave their room to others, even in a session that stays", arguments: [1, 8])
    func oldPages(count: Int) async throws {
        let open = try await OpenSession(
            ScriptedSource(SampleSet(count: 400)), readAhead: .pages(count))
        try await running(open) {
            try await open.move(.next)
            try await arrive(open, count)
            open.clock.advance(milliseconds: 29_999)
            await open.registry.sweep()
            #expect(await open.session.readAhead.atHand == count)
            open.clock.advance(milliseconds: 1)
            await open.registry.sweep()
            #expect(await open.session.readAhead.isEmpty)
            #expect(try await open.move(.next).origin == .fetched)
            try await arrive(open, count)
        }
    }

    @Test("A fetch ahead that fails is nobody's error: the move makes its own")
    func failure() async throws {
        let open = try await OpenSession()
        try await running(open) {
            let listener = try await open.store.events(of: open.id)
            try await open.move(.next)
            open.source.answer { request, _ throws(PageSourceError) in
                guard request.priority == .interactive else { throw .timedOut(nil) }
                return SampleSet(count: 85).answer(to: request)
            }
            try await open.move(.next)
            try await open.source.waitForRequests(3)
            try await eventually("it has failed") { await open.session.readAhead.isEmpty }
            #expect(try await open.move(.next).origin == .fetched)
            let pages = try await open.events(of: listener).filter { if case .page = $0 { true } else { false } }
            #expect(pages.count == 3)
        }
    }

    @Test("Pages for which there is no room are not kept, and the room of those that are gone is free again")
    func memory() async throws {
        let page = SampleSet(count: 85).answer(to: PageRequest(offset: 40, limit: 20))
        let bytes = page.rows.byteCount + 20 * MemoryLayout<Range<Int>>.stride
        let memory = ReadAheadMemory(bytes: bytes)
        var held = memory.keep(page, until: .seconds(1))
        #expect(held != nil && memory.keep(page, until: .seconds(1)) == nil)
        held = nil
        #expect(held == nil && memory.keep(page, until: .seconds(1)) != nil)

        let open = try await OpenSession(configuration: SessionConfiguration(readAheadMemory: bytes - 1))
        try await running(open) {
            try await open.moves(.next, .next)
            try await open.source.waitForRequests(3)
            try await eventually("it was not kept") { await open.session.readAhead.isEmpty }
            #expect(try await open.move(.next).origin == .fetched)
        }
    }

    @Test("Nothing is read ahead before the registry runs and after it has stopped, and what is under way ends with it")
    func lifetime() async throws {
        let open = try await OpenSession()
        try await open.moves(.next, .next)
        try await running(open) {
            try await open.moves(.first, .next)
            #expect(open.source.requests.count == 4)
            try await open.move(.next)
            try await arrive(open, 1)
        }
        try await open.moves(.first, .next, .next)
        #expect(open.source.requests.count == 9)
    }

    @Test("A session that ends gives up what was read ahead")
    func end() async throws {
        let open = try await OpenSession()
        try await running(open) {
            try await open.moves(.next, .next)
            try await arrive(open, 1)
            try await open.registry.close(open.id, for: "ann")
            #expect(await open.session.readAhead.isEmpty)
        }
    }
}
