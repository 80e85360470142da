import Pagination

/// Reads a table by key: which ranges are asked for next, and which rows are delivered when. A value without a source.
///
/// The keys in front of which all is delivered, the ranges under way and what is planned behind them stand in one list,
/// in the order of keys. Ranges are cut off the front of what is planned, as wide as promises to fit one request, and
/// asked for side by side. A range that turns out to hold too much is planned again, by its count; one that holds less
/// than expected leaves more for the rest. Where keys are crowded together, so that most ranges would be empty, halves
/// are counted instead until the place is found: one request for each binary digit of it. Hidden rows do no harm, since
/// they are counted too and no row's key is needed.
struct KeyRanges: Sendable {
    /// How often a range that does not come whole is halved, and its halves.
    private static let maxFailures = 5
    /// More keys than any table has. Counts beyond are taken for this many, so that no sum of them overflows.
    private static let mostKeys = 1 << 48

    private var window: KeyWindow
    private let concurrency: Int
    private var segments: [KeySegment]
    private var latestTicket = 0
    private var latestStretch = 1
    /// The first key behind all that was delivered; `nil` before anything was.
    private(set) var delivered: UInt128?

    /// Plans to read all keys from one on.
    ///
    /// - Parameters:
    ///   - lower: the first key; `nil` for no bound.
    ///   - estimate: how many there probably are.
    ///   - concurrency: the windows that may be under way or kept until they can be delivered, ≥ 1.
    init(from lower: UInt128?, estimate: Int, window: KeyWindow, concurrency: Int) {
        self.window = window
        self.concurrency = concurrency
        delivered = lower
        let all = KeySegment.Stretch(number: 1, count: min(estimate, Self.mostKeys))
        segments = [KeySegment(range: KeyRange(lower: lower, upper: nil), state: .planned(all))]
    }

    /// Whether all is delivered.
    var isFinished: Bool { segments.isEmpty }

    // MARK: Asking

    /// The next request, if there can be another one now; its answer goes to `complete`.
    mutating func nextRequest() -> RecordsRequest? {
        if case .paging(let state)? = segments.first?.state { return askPage(state) }
        guard segments.count(where: { $0.takesWindow }) < concurrency else { return nil }
        var isSearching = false
        for index in segments.indices {
            switch segments[index].state {
            case .failed: return nil
            // What is behind a place that is being searched for holds little, and can be read with more of it later.
            case .planned(let stretch) where isSearching && stretch.count <= window.target / 4: continue
            case .planned(let stretch): return ask(index, stretch)
            case .held: isSearching = true
            default: isSearching = false
            }
        }
        return nil
    }

    private mutating func ask(_ index: Int, _ stretch: KeySegment.Stretch) -> RecordsRequest {
        let range = segments[index].range
        let fits = stretch.isCounted ? stretch.count <= window.room : stretch.count <= window.target
        if fits || !range.isDivisible { return askWhole(index, stretch) }
        if stretch.isCrowded { return countHalf(index, stretch) }
        let density = stretch.density(share: range.share)
        let parts = max(2, window.parts(of: Int(min(Double(stretch.count) * density, 0x1p52))))
        let (front, rest) = range.divided(into: parts)
        let expected = min(stretch.count, Int(Double(stretch.count) / Double(parts) * density))
        latestTicket += 1
        var remaining = stretch
        remaining.count -= expected
        remaining.isCounted = false
        segments[index].range = rest
        segments[index].state = .planned(remaining)
        let asked = KeySegment(
            range: front, state: .asked(ticket: latestTicket, expected: expected, stretch: stretch.number),
            failures: segments[index].failures)
        segments.insert(asked, at: index)
        return request(for: front)
    }

    /// Asks for all of a planned segment, and for those planned behind it as far as they promise to fit too.
    private mutating func askWhole(_ index: Int, _ stretch: KeySegment.Stretch) -> RecordsRequest {
        var expected = stretch.count
        var end = index + 1
        // What did not come whole is not put together again.
        while end < segments.count, case .planned(let next) = segments[end].state,
            expected + next.count <= window.target, segments[index].failures + segments[end].failures == 0
        {
            expected += next.count
            segments[index].range.upper = segments[end].range.upper
            end += 1
        }
        segments.removeSubrange(index + 1..<end)
        latestTicket += 1
        segments[index].state = .asked(ticket: latestTicket, expected: expected, stretch: nil)
        return request(for: segments[index].range)
    }

    private mutating func countHalf(_ index: Int, _ stretch: KeySegment.Stretch) -> RecordsRequest {
        let (front, rest) = segments[index].range.divided(into: 2)
        latestTicket += 1
        var upper = segments[index]
        upper.range = rest
        upper.state = .held
        segments[index].range = front
        segments[index].state = .counting(ticket: latestTicket, both: stretch.count)
        segments.insert(upper, at: index + 1)
        return RecordsRequest(
            ticket: latestTicket, part: .range(front), window: PageRequest(offset: 0, limit: 1, countOnly: true))
    }

    /// Asks for the next page of the first segment.
    private mutating func askPage(_ state: PaginatorState) -> RecordsRequest? {
        var state = state
        guard case .fetch(let page)? = try? state.begin(.next) else { return nil }
        latestTicket += 1
        segments[0].state = .pageAsked(ticket: latestTicket, state)
        return RecordsRequest(
            ticket: latestTicket, part: .range(segments[0].range), window: page, dividesByOffset: true)
    }

    private func request(for range: KeyRange) -> RecordsRequest {
        RecordsRequest(
            ticket: latestTicket, part: .range(range), window: PageRequest(offset: 0, limit: window.limit))
    }

    // MARK: Answers

    /// Goes on with what came of a request.
    mutating func complete(_ ticket: Int, _ result: Result<PageAnswer, PageSourceError>) {
        guard let index = segments.firstIndex(where: { $0.ticket == ticket }) else { return }
        switch segments[index].state {
        case .asked(_, let expected, let stretch):
            switch result {
            case .success(let answer): completeRead(index, answer, expected: expected, stretch: stretch)
            case .failure(let problem): fail(index, problem, expected: expected)
            }
        case .counting(_, let both):
            switch result {
            case .success(let answer): completeCount(index, answer.total, both: both)
            case .failure(let problem): segments[index].state = .failed(problem)
            }
        case .pageAsked(_, let state):
            switch result {
            case .success(let answer): completePage(index, answer, state)
            case .failure(let problem): segments[index].state = .failed(problem)
            }
        default: break
        }
    }

    private mutating func completeRead(_ index: Int, _ answer: PageAnswer, expected: Int, stretch: Int?) {
        guard let count = answer.total, count <= window.room || segments[index].range.isDivisible else {
            // Without a count nobody knows whether this is all, and a range of one place cannot be divided: the rows
            // here are the first page of more.
            var state = PaginatorState(itemsPerPage: window.limit)
            _ = try? state.begin(.next)
            return completePage(index, answer, state)
        }
        if let stretch { learn(expected: expected, found: min(count, Self.mostKeys), in: stretch, before: index) }
        if count <= window.room {
            segments[index].state = .read(answer.rows)
        } else {
            plan(index, count: count, isCounted: true, isCrowded: count / 4 >= max(expected, 4))
        }
    }

    /// Rows that were found beyond what was expected are missing behind it, and the other way round.
    private mutating func learn(expected: Int, found: Int, in number: Int, before index: Int) {
        var surplus = found - expected
        let share = segments[index].range.share
        for index in segments.indices.dropFirst(index + 1) {
            switch segments[index].state {
            case .planned(var stretch) where !stretch.isCounted:
                if stretch.number == number { stretch.learn(expected: expected, found: found, share: share) }
                surplus = Self.settle(surplus, &stretch.count)
                segments[index].state = .planned(stretch)
            case .counting(let ticket, var both):
                surplus = Self.settle(surplus, &both)
                segments[index].state = .counting(ticket: ticket, both: both)
            default: continue
            }
            if surplus == 0 { return }
        }
    }

    /// Corrects an estimate; what is left of the surplus then.
    private static func settle(_ surplus: Int, _ estimate: inout Int) -> Int {
        let correction = min(surplus, estimate)
        estimate = min(estimate - correction, mostKeys)
        return surplus - correction
    }

    /// What does not come whole because of its size may come in parts. They are cut by key: halves by offset would shift
    /// against each other.
    private mutating func fail(_ index: Int, _ problem: PageSourceError, expected: Int) {
        let range = segments[index].range
        switch problem {
        case .incomplete, .timedOut, .tooLarge:
            guard segments[index].failures < Self.maxFailures, range.isDivisible else { fallthrough }
            window.narrow(below: expected)
            segments[index].failures += 1
            let (front, rest) = range.divided(into: 2)
            var upper = segments[index]
            upper.range = rest
            segments[index].range = front
            segments.insert(upper, at: index + 1)
            plan(index, count: expected / 2, isCounted: false, isCrowded: false)
            plan(index + 1, count: expected - expected / 2, isCounted: false, isCrowded: false)
        default: segments[index].state = .failed(problem)
        }
    }

    private mutating func completeCount(_ index: Int, _ count: Int?, both: Int) {
        guard let count else {
            plan(index, count: both / 2, isCounted: false, isCrowded: false)
            plan(index + 1, count: both - both / 2, isCounted: false, isCrowded: false)
            return
        }
        let rest = max(0, both - count)
        let isEven = min(count, rest) > both / 8
        if count == 0 {
            segments[index].state = .read(Rows())
        } else {
            plan(index, count: count, isCounted: true, isCrowded: !isEven && count > rest)
        }
        plan(index + 1, count: rest, isCounted: false, isCrowded: !isEven && rest >= count)
    }

    private mutating func completePage(_ index: Int, _ answer: PageAnswer, _ state: PaginatorState) {
        var state = state
        do {
            if case .deliver(let page) = try state.complete(answer) {
                segments[index].state = .page(page.rows, state)
            }
        } catch {
            guard case .source(let problem) = error else { return }
            segments[index].state = .failed(problem)
        }
    }

    private mutating func plan(_ index: Int, count: Int, isCounted: Bool, isCrowded: Bool) {
        latestStretch += 1
        let stretch = KeySegment.Stretch(
            number: latestStretch, count: min(count, Self.mostKeys), isCounted: isCounted, isCrowded: isCrowded)
        segments[index].state = .planned(stretch)
    }

    // MARK: Delivering

    /// The next rows, if they are there.
    ///
    /// - Throws: why those that come next cannot be read.
    mutating func nextRows() throws(PageSourceError) -> Rows? {
        while let first = segments.first {
            switch first.state {
            case .failed(let problem): throw problem
            case .read(let rows):
                removeFirst()
                if !rows.isEmpty { return rows }
            case .page(let rows, let state):
                if state.hasNext { segments[0].state = .paging(state) } else { removeFirst() }
                if !rows.isEmpty { return rows }
            default: return nil
            }
        }
        return nil
    }

    private mutating func removeFirst() {
        if let upper = segments.removeFirst().range.upper { delivered = upper }
    }
}
