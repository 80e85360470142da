@testable import Pagination
import PaginatordTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct PaginatorTests {
    @Test("A new paginator has the SDK's values and has fetched nothing (F1)")
    func new() async {
        let source = ScriptedSource(SampleSet(count: 45))
        let paginator = Paginator(source: source)
        #expect(await paginator.page == 0)
        #expect(await paginator.numberOfPages == .max)
        #expect(paginator.itemsPerPage == 20)
        #expect(await paginator.hasNext)
        #expect(await !paginator.hasPrevious)
        #expect(await !paginator.isBusy)
        #expect(await !paginator.isFinished)
        #expect(await !paginator.publisherShouldFinish)
        #expect(await paginator.totalItems == nil)
        #expect(source.requests.isEmpty)
    }

    @Test("The five methods move through the set and return the pages that are published")
    func methods() async throws {
        let source = ScriptedSource(SampleSet(count: 45))
        let paginator = Paginator(source: source)
        var events = paginator.publisher.makeAsyncIterator()
        let pages = [
            try await paginator.first(), try await paginator.next(), try await paginator.last(),
            try await paginator.previous(),
        ]
        await paginator.reset()
        #expect(pages.map(\.page) == [1, 2, 3, 2])
        #expect(source.offsets == [0, 20, 40, 20])
        for page in pages { #expect(try await events.next() == .page(page)) }
        #expect(try await events.next() == .reset)
        #expect(await paginator.page == 0)
        #expect(await paginator.numberOfPages == 3)
        #expect(try await paginator.next().page == 1)
    }

    @Test(
        "isBusy is true while a fetch is under way, and false after it, failed or not (F12)", arguments: [true, false])
    func busy(fails: Bool) async throws {
        let source = ScriptedSource { request, _ throws(PageSourceError) in
            if fails { throw .timedOut(nil) }
            return SampleSet(count: 45).answer(to: request)
        }
        let gate = Gate()
        source.hold(behind: gate)
        let paginator = Paginator(source: source)
        async let page = paginator.next()
        try await source.waitForRequests(1)
        #expect(await paginator.isBusy)
        gate.open()
        _ = try? await page
        #expect(await !paginator.isBusy)
        #expect(await paginator.page == (fails ? 0 : 1))
    }

    @Test(
        "Moves at the same time take turns in the order in which they came, each from where the last one arrived (F10)")
    func turns() async throws {
        let source = ScriptedSource(SampleSet(count: 200))
        let gate = Gate()
        source.hold(behind: gate)
        let paginator = Paginator(source: source)
        let order: [Move] = [.next, .next, .last, .previous, .first, .next]
        try await withThrowingTaskGroup(of: (Int, Int).self) { group in
            for (index, move) in order.enumerated() {
                group.addTask {
                    switch move {
                    case .first: (index, try await paginator.first().page)
                    case .next: (index, try await paginator.next().page)
                    case .previous: (index, try await paginator.previous().page)
                    case .last: (index, try await paginator.last().page)
                    }
                }
                // One after the other into the queue.
                try await source.waitForRequests(1)
                try await eventually("move \(index) waits") { await paginator.turns.waitingCount == index }
            }
            gate.open()
            var pages = [Int](repeating: 0, count: order.count)
            for try await (index, page) in group { pages[index] = page }
            #expect(pages == [1, 2, 10, 9, 1, 2])
        }
        #expect(source.offsets == [0, 20, 180, 160, 0, 20])
    }

    @Test(
        "A failed fetch is thrown and published, changes nothing, and the same call can be made again",
        arguments: [
            .timedOut(nil), .failed(nil, reason: "x"), .unavailable(nil, retryAfter: 3),
        ] as [PageSourceError])
    func failure(error: PageSourceError) async throws {
        let set = SampleSet(count: 45)
        let source = ScriptedSource { request, index throws(PageSourceError) in
            if index == 1 { throw error }
            return set.answer(to: request)
        }
        let paginator = Paginator(source: source)
        var events = paginator.publisher.makeAsyncIterator()
        let first = try await paginator.next()
        await #expect(throws: PaginationError.source(error)) { try await paginator.next() }
        #expect(await paginator.page == 1)
        let second = try await paginator.next()
        #expect(second.page == 2)
        #expect(try await events.next() == .page(first))
        #expect(try await events.next() == .failure(error))
        #expect(try await events.next() == .page(second))
    }

    @Test("A source that makes no progress is published as a failure; refusals that fetch nothing are not")
    func noProgressIsPublished() async throws {
        let source = ScriptedSource { _, _ in PageAnswer(texts: rows(20), total: nil) }
        let paginator = Paginator(source: source)
        var events = paginator.publisher.makeAsyncIterator()
        let page = try await paginator.next()
        await #expect(throws: PaginationError.lastPageUnknown) { try await paginator.last() }
        await #expect(throws: PaginationError.noPreviousPage) { try await paginator.previous() }
        await #expect(throws: PaginationError.self) { try await paginator.next() }
        #expect(try await events.next() == .page(page))
        guard case .failure(.failed(nil, let reason)) = try await events.next() else {
            Issue.record("no failure was published")
            return
        }
        #expect(reason.contains("no progress"))
        #expect(source.requests.count == 2)
    }

    @Test(
        "The publisher of a finished paginator ends behind the last page, for every subscriber, and for later ones at once"
    )
    func finish() async throws {
        let source = ScriptedSource(SampleSet(count: 45))
        let paginator = Paginator(source: source, publisherShouldFinish: true)
        var subscribers = [paginator.publisher.makeAsyncIterator(), paginator.publisher.makeAsyncIterator()]
        for _ in 1...3 { try await paginator.next() }
        for index in subscribers.indices {
            for number in 1...3 {
                guard case .page(let page) = try await subscribers[index].next() else {
                    Issue.record("page \(number) is missing")
                    return
                }
                #expect(page.page == number)
            }
            #expect(try await subscribers[index].next() == nil)
        }
        var late = paginator.publisher.makeAsyncIterator()
        #expect(try await late.next() == nil)
        #expect(await paginator.isFinished)
        await paginator.reset()
        #expect(await paginator.page == 3)
        await #expect(throws: PaginationError.finished) { try await paginator.first() }
        await #expect(throws: PaginationError.finished) { try await paginator.next() }
        await #expect(throws: PaginationError.finished) { try await paginator.previous() }
        await #expect(throws: PaginationError.finished) { try await paginator.last() }
        #expect(source.requests.count == 3)
    }

    @Test("The flag set while the last page is under way finishes it, and unset does not", arguments: [true, false])
    func flagDuringFetch(value: Bool) async throws {
        let source = ScriptedSource(SampleSet(count: 5))
        let gate = Gate()
        source.hold(behind: gate)
        let paginator = Paginator(source: source, publisherShouldFinish: !value)
        async let page = paginator.next()
        try await source.waitForRequests(1)
        await paginator.setPublisherShouldFinish(value)
        gate.open()
        #expect(try await page.isFinished == value)
        #expect(await paginator.isFinished == value)
        #expect(await paginator.publisherShouldFinish == value)
    }

    @Test("A subscriber hears only what happens after it began to listen")
    func lateSubscriber() async throws {
        let paginator = Paginator(source: ScriptedSource(SampleSet(count: 45)))
        try await paginator.next()
        var late = paginator.publisher.makeAsyncIterator()
        let page = try await paginator.next()
        #expect(try await late.next() == .page(page))
    }

    @Test("A subscriber that does not listen is cut off alone, behind what it still holds")
    func slowSubscriber() async throws {
        let paginator = Paginator(source: ScriptedSource(SampleSet(count: 10)))
        var slow = paginator.publisher.makeAsyncIterator()
        var quick = paginator.publisher.makeAsyncIterator()
        for _ in 0..<1100 {
            try await paginator.first()
            #expect(try await quick.next() != nil)
        }
        for _ in 0..<1024 { #expect(try await slow.next() != nil) }
        await #expect(throws: SubscriptionError.fellBehind) { _ = try await slow.next() }
        try await paginator.first()
        #expect(try await quick.next() != nil)
    }

    @Test("Subscriptions end with a paginator that nobody holds any more")
    func paginatorGoes() async throws {
        func subscribe() -> PagePublisher.Iterator {
            Paginator(source: ScriptedSource(SampleSet(count: 45))).publisher.makeAsyncIterator()
        }
        var events = subscribe()
        #expect(try await events.next() == nil)
    }

    @Test("A caller that is cancelled while it waits leaves at once and moves nothing")
    func cancelledWaiter() async throws {
        let source = ScriptedSource(SampleSet(count: 200))
        let gate = Gate()
        source.hold(behind: gate)
        let paginator = Paginator(source: source)
        async let first = paginator.next()
        try await source.waitForRequests(1)
        let waiter = Task { try await paginator.next() }
        let reset = Task { await paginator.reset() }
        try await eventually("both wait") { await paginator.turns.waitingCount == 2 }
        async let third = paginator.next()
        try await eventually("all wait") { await paginator.turns.waitingCount == 3 }
        waiter.cancel()
        reset.cancel()
        // The gate is still closed: neither needs its turn to come.
        await #expect(throws: PaginationError.self) { try await waiter.value }
        await reset.value
        gate.open()
        #expect(try await first.page == 1)
        #expect(try await third.page == 2)
        #expect(source.requests.count == 2)
    }

    @Test("Many callers at once get every page once (F10)")
    func manyCallers() async throws {
        let paginator = Paginator(source: ScriptedSource(SampleSet(count: 2000)))
        let pages = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await paginator.next().page } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(pages.sorted() == Array(1...100))
    }
}
