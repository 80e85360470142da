import Pagination

/// The pages of one session that were, or are being, fetched before anybody has asked for them.
struct ReadAhead {
    private enum Entry {
        case fetching(Task<Void, Never>, number: Int)
        case ready(PageAhead)
    }

    /// By the offset of the page's first row.
    private var entries: [Int: Entry] = [:]
    private var latestNumber = 0

    /// How many pages are at hand.
    var atHand: Int {
        entries.values.reduce(0) { if case .ready = $1 { $0 + 1 } else { $0 } }
    }

    /// Whether any page is under way.
    var isUnderWay: Bool {
        entries.values.contains { if case .fetching = $0 { true } else { false } }
    }

    /// Whether nothing is at hand or under way.
    var isEmpty: Bool { entries.isEmpty }

    /// Takes a page out, if it is there and not too old. One that is still being fetched stays: the source makes that fetch and
    /// the caller's own one.
    mutating func take(_ request: PageRequest, now: Duration) -> PageAnswer? {
        guard !entries.isEmpty, !request.countOnly, case .ready(let page)? = entries[request.offset] else { return nil }
        entries[request.offset] = nil
        return page.until > now ? page.answer : nil
    }

    /// Gives up whatever is not among those windows, or too old.
    ///
    /// - Returns: the windows that are neither there nor under way.
    mutating func retain(_ windows: [PageRequest], now: Duration) -> [PageRequest] {
        guard !(entries.isEmpty && windows.isEmpty) else { return [] }
        let kept = entries.filter { offset, entry in
            guard windows.contains(where: { $0.offset == offset }) else { return false }
            if case .ready(let page) = entry { return page.until > now }
            return true
        }
        for (offset, entry) in entries where kept[offset] == nil {
            if case .fetching(let task, _) = entry { task.cancel() }
        }
        entries = kept
        return windows.filter { kept[$0.offset] == nil }
    }

    /// Gives up the pages that are too old, whose room others can use.
    mutating func dropOld(now: Duration) {
        entries = entries.filter { if case .ready(let page) = $1 { page.until > now } else { true } }
    }

    /// A number for a fetch that is about to begin, which no other one has.
    mutating func number() -> Int {
        latestNumber += 1
        return latestNumber
    }

    /// Notes that a window is under way.
    mutating func began(_ window: PageRequest, _ task: Task<Void, Never>, number: Int) {
        entries[window.offset] = .fetching(task, number: number)
    }

    /// Keeps what came of a fetch, where it is still wanted; `nil` where nothing came. One that was given up may end late, when
    /// its window is wanted again and under way anew: what it brings is older than what made it wanted.
    mutating func ended(_ window: PageRequest, number: Int, with page: PageAhead?) {
        guard case .fetching(_, number)? = entries[window.offset] else { return }
        entries[window.offset] = page.map { .ready($0) }
    }
}
