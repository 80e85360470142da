import Pagination
import PaginatordTesting
import Testing

/// A second opinion: the rules for a source that counts, said once more in the plainest way, beside the state machine.
private struct Model {
    var page = 0
    var total: Int?
    let size: Int
    var shouldFinish = false
    var isFinished = false

    var pages: Int? { total.map { ($0 + size - 1) / size } }
    var hasNext: Bool { pages.map { page == 0 ? $0 > 0 : page < $0 } ?? true }
    var hasPrevious: Bool { page >= 2 }

    /// What a call delivers: the page's number and its rows; or the error.
    mutating func call(_ call: Call, on rows: [String]) -> Result<[String]?, PaginationError> {
        if call == .reset {
            if !isFinished { page = 0 }
            return .success(nil)
        }
        if isFinished { return .failure(.finished) }
        let pagesNow = (rows.count + size - 1) / size
        let goal: Int
        switch call {
        case .next where !hasNext: return .failure(.noNextPage)
        case .previous where !hasPrevious: return .failure(.noPreviousPage)
        case .first: goal = 1
        case .next: goal = page + 1
        // Neither goes behind the end: the one is at the end, the other moves on to it.
        case .previous: goal = min(page - 1, pages ?? .max, pagesNow)
        case .last, .reset: goal = min(pages ?? pagesNow, pagesNow)
        }
        total = rows.count
        page = pagesNow == 0 ? 0 : max(1, goal)
        if shouldFinish, !hasNext { isFinished = true }
        return .success(Array(rows.dropFirst((max(1, goal) - 1) * size).prefix(size)))
    }
}

@Suite struct PaginatorModelTests {
    @Test("Thousands of random calls on a set that grows and shrinks do what the plain model says", arguments: 0..<40)
    func randomWalk(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let size = Int.random(in: 1...7, using: &random)
        var state = PaginatorState(itemsPerPage: size)
        var model = Model(size: size)
        var set = SampleSet(count: Int.random(in: 0...60, using: &random))
        var latestRow = set.rows.count
        for step in 0..<500 {
            if Int.random(in: 0..<5, using: &random) == 0 {
                if Bool.random(using: &random) {
                    set.rows.removeLast(Int.random(in: 0...min(25, set.rows.count), using: &random))
                } else {
                    for _ in 0..<Int.random(in: 0...15, using: &random) {
                        set.rows.append(SampleSet.row(latestRow))
                        latestRow += 1
                    }
                }
            }
            if Int.random(in: 0..<100, using: &random) == 0 {
                model.shouldFinish.toggle()
                state.publisherShouldFinish.toggle()
            }
            let call = try #require(Call.allCases.randomElement(using: &random))
            let expected = model.call(call, on: set.rows)
            let before = state
            do {
                let page = try state.call(call, on: set)
                #expect(try page?.rows.texts == expected.get(), "step \(step) of seed \(seed): \(call)")
            } catch {
                #expect(expected == .failure(error), "step \(step) of seed \(seed): \(call)")
                #expect(state == before)
            }
            #expect(state.page == model.page, "step \(step) of seed \(seed): \(call)")
            #expect(state.numberOfPages == model.pages ?? .max)
            #expect(state.hasNext == model.hasNext)
            #expect(state.hasPrevious == model.hasPrevious)
            #expect(state.isFinished == model.isFinished)
            if model.isFinished {
                state = PaginatorState(itemsPerPage: size)
                model = Model(size: size)
            }
        }
    }

    @Test("Whatever a source answers, the properties fit together and nothing traps", arguments: 0..<40)
    func anything(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let sizes = [1, 2, 20, 10_000, Int.max / 2, Int.max]
        let size = try #require(sizes.randomElement(using: &random))
        var state = PaginatorState(itemsPerPage: size)
        let totals: [Int?] = [nil, nil, 0, 1, 19, 20, 21, 10_000, .max / 2, .max - 1, .max]
        for step in 0..<500 {
            let call = try #require(Call.allCases.randomElement(using: &random))
            let before = state
            do {
                let page = try state.call(call) { request in
                    #expect(request.offset >= 0)
                    #expect(request.limit == (request.countOnly ? 1 : size))
                    let count = Int.random(in: 0...2, using: &random)
                    return PageAnswer(
                        texts: rows(count, from: step * 3), total: totals.randomElement(using: &random) ?? nil,
                        nextOffset: [nil, request.offset, 0, .max].randomElement(using: &random) ?? nil)
                }
                #expect((page == nil) == (call == .reset))
                if let page { #expect(page.page > 0 || page.numberOfPages == 0) }
            } catch {
                #expect(state == before)
            }
            #expect(state.page >= 0)
            #expect(state.hasPrevious == (state.page > 1))
            if state.numberOfPages == 0, state.page == 0 { #expect(!state.hasNext) }
            if let total = state.totalItems {
                let pages = total / size + (total % size == 0 ? 0 : 1)
                #expect(state.numberOfPages == pages)
                #expect(state.canFindLast)
            }
        }
    }
}
