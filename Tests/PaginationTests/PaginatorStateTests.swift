import Pagination
import PaginatordTesting
import Testing

@Suite struct PaginatorStateTests {
    @Test("A new paginator is before its first page, with the SDK's defaults (F1)")
    func newState() {
        let state = PaginatorState()
        #expect(state.page == 0)
        #expect(state.numberOfPages == .max)
        #expect(state.itemsPerPage == 20)
        #expect(state.totalItems == nil)
        #expect(state.hasNext)
        #expect(!state.hasPrevious)
        #expect(!state.isFinished)
        #expect(!state.publisherShouldFinish)
        #expect(state.canFindLast)
    }

    @Test(
        "The number of pages is the count divided by the page size, rounded up",
        arguments: [
            (0, 20, 0), (1, 20, 1), (19, 20, 1), (20, 20, 1), (21, 20, 2), (40, 20, 2), (45, 20, 3), (60, 20, 3),
            (7, 1, 7),
            (150, 100, 2), (160, 100, 2), (199, 100, 2), (.max, 1, .max), (.max, 2, 1 << 62),
            (.max, 10_000, 922_337_203_685_478),
            (.max, .max, 1), (.max - 1, .max, 1), (10_001, 20, 501),
        ])
    func numberOfPages(total: Int, itemsPerPage: Int, pages: Int) throws {
        var state = PaginatorState(itemsPerPage: itemsPerPage)
        try state.call(.first, answers: [PageAnswer(texts: [], total: total)])
        #expect(state.numberOfPages == pages)
        #expect(state.totalItems == total)
        #expect(state.page == (total == 0 ? 0 : 1))
        #expect(state.hasNext == (pages > 1))
        #expect(state.canFindLast)
    }

    @Test("A page size below 1 counts as 1", arguments: [0, -1, Int.min])
    func smallPageSize(size: Int) throws {
        var state = PaginatorState(itemsPerPage: size)
        let (_, requests) = try state.call(.first, answers: [PageAnswer(texts: rows(1), total: 3)])
        #expect(requests == [PageRequest(offset: 0, limit: 1)])
        #expect(state.numberOfPages == 3)
    }

    @Test(
        "The latest count replaces the old one, and an answer without a count leaves it",
        arguments: [
            (40, 39, 2), (40, 61, 4), (40, nil, 2), (45, 0, 0), (45, Int.max, Int.max / 20 + 1),
        ] as [(Int, Int?, Int)])
    func latestCount(first: Int, second: Int?, pages: Int) throws {
        var state = PaginatorState()
        try state.call(.first, answers: [PageAnswer(texts: rows(20), total: first)])
        try state.call(.next, answers: [PageAnswer(texts: rows(19, from: 20), total: second)])
        #expect(state.numberOfPages == pages)
        #expect(state.totalItems == second ?? first)
        #expect(state.hasNext == (2 < pages))
        #expect(state.hasPrevious)
    }

    @Test(
        "Windows follow the page size, however many rows come (A1, A3, A11, F14, F15, F17)",
        arguments: [1, 5, 20, 100, 10_000])
    func windows(size: Int) throws {
        var state = PaginatorState(itemsPerPage: size)
        for page in 0..<3 {
            let answer = PageAnswer(texts: rows(1, from: page), total: 3 * size)
            let (_, requests) = try state.call(.next, answers: [answer])
            #expect(requests == [PageRequest(offset: page * size, limit: size)])
        }
        #expect(!state.hasNext)
    }

    @Test(
        "A walk delivers every row once and ends by itself, whatever is hidden (A1–A8, A11, A16, A17, F23)",
        arguments: [
            (45, Set(0..<8)), (60, Set(20..<40)), (45, []), (45, Set(40..<45)), (40, []), (7, []), (1, [0]),
            (66, Set(0..<66)), (160, [3, 90]), (0, []),
        ] as [(Int, Set<Int>)])
    func walk(count: Int, hidden: Set<Int>) throws {
        var set = SampleSet(count: count)
        set.hidden = hidden
        var state = PaginatorState()
        var seen: [String] = []
        var fetches = 0
        repeat {
            let page = try state.call(.next) { request in
                fetches += 1
                return set.answer(to: request)
            }
            seen += try #require(page).rows.texts
        } while state.hasNext
        #expect(seen == (0..<count).filter { !hidden.contains($0) }.map(SampleSet.row))
        #expect(fetches == max(1, (count + 19) / 20))
        #expect(throws: PaginationError.noNextPage) { try state.call(.next, on: set) }
    }

    @Test("first, next, last, previous land on 1, 2, 3, 2 of 45 rows (F6)")
    func fourMoves() throws {
        var state = PaginatorState()
        let set = SampleSet(count: 45)
        var offsets: [Int] = []
        for (call, page) in [(Call.first, 1), (.next, 2), (.last, 3), (.previous, 2)] {
            try state.call(call) { request in
                offsets.append(request.offset)
                return set.answer(to: request)
            }
            #expect(state.page == page)
            #expect(state.hasNext == (page < 3))
            #expect(state.hasPrevious == (page > 1))
        }
        #expect(offsets == [0, 20, 40, 20])
    }

    @Test(
        "What is not possible fetches nothing and changes nothing (A5, F4, F5)",
        arguments: [
            ([], .previous, .noPreviousPage), ([.first], .previous, .noPreviousPage),
            ([.next], .previous, .noPreviousPage), ([.last], .next, .noNextPage),
            ([.last, .reset], .previous, .noPreviousPage), ([.next, .next, .next], .next, .noNextPage),
        ] as [([Call], Call, PaginationError)])
    func impossible(calls: [Call], refused: Call, error: PaginationError) throws {
        var state = PaginatorState()
        for call in calls { try state.call(call, on: SampleSet(count: 45)) }
        let before = state
        #expect(throws: error) { try state.call(refused, answers: []) }
        #expect(state == before)
    }

    @Test("A failed fetch leaves the state as it was, and the same call works then (F12)", arguments: Move.allCases)
    func failedFetch(move: Move) throws {
        var state = PaginatorState()
        try state.call(.next, on: SampleSet(count: 85))
        try state.call(.next, on: SampleSet(count: 85))
        let before = state
        let call = try #require(Call(rawValue: move.rawValue))
        #expect(throws: PaginationError.source(.timedOut(nil))) {
            try state.call(call) { _ throws(PageSourceError) in throw .timedOut(nil) }
        }
        #expect(state == before)
        let page = try #require(try state.call(call, on: SampleSet(count: 85)))
        #expect(page.page == [Move.first: 1, .next: 3, .previous: 1, .last: 5][move])
    }

    @Test("A reset goes before page 1, keeps the count and fetches nothing; next then fetches page 1 (F7)")
    func reset() throws {
        var state = PaginatorState()
        let set = SampleSet(count: 85)
        for call in [Call.next, .next, .next, .reset] { try state.call(call, on: set) }
        #expect(state.page == 0)
        #expect(state.numberOfPages == 5)
        #expect(state.totalItems == 85)
        #expect(state.hasNext)
        #expect(!state.hasPrevious)
        let (page, requests) = try state.call(.next, answers: [set.answer(to: PageRequest(offset: 0, limit: 20))])
        #expect(page?.page == 1)
        #expect(requests.map(\.offset) == [0])
    }

    @Test("A reset before any page changes nothing")
    func resetOfNew() {
        var state = PaginatorState()
        state.reset()
        #expect(state == PaginatorState())
    }

    @Test("The delivered page says what the paginator says", arguments: [0, 1, 20, 45])
    func pageSaysTheSame(count: Int) throws {
        var state = PaginatorState()
        for call in [Call.next, .last, .first] {
            let page = try #require(try state.call(call, on: SampleSet(count: count)))
            #expect(page.page == state.page)
            #expect(page.numberOfPages == state.numberOfPages)
            #expect(page.itemsPerPage == state.itemsPerPage)
            #expect(page.totalItems == state.totalItems)
            #expect(page.hasNext == state.hasNext)
            #expect(page.hasPrevious == state.hasPrevious)
            #expect(page.isFinished == state.isFinished)
        }
    }

    @Test("An answer that nobody asked for is refused")
    func unaskedAnswer() {
        var state = PaginatorState()
        #expect(throws: PaginationError.self) { try state.complete(PageAnswer(texts: [], total: 1)) }
    }

    @Test(
        "A page has an offset where its first row has one, and no arithmetic overflows",
        arguments: [
            (1, 20, 0), (2, 20, 20), (Int.max, 1, Int.max - 1), (0, 20, nil), (-1, 20, nil), (Int.min, 20, nil),
            (Int.max, 20, nil), (Int.max / 20 + 1, 20, Int.max / 20 * 20), (Int.max / 20 + 2, 20, nil),
            (2, Int.max, Int.max),
            (3, Int.max, nil), (Int.max, Int.max, nil),
        ] as [(Int, Int, Int?)])
    func offsets(number: Int, itemsPerPage: Int, offset: Int?) {
        #expect(PaginatorState.offset(ofPage: number, itemsPerPage: itemsPerPage) == offset)
        var state = PaginatorState(itemsPerPage: itemsPerPage)
        let action = state.begin(page: number)
        #expect(action == offset.map { .fetch(PageRequest(offset: $0, limit: itemsPerPage)) })
    }

    @Test("A page by its number at the end of all numbers has none behind it")
    func lastOfAllNumbers() throws {
        for (size, number) in [(1, Int.max), (20, Int.max / 20 + 1)] {
            var state = PaginatorState(itemsPerPage: size)
            _ = state.begin(page: number)
            let action = try state.complete(PageAnswer(texts: rows(1), total: nil))
            guard case .deliver(let page) = action else {
                Issue.record("no page")
                continue
            }
            #expect(page.page == number)
            #expect(!page.hasNext)
            #expect(throws: PaginationError.noNextPage) { try state.begin(.next) }
        }
    }
}
