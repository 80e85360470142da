/// A second opinion: what the interface promises of one session (http-api.md §1, §3 and §4), said once more in the plainest
/// way. Nothing of it comes from the sources.
struct SessionModel {
    enum Move: String, CaseIterable, Sendable {
        case first, next, previous, last, reset
    }

    /// A window of the record set, as a move needs it.
    struct Window: Hashable, Sendable {
        var offset: Int
        var limit: Int
    }

    /// What the instance has to say to one window.
    struct Rows: Equatable, Sendable {
        /// The rows as they were sent, with all that stands between them.
        var text = ""
        var count = 0
        var total: Int?
        var nextOffset: Int?

        var isLast: Bool { count == 0 && nextOffset == nil }
    }

    /// What a caller is shown.
    struct Page: Equatable, Sendable {
        var number: Int
        var numberOfPages: Int
        var total: Int?
        var hasNext: Bool
        var hasPrevious: Bool
        var isFinished: Bool
        var position: Int
        var rows: Rows
    }

    /// Why a move is refused without asking the instance.
    enum Refusal: String, Error {
        case noNext = "no-next-page"
        case noPrevious = "no-previous-page"
        case lastUnknown = "last-page-unknown"
        case finished = "paginator-finished"
    }

    let size: Int
    var shouldFinish = false
    private(set) var page = 0
    private(set) var total: Int?
    private(set) var isFinished = false
    private(set) var position = 0
    private(set) var reachedBy: Move?
    /// The page that the latest move delivered.
    private(set) var kept: Page?
    /// The pages that were found, where nobody has ever counted.
    private var pagesFound: Int?
    private var latestHadMore = false
    private(set) var isAnswered = false

    init(size: Int, shouldFinish: Bool) {
        self.size = size
        self.shouldFinish = shouldFinish
    }

    /// The number of pages, where it is known.
    var pages: Int? { total.map { ($0 + size - 1) / size } ?? pagesFound }

    var numberOfPages: Int { pages ?? .max }

    var hasNext: Bool {
        if page == 0 { return pages != 0 }
        return pages.map { page < $0 } ?? latestHadMore
    }

    var hasPrevious: Bool { page > 1 }

    var knowsLast: Bool { pages != nil || !isAnswered }

    /// Whether that move from there is the one that led here.
    func isRepeat(_ move: Move, from start: Int?) -> Bool {
        start.map { $0 + 1 == position && reachedBy == move } ?? false
    }

    /// The window of a page.
    func window(_ number: Int) -> Window { Window(offset: (number - 1) * size, limit: size) }

    /// Makes a move that is no repeat.
    ///
    /// - Parameter ask: gives the rows of a window; where it throws the session stays as it was.
    /// - Returns: the page; `nil` for a reset.
    mutating func make(_ move: Move, ask: (Window) throws -> Rows) throws -> Page? {
        if move == .reset {
            guard !isFinished else { return nil }
            page = 0
            arrive(by: .reset)
            kept = nil
            return nil
        }
        guard !isFinished else { throw Refusal.finished }
        var after = self
        var rows = Rows()
        var goal: Int
        switch move {
        case .next where !hasNext: throw Refusal.noNext
        case .previous where !hasPrevious: throw Refusal.noPrevious
        case .last where !knowsLast: throw Refusal.lastUnknown
        case .first, .reset: goal = 1
        case .next: goal = page + 1
        case .previous: goal = min(page - 1, numberOfPages)
        case .last where pages == nil:
            // The count comes first.
            let probe = try ask(Window(offset: 0, limit: 1))
            if let total = probe.total {
                after.total = total
            } else if probe.isLast {
                after.pagesFound = 0
            } else {
                throw Refusal.lastUnknown
            }
            goal = after.numberOfPages
        case .last: goal = numberOfPages
        }
        if !(move == .last && pages == nil && goal == 0) {
            goal = max(1, goal)
            rows = try ask(window(goal))
            after.learn(rows, at: goal)
            // Where it lands beyond the end by the answer's own count it fetches once more.
            if move == .previous || move == .last, rows.total != nil, 1..<goal ~= after.numberOfPages {
                goal = after.numberOfPages
                rows = try ask(window(goal))
                after.learn(rows, at: goal)
            }
        }
        let page = after.deliver(max(1, goal), rows, by: move)
        self = after
        return page
    }

    /// The page with that number for somebody who keeps no place.
    func look(at number: Int, ask: (Window) throws -> Rows) throws -> Page {
        guard !isFinished else { throw Refusal.finished }
        var alone = SessionModel(size: size, shouldFinish: false)
        let rows = try ask(window(number))
        alone.learn(rows, at: number)
        var page = alone.deliver(number, rows, by: .next)
        page.position = position
        return page
    }

    private mutating func learn(_ rows: Rows, at number: Int) {
        latestHadMore = !rows.isLast
        if let count = rows.total {
            total = count
        } else if total == nil {
            if rows.isLast {
                pagesFound = number - 1
            } else if let found = pagesFound, number > found || (number == found && rows.nextOffset != nil) {
                // There is something behind what was the end.
                pagesFound = nil
            }
        }
    }

    private mutating func deliver(_ number: Int, _ rows: Rows, by move: Move) -> Page {
        page = pages == 0 && rows.count == 0 ? 0 : number
        isAnswered = true
        if shouldFinish, !hasNext { isFinished = true }
        arrive(by: move)
        let page = Page(
            number: page, numberOfPages: numberOfPages, total: total, hasNext: hasNext, hasPrevious: hasPrevious,
            isFinished: isFinished, position: position, rows: rows)
        kept = page
        return page
    }

    private mutating func arrive(by move: Move) {
        position += 1
        reachedBy = move
    }
}
