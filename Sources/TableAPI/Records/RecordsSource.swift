import Pagination

/// Where the windows of all records come from.
struct RecordsSource: Sendable {
    /// What came of a request.
    struct Outcome: Sendable {
        /// The request's ticket.
        var ticket: Int
        /// The answer, or why there is none.
        var result: Result<PageAnswer, PageSourceError>
    }

    private let pages: TablePageSource
    private let query: KeyedQuery?
    private let caller: String?

    /// Reads from the pages of a table.
    ///
    /// - Parameters:
    ///   - query: the query, where it can be asked for by key.
    ///   - caller: see `PageRequest.caller`.
    init(_ pages: TablePageSource, query: KeyedQuery?, caller: String?) {
        self.pages = pages
        self.query = query
        self.caller = caller
    }

    /// Fetches some records.
    func fetch(_ request: RecordsRequest) async -> Outcome {
        var window = request.window
        window.priority = .bulk
        window.caller = caller
        let text = request.part.flatMap { query?.text($0) }
        do throws(PageSourceError) {
            let answer = try await pages.fetch(window, query: text, dividesByOffset: request.dividesByOffset)
            return Outcome(ticket: request.ticket, result: .success(answer))
        } catch {
            return Outcome(ticket: request.ticket, result: .failure(error))
        }
    }
}
