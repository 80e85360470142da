/// What a paginator knows, and what it decides: a value without a source, a clock or a lock.
///
/// A move is `begin`, which names what to fetch, and `complete` with what came, which either names one more fetch or
/// delivers the page. Both work on the value alone: whoever drives a move works on a copy and puts it in place once
/// the page is safe, so a failed move leaves nothing behind.
public struct PaginatorState: Sendable, Equatable {
    /// What has to happen next in a move.
    public enum Action: Sendable, Equatable {
        /// Fetch this window, then call `complete`.
        case fetch(PageRequest)
        /// The move is done.
        case deliver(Page)
    }

    /// The current page, 1-based; 0 where none was fetched yet, after a reset, and for an empty record set.
    public private(set) var page = 0
    /// The number of pages by the latest count; `Int.max` while unknown.
    public private(set) var numberOfPages = Int.max
    /// The size of a whole page, in rows, ≥ 1.
    public let itemsPerPage: Int
    /// The latest count of the record set, `nil` while none has come.
    public private(set) var totalItems: Int?
    /// Whether the publisher ends once the last page has been fetched.
    public var publisherShouldFinish: Bool
    /// Whether it has: no fetch is possible any more.
    public private(set) var isFinished = false

    /// Whether any page has been answered.
    private var hasAnswer = false
    /// Without a count: whether the latest answer had rows, or named a window further on.
    private var mayHaveMore = false
    /// Without a count: where the latest rows stood and what they were, to notice a source that does not advance.
    private var latestWindow: SavedWindow?
    private var step: Step?

    /// What the fetch under way is for.
    private enum Step: Sendable, Equatable {
        /// `last()` learns the count.
        case count
        /// A page; `mayRetarget` while the move may still go to another one because the set turned out shorter.
        case page(number: Int, offset: Int, mayRetarget: Bool)
    }

    /// A paginator before its first page.
    ///
    /// - Parameter itemsPerPage: 20 unless said otherwise, as in the iOS SDK; less than 1 counts as 1.
    public init(itemsPerPage: Int = 20, publisherShouldFinish: Bool = false) {
        self.itemsPerPage = max(1, itemsPerPage)
        self.publisherShouldFinish = publisherShouldFinish
    }

    /// A paginator as it was saved between two moves; `nil` where no paginator can ever have been like that.
    package init?(_ saved: Saved) {
        guard saved.page >= 0, saved.numberOfPages >= 0, saved.itemsPerPage >= 1, (saved.totalItems ?? 0) >= 0,
            (saved.latestWindow?.offset ?? 0) >= 0
        else { return nil }
        self.init(itemsPerPage: saved.itemsPerPage, publisherShouldFinish: saved.publisherShouldFinish)
        if let total = saved.totalItems {
            learn(total)
            guard numberOfPages == saved.numberOfPages else { return nil }
        }
        page = saved.page
        numberOfPages = saved.numberOfPages
        isFinished = saved.isFinished
        hasAnswer = saved.hasAnswer
        mayHaveMore = saved.mayHaveMore
        latestWindow = saved.latestWindow
    }

    /// All that it knows, but for a move that is under way.
    package var saved: Saved {
        var saved = Saved()
        saved.page = page
        saved.numberOfPages = numberOfPages
        saved.itemsPerPage = itemsPerPage
        saved.totalItems = totalItems
        saved.publisherShouldFinish = publisherShouldFinish
        saved.isFinished = isFinished
        saved.hasAnswer = hasAnswer
        saved.mayHaveMore = mayHaveMore
        saved.latestWindow = latestWindow
        return saved
    }

    /// Whether a next page is available to fetch.
    public var hasNext: Bool {
        if page == 0 { return numberOfPages != 0 }
        if knowsEnd { return page < numberOfPages }
        // Of no consequence but for a page number at the end of all numbers, behind which there is none.
        return mayHaveMore && page < .max && Self.offset(ofPage: page + 1, itemsPerPage: itemsPerPage) != nil
    }

    /// Whether the number of pages is one that was counted or found; a count of `Int.max` rows may make it `Int.max` too.
    private var knowsEnd: Bool {
        numberOfPages != .max || totalItems != nil
    }

    /// Whether a previous page is available to fetch.
    public var hasPrevious: Bool {
        page > 1
    }

    /// Whether `last()` can know where the last page is, or find it out.
    public var canFindLast: Bool {
        knowsEnd || !hasAnswer
    }

    /// Goes back in front of the first page and keeps the known count. A finished paginator stays as it is.
    public mutating func reset() {
        guard !isFinished else { return }
        page = 0
        latestWindow = nil
    }

    /// Begins a move.
    ///
    /// - Throws: `PaginationError` where there is no such page; nothing has changed then.
    public mutating func begin(_ move: Move) throws(PaginationError) -> Action {
        guard !isFinished else { throw .finished }
        switch move {
        case .first:
            return fetch(1, mayRetarget: false)
        case .next:
            guard hasNext else { throw .noNextPage }
            return fetch(page + 1, mayRetarget: false)
        case .previous:
            guard hasPrevious else { throw .noPreviousPage }
            return fetch(min(page - 1, numberOfPages), mayRetarget: true)
        case .last:
            guard canFindLast else { throw .lastPageUnknown }
            if knowsEnd { return fetch(numberOfPages, mayRetarget: true) }
            step = .count
            return .fetch(PageRequest(offset: 0, limit: 1, countOnly: true))
        }
    }

    /// Begins the fetch of one page by its number, wherever the paginator stands; for a state of its own, since the page
    /// then becomes the current one.
    ///
    /// - Returns: `nil` where there is no such page number, or its offset does not fit an `Int`.
    public mutating func begin(page number: Int) -> Action? {
        guard Self.offset(ofPage: number, itemsPerPage: itemsPerPage) != nil else { return nil }
        return fetch(number, mayRetarget: false)
    }

    /// Goes on with the answer to the fetch that `begin` or `complete` asked for.
    ///
    /// - Throws: `PaginationError`, after which this value is not to be used any more.
    public mutating func complete(_ answer: PageAnswer) throws(PaginationError) -> Action {
        switch step {
        case .count: try completeCount(answer)
        case .page(let number, let offset, let mayRetarget):
            try completePage(answer, number: number, offset: offset, mayRetarget: mayRetarget)
        case nil: throw .source(.failed(nil, reason: "an answer that nobody asked for"))
        }
    }

    private mutating func completeCount(_ answer: PageAnswer) throws(PaginationError) -> Action {
        if let total = answer.total {
            learn(total)
            if total > 0 { return fetch(numberOfPages, mayRetarget: true) }
        } else if answer.rows.isEmpty, (answer.nextOffset ?? 0) <= 0 {
            numberOfPages = 0
        } else {
            throw .lastPageUnknown
        }
        return .deliver(arrive(at: 1, with: Rows()))
    }

    private mutating func completePage(
        _ answer: PageAnswer, number: Int, offset: Int, mayRetarget: Bool
    ) throws(PaginationError) -> Action {
        if let total = answer.total {
            learn(total)
        } else if totalItems == nil {
            try checkProgress(answer, at: offset)
            findEnd(answer, at: number)
        }
        mayHaveMore = !answer.rows.isEmpty || answer.nextOffset != nil
        latestWindow = answer.digest.map { SavedWindow(offset: offset, digest: $0) }
        if mayRetarget, answer.total != nil, numberOfPages > 0, numberOfPages < number {
            return fetch(numberOfPages, mayRetarget: false)
        }
        return .deliver(arrive(at: number, with: answer.rows))
    }

    private mutating func fetch(_ number: Int, mayRetarget: Bool) -> Action {
        let number = max(1, number)
        // A count never exceeds Int.max, so the first row of every page that exists has an offset that fits, and
        // without a count `hasNext` looks whether the next page has one.
        let offset = Self.offset(ofPage: number, itemsPerPage: itemsPerPage) ?? .max
        step = .page(number: number, offset: offset, mayRetarget: mayRetarget)
        return .fetch(PageRequest(offset: offset, limit: itemsPerPage))
    }

    private mutating func learn(_ total: Int) {
        totalItems = total
        numberOfPages = Self.numberOfPages(of: total, itemsPerPage: itemsPerPage)
    }

    /// Without a count an empty answer without a window further on is the end. Rows, or a window further on, where the
    /// end was found before show that the set has grown: the end is unknown again.
    private mutating func findEnd(_ answer: PageAnswer, at number: Int) {
        if answer.rows.isEmpty, answer.nextOffset == nil {
            numberOfPages = number - 1
        } else if number > numberOfPages || (number == numberOfPages && answer.nextOffset != nil) {
            numberOfPages = .max
        }
    }

    /// Without a count only an answer that gets further lets a walk end: refuses the same rows at two offsets in a row,
    /// and a next window that is not behind this one.
    private func checkProgress(_ answer: PageAnswer, at offset: Int) throws(PaginationError) {
        if let nextOffset = answer.nextOffset, nextOffset <= offset {
            let reason = "no progress: the instance names offset \(nextOffset) as the next one after \(offset)"
            throw .source(.failed(nil, reason: reason))
        }
        if let latestWindow, latestWindow.offset != offset, latestWindow.digest == answer.digest {
            let reason = "no progress: the instance sends the same rows at offsets \(latestWindow.offset) and \(offset)"
            throw .source(.failed(nil, reason: reason))
        }
    }

    private mutating func arrive(at number: Int, with rows: Rows) -> Page {
        page = numberOfPages == 0 && rows.isEmpty ? 0 : number
        hasAnswer = true
        if publisherShouldFinish, !hasNext { isFinished = true }
        step = nil
        return delivered(rows)
    }

    private func delivered(_ rows: Rows) -> Page {
        Page(
            page: page, numberOfPages: numberOfPages, itemsPerPage: itemsPerPage, totalItems: totalItems,
            hasNext: hasNext, hasPrevious: hasPrevious, isFinished: isFinished, rows: rows)
    }

    /// How many pages so many rows make.
    package static func numberOfPages(of totalItems: Int, itemsPerPage: Int) -> Int {
        totalItems / itemsPerPage + (totalItems % itemsPerPage > 0 ? 1 : 0)
    }

    /// The offset of a page's first row; `nil` where there is no such page number, or the offset does not fit an `Int`.
    public static func offset(ofPage number: Int, itemsPerPage: Int) -> Int? {
        guard number >= 1 else { return nil }
        let (offset, overflow) = (number - 1).multipliedReportingOverflow(by: itemsPerPage)
        return overflow ? nil : offset
    }
}
