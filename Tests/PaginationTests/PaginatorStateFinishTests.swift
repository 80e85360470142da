import Pagination
import PaginatordTesting
import Testing

/// `publisherShouldFinish`.
@Suite struct PaginatorStateFinishTests {
    @Test(
        "With the flag the last page is delivered and finishes, however it is reached (F8)",
        arguments: [
            ([.next, .next, .next], SampleSet(count: 45)), ([.last], SampleSet(count: 45)),
            ([.first], SampleSet(count: 7)),
            ([.next], SampleSet(count: 0)), ([.last], SampleSet(count: 0)), ([.first], SampleSet(count: 0)),
            ([.next, .next, .next, .next], SampleSet(count: 45, counts: false)),
            ([.next], SampleSet(count: 0, counts: false)), ([.last], SampleSet(count: 0, counts: false)),
        ] as [([Call], SampleSet)])
    func finishes(calls: [Call], set: SampleSet) throws {
        var state = PaginatorState(publisherShouldFinish: true)
        for (index, call) in calls.enumerated() {
            #expect(!state.isFinished)
            let page = try #require(try state.call(call, on: set))
            #expect(page.isFinished == (index == calls.count - 1))
        }
        let finished = state
        for move in Move.allCases {
            var after = finished
            #expect(throws: PaginationError.finished) { try after.begin(move) }
            #expect(after == finished)
        }
        var reset = finished
        reset.reset()
        #expect(reset == finished)
        reset.publisherShouldFinish = false
        #expect(throws: PaginationError.finished) { try reset.begin(.first) }
    }

    @Test("Without the flag the last page finishes nothing (F9)")
    func doesNotFinish() throws {
        var state = PaginatorState()
        try state.call(.last, on: SampleSet(count: 45))
        #expect(!state.isFinished)
        #expect(try state.call(.first, on: SampleSet(count: 45))?.page == 1)
    }

    @Test("The flag is looked at when a page arrives")
    func whenArriving() throws {
        let set = SampleSet(count: 45)
        var after = PaginatorState()
        try after.call(.last, on: set)
        after.publisherShouldFinish = true
        #expect(!after.isFinished)
        #expect(try after.call(.first, on: set)?.isFinished == false)
        #expect(try after.call(.last, on: set)?.isFinished == true)

        for value in [true, false] {
            var during = PaginatorState(publisherShouldFinish: !value)
            try during.call(.next, on: set)
            guard case .fetch(let request) = try during.begin(.last) else {
                Issue.record("nothing to fetch")
                continue
            }
            during.publisherShouldFinish = value
            _ = try during.complete(set.answer(to: request))
            #expect(during.isFinished == value)
        }
    }

    @Test("A page behind the end is a last page too")
    func behindTheEnd() throws {
        var state = PaginatorState(publisherShouldFinish: true)
        for _ in 1...3 { try state.call(.next, on: SampleSet(count: 85)) }
        let page = try #require(try state.call(.next, on: SampleSet(count: 20)))
        #expect(page.page == 4 && page.rows.isEmpty && page.isFinished)
    }

    @Test("A page that is fetched again since the set shrank finishes only by its last fetch")
    func shrinking() throws {
        var state = PaginatorState(publisherShouldFinish: true)
        try state.call(.first, on: SampleSet(count: 85))
        let (page, requests) = try state.call(
            .last, answers: [PageAnswer(texts: [], total: 45), PageAnswer(texts: rows(20), total: 61)])
        #expect(requests.count == 2)
        #expect(page?.page == 3 && page?.hasNext == true && page?.isFinished == false)
    }
}
