import Pagination

/// Finds out by counting whether a table can be read by key: whether the instance heeds conditions on `sys_id`, and
/// whether nearly all keys are hexadecimal numbers.
///
/// An instance may drop a condition that it does not allow, or answer it with no rows, without saying so. Then the parts
/// do not add up to the whole. They need not while rows come and go, but then the whole is, in some round, once more and
/// once less than the parts.
struct KeyCheck: Sendable {
    private static let maxRounds = 3

    /// What is known.
    enum Verdict: Sendable, Equatable {
        /// More has to be counted.
        case open
        /// It can be read by key and has so many records.
        case byKey(count: Int)
        /// It cannot.
        case byOffset
        /// It could not be found out.
        case failed(PageSourceError)
    }

    private enum Count: Int, CaseIterable {
        case below, among, above, whole

        var part: KeyedQuery.Part? {
            switch self {
            case .below: .belowNumbers
            case .among: .amongNumbers
            case .above: .aboveNumbers
            case .whole: nil
            }
        }
    }

    private let room: Int
    private let concurrency: Int
    private var wholes: [Int]
    private var sums: [Int] = []
    private var counts: [Count: Int] = [:]
    private var unasked: [Count] = [.below, .among, .above]
    private var underWay = 0
    private var misfit: Verdict?

    /// Begins to check.
    ///
    /// - Parameters:
    ///   - whole: the count of all records.
    ///   - room: how many keys may be no hexadecimal numbers.
    ///   - concurrency: the requests that may be under way, ≥ 1.
    init(whole: Int, room: Int, concurrency: Int) {
        wholes = [whole]
        self.room = room
        self.concurrency = concurrency
    }

    /// What the answers so far mean.
    var verdict: Verdict {
        guard unasked.isEmpty, underWay == 0 else { return .open }
        return misfit ?? .byKey(count: wholes.last ?? 0)
    }

    /// The next request, if there is one.
    mutating func nextRequest() -> RecordsRequest? {
        guard misfit == nil, underWay < concurrency, let count = unasked.popLast() else { return nil }
        underWay += 1
        return RecordsRequest(
            ticket: count.rawValue, part: count.part, window: PageRequest(offset: 0, limit: 1, countOnly: true))
    }

    /// Goes on with what came of a request.
    mutating func complete(_ ticket: Int, _ result: Result<PageAnswer, PageSourceError>) {
        guard let count = Count(rawValue: ticket) else { return }
        underWay -= 1
        switch result {
        case .success(let answer):
            guard let total = answer.total else { return settle(.byOffset) }
            counts[count] = total
            if unasked.isEmpty, underWay == 0, misfit == nil { compare() }
        case .failure(.rejected) where count != .whole, .failure(.forbidden) where count != .whole: settle(.byOffset)
        case .failure(let problem): settle(.failed(problem))
        }
    }

    private mutating func settle(_ verdict: Verdict) {
        if misfit == nil { misfit = verdict }
        unasked = []
    }

    private mutating func compare() {
        let outside = (counts[.below] ?? 0).addingSaturated(counts[.above] ?? 0)
        if let whole = counts[.whole] { wholes.append(whole) }
        sums.append(outside.addingSaturated(counts[.among] ?? 0))
        guard outside <= room else { return settle(.byOffset) }
        guard let low = sums.min(), let high = sums.max(), let least = wholes.min(), let most = wholes.max() else {
            return
        }
        if low <= most, least <= high { return }
        if sums.count == Self.maxRounds { return settle(.byOffset) }
        unasked = Count.allCases
    }
}

extension Int {
    fileprivate func addingSaturated(_ other: Int) -> Int {
        let (sum, overflows) = addingReportingOverflow(other)
        return overflows ? .max : sum
    }
}
