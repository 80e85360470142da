import Pagination

/// Reads a record set by offset: which pages are asked for next, and which is delivered when. A value without a source.
///
/// A `PaginatorState` decides page by page, as it does for a caller who only moves on; what is asked for ahead of it only
/// goes as far as the latest count says there are rows. Without a count that is nowhere.
struct OffsetPages: Sendable {
    private var state: PaginatorState
    private let concurrency: Int
    /// The page to deliver next.
    private(set) var front: Int
    private var nextToAsk: Int
    private var answers: [Int: Result<PageAnswer, PageSourceError>] = [:]
    /// The number of pages by the latest count that has come, in whatever order.
    private var knownPages: Int?
    private var hasFailure = false
    /// Whether all is delivered.
    private(set) var isFinished = false

    /// Plans to read all pages from one on, whose offset has to fit an `Int`.
    ///
    /// - Parameter concurrency: the pages that may be under way or kept until they can be delivered, ≥ 1.
    init(from page: Int, itemsPerPage: Int, concurrency: Int) {
        state = PaginatorState(itemsPerPage: itemsPerPage)
        self.concurrency = concurrency
        front = page
        nextToAsk = page
    }

    /// The pages that are under way or kept until they can be delivered.
    var windows: Int { nextToAsk - front }

    /// The next request, if there can be another one now; its answer goes to `complete`.
    mutating func nextRequest() -> RecordsRequest? {
        guard !isFinished, !hasFailure, windows < concurrency,
            nextToAsk == front || nextToAsk <= knownPages ?? 0,
            let offset = PaginatorState.offset(ofPage: nextToAsk, itemsPerPage: state.itemsPerPage)
        else { return nil }
        let page = nextToAsk
        nextToAsk += 1
        return RecordsRequest(
            ticket: page, part: nil, window: PageRequest(offset: offset, limit: state.itemsPerPage),
            dividesByOffset: true)
    }

    /// Goes on with what came of a request, or of one for the first page that somebody else made.
    mutating func complete(_ page: Int, _ result: Result<PageAnswer, PageSourceError>) {
        nextToAsk = max(nextToAsk, page + 1)
        answers[page] = result
        switch result {
        case .success(let answer):
            guard let total = answer.total else { return }
            knownPages = PaginatorState.numberOfPages(of: total, itemsPerPage: state.itemsPerPage)
        case .failure: hasFailure = true
        }
    }

    /// The next rows, if they are there.
    ///
    /// - Throws: why those that come next cannot be read.
    mutating func nextRows() throws(PageSourceError) -> Rows? {
        while !isFinished, let result = answers[front] {
            let answer = try result.get()
            answers[front] = nil
            _ = state.begin(page: front)
            do {
                _ = try state.complete(answer)
            } catch {
                if case .source(let problem) = error { throw problem }
            }
            // What was asked for further on is looked at, even if the set has become shorter meanwhile.
            if state.hasNext || front < knownPages ?? 0 || front + 1 < nextToAsk {
                front += 1
            } else {
                isFinished = true
            }
            if !answer.rows.isEmpty { return answer.rows }
        }
        return nil
    }
}
