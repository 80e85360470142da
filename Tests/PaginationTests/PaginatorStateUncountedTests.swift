import Pagination
import PaginatordTesting
import Testing

/// Sources that send no count.
@Suite struct PaginatorStateUncountedTests {
    private let noProgress = PaginationError.source(.failed(nil, reason: ""))

    private func isNoProgress(_ error: any Error) -> Bool {
        guard case .source(.failed(nil, let reason))? = error as? PaginationError else { return false }
        return reason.contains("no progress")
    }

    @Test(
        "Without a count a walk goes on until an empty answer, a short one is no end (A12)", arguments: [43, 40, 20, 1])
    func walk(count: Int) throws {
        var set = SampleSet(count: count, counts: false)
        set.hidden = [0]
        var state = PaginatorState()
        let whole = (count + 19) / 20
        for number in 1...whole where !(count == 1) {
            let page = try #require(try state.call(.next, on: set))
            #expect(page.page == number && page.numberOfPages == .max && page.totalItems == nil)
            #expect(page.hasNext && page.hasPrevious == (number > 1))
        }
        let end = try #require(try state.call(.next, on: set))
        let last = count == 1 ? 0 : whole
        #expect(end.rows.isEmpty)
        #expect(end.numberOfPages == last)
        #expect(end.page == (last == 0 ? 0 : last + 1))
        #expect(!end.hasNext)
        #expect(throws: PaginationError.noNextPage) { try state.call(.next, answers: []) }
        #expect(state.canFindLast)
        if last > 0 {
            #expect(try state.call(.last, on: set)?.page == last)
            #expect(!state.hasNext)
        }
    }

    @Test("A next link further on means a next page, rows or none (A13, F24)")
    func links() throws {
        var state = PaginatorState()
        var set = SampleSet(count: 60, counts: false, links: true)
        set.hidden = Set(20..<40)
        #expect(try state.call(.next, on: set)?.hasNext == true)
        let hidden = try #require(try state.call(.next, on: set))
        #expect(hidden.page == 2 && hidden.rows.isEmpty && hidden.hasNext && hidden.numberOfPages == .max)
        let third = try #require(try state.call(.next, on: set))
        #expect(third.rows.count == 20 && third.hasNext)
        let end = try #require(try state.call(.next, on: set))
        #expect(end.page == 4 && end.rows.isEmpty && !end.hasNext && end.numberOfPages == 3)
    }

    @Test("Own offsets are asked for, not the link's (A13, E3)")
    func ownOffsets() throws {
        var state = PaginatorState()
        try state.call(.next, answers: [PageAnswer(texts: rows(20), total: nil, nextOffset: 7)])
        let (_, requests) = try state.call(.next, answers: [PageAnswer(texts: rows(3, from: 20), total: nil)])
        #expect(requests.map(\.offset) == [20])
    }

    @Test("An empty first answer is the empty set")
    func empty() throws {
        for call in [Call.first, .next] {
            var state = PaginatorState()
            let page = try #require(try state.call(call, on: SampleSet(count: 0, counts: false)))
            #expect(page.page == 0 && page.numberOfPages == 0 && !page.hasNext && !page.hasPrevious)
            #expect(page.totalItems == nil)
            #expect(throws: PaginationError.noNextPage) { try state.call(.next, answers: []) }
            #expect(try state.call(.last, on: SampleSet(count: 0, counts: false))?.page == 0)
        }
    }

    @Test("Rows where the end was found before make the end unknown again")
    func grown() throws {
        var state = PaginatorState()
        try state.call(.next, on: SampleSet(count: 0, counts: false))
        let page = try #require(try state.call(.first, on: SampleSet(count: 30, counts: false)))
        #expect(page.page == 1 && page.numberOfPages == .max && page.hasNext)
        #expect(try state.call(.next, on: SampleSet(count: 30, counts: false))?.rows.count == 10)

        for count in [40, 60] {
            var linked = PaginatorState()
            for _ in 1...3 { try linked.call(.next, on: SampleSet(count: 40, counts: false)) }
            #expect(linked.numberOfPages == 2)
            let last = try #require(try linked.call(.last, on: SampleSet(count: count, counts: false, links: true)))
            #expect(last.page == 2)
            #expect(last.hasNext == (count == 60))
        }
    }

    @Test("An earlier empty answer brings the end nearer")
    func shrunk() throws {
        var state = PaginatorState()
        for _ in 1...5 { try state.call(.next, on: SampleSet(count: 80, counts: false)) }
        #expect(state.page == 5 && state.numberOfPages == 4)
        let page = try #require(try state.call(.previous, on: SampleSet(count: 30, counts: false)))
        #expect(page.page == 4 && page.rows.isEmpty && page.numberOfPages == 3)
        #expect(try state.call(.previous, on: SampleSet(count: 30, counts: false))?.page == 3)
        #expect(try state.call(.previous, on: SampleSet(count: 30, counts: false))?.page == 2)
        #expect(try state.call(.previous, on: SampleSet(count: 30, counts: false))?.page == 1)
    }

    @Test("A count that comes later counts from then on, and one that goes is kept")
    func countComesAndGoes() throws {
        var state = PaginatorState()
        try state.call(.next, on: SampleSet(count: 45, counts: false))
        #expect(state.numberOfPages == .max)
        try state.call(.next, on: SampleSet(count: 45))
        #expect(state.numberOfPages == 3)
        try state.call(.next, answers: [PageAnswer(texts: [], total: nil)])
        #expect(state.numberOfPages == 3 && state.totalItems == 45 && !state.hasNext)
    }

    @Test("The same rows at two offsets in a row are no progress")
    func sameRows() throws {
        var state = PaginatorState()
        let same = PageAnswer(texts: rows(20), total: nil)
        try state.call(.next, answers: [same])
        let before = state
        #expect { try state.call(.next, answers: [same]) } throws: { isNoProgress($0) }
        #expect(state == before)
        try state.call(.next, answers: [PageAnswer(texts: rows(20, from: 20), total: nil)])
        #expect { try state.call(.previous, answers: [PageAnswer(texts: rows(20, from: 20), total: nil)]) } throws: {
            isNoProgress($0)
        }
    }

    @Test("The same rows are progress with a count, at the same offset, after a reset, when empty, or not in a row")
    func sameRowsAllowed() throws {
        let same = PageAnswer(texts: rows(20), total: nil)
        let counted = PageAnswer(texts: rows(20), total: 100)
        let other = PageAnswer(texts: rows(20, from: 20), total: nil)
        let hidden = { PageAnswer(texts: [], total: nil, nextOffset: $0) }
        let walks: [[(Call, PageAnswer)]] = [
            [(.next, counted), (.next, counted)], [(.next, counted), (.next, same)], [(.first, same), (.first, same)],
            [(.next, same), (.next, other), (.next, same)], [(.next, hidden(20)), (.next, hidden(40))],
            [(.next, same), (.next, hidden(40)), (.next, same)],
        ]
        for walk in walks {
            var state = PaginatorState()
            for (call, answer) in walk { try state.call(call, answers: [answer]) }
        }
        var state = PaginatorState()
        try state.call(.next, answers: [same])
        try state.call(.next, answers: [other])
        state.reset()
        #expect(try state.call(.next, answers: [other]).page?.page == 1)
    }

    @Test(
        "A next link that does not lead further is no progress without a count, and no matter with one",
        arguments: [-1, 0, 19, 20])
    func linkBack(offset: Int) throws {
        var state = PaginatorState()
        try state.call(.next, on: SampleSet(count: 100, counts: false))
        let before = state
        for texts in [rows(20, from: 20), []] {
            #expect {
                try state.call(.next, answers: [PageAnswer(texts: texts, total: nil, nextOffset: offset)])
            } throws: {
                isNoProgress($0)
            }
            #expect(state == before)
        }
        try state.call(.next, answers: [PageAnswer(texts: rows(20, from: 20), total: 100, nextOffset: offset)])
        #expect(state.page == 2 && state.hasNext)
        try state.call(.next, answers: [PageAnswer(texts: rows(20, from: 40), total: nil, nextOffset: offset)])
        #expect(state.page == 3 && state.hasNext)
    }
}
