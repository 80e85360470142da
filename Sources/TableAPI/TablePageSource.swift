public import Pagination

/// The pages of one query on one table of an instance.
public struct TablePageSource: PageSource {
    private let service: TableService
    private let url: TableURL

    init(service: TableService, url: TableURL) {
        self.service = service
        self.url = url
    }

    /// Fetches one window of rows, or only their count, within the instance's restraint and with the retries that it
    /// allows. A window that is cut, or takes too long, is fetched in parts.
    ///
    /// - Throws: `PageSourceError` unless the answer is one whole page.
    public func fetch(_ request: PageRequest) async throws(PageSourceError) -> PageAnswer {
        try await fetch(request, query: nil, dividesByOffset: true)
    }

    /// Fetches one window of rows of another query, sent as it is.
    ///
    /// - Parameters:
    ///   - query: the query; `nil` for the source's own.
    ///   - dividesByOffset: whether a window that is cut, or takes too long, is fetched in parts.
    func fetch(
        _ request: PageRequest, query: String?, dividesByOffset: Bool
    ) async throws(PageSourceError) -> PageAnswer {
        var fetch = WindowFetch(service, query.map { url.asking($0) } ?? url)
        do {
            return try await fetch.page(request, divisions: dividesByOffset ? 0 : WindowFetch.maxDivisions)
        } catch {
            if case .unauthenticated(let upstream) = error, service.instance.credentials == .forward {
                throw .callerUnauthenticated(upstream)
            }
            throw error
        }
    }
}
