public import Pagination

/// The pages of one query on one table of an instance.
public struct TablePageSource: PageSource {
    private let service: TableService
    private let url: TableURL

    init(service: TableService, url: TableURL) {
        self.service = service
        self.url = url
    }

    /// Fetches one window of rows, or only their count.
    ///
    /// - Throws: `PageSourceError` unless the answer is one whole page.
    public func fetch(_ request: PageRequest) async throws(PageSourceError) -> PageAnswer {
        let response = try await service.get(url.text(for: request))
        do {
            return try TableAnswer(response, now: service.now).page(countOnly: request.countOnly)
        } catch {
            if case .unauthenticated(let upstream) = error, service.instance.credentials == .forward {
                throw .callerUnauthenticated(upstream)
            }
            throw error
        }
    }
}
