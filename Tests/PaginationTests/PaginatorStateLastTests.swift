import Pagination
import PaginatordTesting
import Testing

/// `last()`, and what becomes of places behind the end.
@Suite struct PaginatorStateLastTests {
    private let probe = PageRequest(offset: 0, limit: 1, countOnly: true)

    @Test(
        "last() first of all learns the count with one row, then fetches the last page (F2)",
        arguments: [
            (45, 20, 3, 40), (40, 20, 2, 20), (1, 20, 1, 0), (20, 20, 1, 0), (21, 20, 2, 20),
            (Int.max, 20, Int.max / 20 + 1, Int.max - 7), (Int.max, 1, Int.max, Int.max - 1), (Int.max, Int.max, 1, 0),
            (Int.max, 10_000, 922_337_203_685_478, 9_223_372_036_854_770_000),
        ])
    func lastAtFirst(total: Int, size: Int, pages: Int, offset: Int) throws {
        var state = PaginatorState(itemsPerPage: size)
        let answers = [PageAnswer(texts: [], total: total), PageAnswer(texts: rows(1), total: total)]
        let (page, requests) = try state.call(.last, answers: answers)
        #expect(requests == [probe, PageRequest(offset: offset, limit: size)])
        #expect(page?.page == pages)
        #expect(page?.hasNext == false)
        #expect(page?.hasPrevious == (pages > 1))
        let (again, _) = try state.call(.last, answers: [answers[1]])
        #expect(again?.page == pages)
    }

    @Test("With a known count last() asks no count first")
    func lastWithCount() throws {
        var state = PaginatorState()
        try state.call(.next, on: SampleSet(count: 45))
        let (page, requests) = try state.call(.last, answers: [PageAnswer(texts: rows(5), total: 45)])
        #expect(requests == [PageRequest(offset: 40, limit: 20)])
        #expect(page?.page == 3)
        state.reset()
        let (_, after) = try state.call(.last, answers: [PageAnswer(texts: rows(5), total: 45)])
        #expect(after == [PageRequest(offset: 40, limit: 20)])
    }

    @Test(
        "last() on an empty set delivers page 0 of 0 (F3, A10)",
        arguments: [
            PageAnswer(texts: [], total: 0), PageAnswer(texts: [], total: nil),
            PageAnswer(texts: [], total: nil, nextOffset: 0),
        ])
    func lastOfNothing(answer: PageAnswer) throws {
        var state = PaginatorState()
        let (page, requests) = try state.call(.last, answers: [answer])
        #expect(requests == [probe])
        #expect(page?.page == 0)
        #expect(page?.numberOfPages == 0)
        #expect(page?.rows.isEmpty == true)
        #expect(!state.hasNext && !state.hasPrevious)
        #expect(throws: PaginationError.noNextPage) { try state.call(.next, answers: []) }
    }

    @Test(
        "Without a count last() is refused, on a new paginator after one probe, later without",
        arguments: [
            PageAnswer(texts: rows(1), total: nil), PageAnswer(texts: [], total: nil, nextOffset: 1),
            PageAnswer(texts: rows(1), total: nil, nextOffset: 1),
        ])
    func lastUnknown(answer: PageAnswer) throws {
        var state = PaginatorState()
        #expect(throws: PaginationError.lastPageUnknown) { try state.call(.last, answers: [answer]) }
        #expect(state == PaginatorState())
        try state.call(.next, on: SampleSet(count: 45, counts: false))
        #expect(!state.canFindLast)
        #expect(throws: PaginationError.lastPageUnknown) { try state.call(.last, answers: []) }
        #expect(state.page == 1)
    }

    @Test("last() fetches once more where the set shrank in between, and only once")
    func lastShrinks() throws {
        var new = PaginatorState()
        var known = PaginatorState()
        try known.call(.first, on: SampleSet(count: 85))
        let shrunk = [PageAnswer(texts: [], total: 45), PageAnswer(texts: rows(5), total: 45)]
        let (page, requests) = try known.call(.last, answers: shrunk)
        #expect(requests.map(\.offset) == [80, 40])
        #expect(page?.page == 3 && page?.hasNext == false && page?.rows.count == 5)
        let (later, all) = try new.call(.last, answers: [PageAnswer(texts: [], total: 85)] + shrunk)
        #expect(all.map(\.offset) == [0, 80, 40])
        #expect(later == page)

        var still = PaginatorState()
        try still.call(.first, on: SampleSet(count: 85))
        let (beyond, twice) = try still.call(
            .last, answers: [PageAnswer(texts: [], total: 45), PageAnswer(texts: [], total: 25)])
        #expect(twice.map(\.offset) == [80, 40])
        #expect(beyond?.page == 3 && beyond?.numberOfPages == 2 && beyond?.hasNext == false)
    }

    @Test("A set that shrank within its last page is not fetched again")
    func shrinksWithinPage() throws {
        var state = PaginatorState()
        try state.call(.first, on: SampleSet(count: 45))
        let (page, requests) = try state.call(.last, answers: [PageAnswer(texts: rows(1), total: 41)])
        #expect(requests.count == 1)
        #expect(page?.page == 3)
    }

    @Test("A set that grew meanwhile has a next page behind what was the last")
    func lastGrows() throws {
        var state = PaginatorState()
        try state.call(.first, on: SampleSet(count: 45))
        let (page, _) = try state.call(.last, answers: [PageAnswer(texts: rows(20), total: 61)])
        #expect(page?.page == 3 && page?.hasNext == true && page?.numberOfPages == 4)
        #expect(try state.call(.last, on: SampleSet(count: 61))?.page == 4)
    }

    @Test("A set that became empty delivers page 0 of 0 by every move", arguments: Move.allCases)
    func becameEmpty(move: Move) throws {
        var state = PaginatorState()
        for call in [Call.next, .next] { try state.call(call, on: SampleSet(count: 85)) }
        let call = try #require(Call(rawValue: move.rawValue))
        let (page, _) = try state.call(call, answers: [PageAnswer(texts: [], total: 0)])
        #expect(page?.page == 0 && page?.numberOfPages == 0 && page?.totalItems == 0)
        #expect(!state.hasNext && !state.hasPrevious)
        for later in [Call.first, .last] {
            #expect(try state.call(later, on: SampleSet(count: 0))?.page == 0)
        }
        #expect(throws: PaginationError.noNextPage) { try state.call(.next, answers: []) }
        #expect(throws: PaginationError.noPreviousPage) { try state.call(.previous, answers: []) }
        #expect(try state.call(.first, on: SampleSet(count: 45))?.numberOfPages == 3)
    }

    @Test("next() that lands behind the new end delivers the empty page, and previous() the last one that exists")
    func nextBeyondEnd() throws {
        var state = PaginatorState()
        for _ in 1...4 { try state.call(.next, on: SampleSet(count: 125)) }
        let page = try state.call(.next, on: SampleSet(count: 39))
        #expect(page?.page == 5 && page?.numberOfPages == 2 && page?.rows.isEmpty == true)
        #expect(!state.hasNext && state.hasPrevious)
        #expect(throws: PaginationError.noNextPage) { try state.call(.next, answers: []) }
        let (back, requests) = try state.call(.previous, answers: [PageAnswer(texts: rows(19), total: 39)])
        #expect(requests.map(\.offset) == [20])
        #expect(back?.page == 2)
    }

    @Test("previous() that lands behind the end by its own answer's count fetches once more, and only once")
    func previousBeyondEnd() throws {
        var state = PaginatorState()
        for _ in 1...6 { try state.call(.next, on: SampleSet(count: 125)) }
        var twice = state
        let (page, requests) = try state.call(
            .previous, answers: [PageAnswer(texts: [], total: 39), PageAnswer(texts: rows(19), total: 39)])
        #expect(requests.map(\.offset) == [80, 20])
        #expect(page?.page == 2 && page?.hasNext == false)
        let (beyond, both) = try twice.call(
            .previous, answers: [PageAnswer(texts: [], total: 59), PageAnswer(texts: [], total: 39)])
        #expect(both.map(\.offset) == [80, 40])
        #expect(beyond?.page == 3 && beyond?.numberOfPages == 2 && beyond?.hasPrevious == true)
    }
}
