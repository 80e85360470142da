public import Pagination

extension TablePageSource {
    /// The same pages for work that outlives the calling task, with the credentials that its caller has brought, if any.
    public func detached() -> any PageSource {
        guard let authorization = ForwardedAuthorization.current else { return self }
        return ForwardedSource(source: self, authorization: authorization)
    }
}

/// The pages of a source as the caller with those credentials sees them.
private struct ForwardedSource: PageSource {
    let source: TablePageSource
    let authorization: ForwardedAuthorization

    func fetch(_ request: PageRequest) async throws(PageSourceError) -> PageAnswer {
        // A task-local value is bound for a closure that throws anything or nothing.
        let result: Result<PageAnswer, PageSourceError> = await ForwardedAuthorization.$current.withValue(authorization)
        {
            do throws(PageSourceError) {
                return .success(try await source.fetch(request))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }
}
