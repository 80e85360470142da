extension PageSource {
    /// Fetches one page by its number, for whoever keeps no place in the record set. Count, `hasNext` and `hasPrevious` are
    /// those of this very answer.
    ///
    /// - Returns: `nil` where there is no such page number: below 1, or so large that its offset does not fit an `Int`.
    /// - Throws: `PaginationError.source`.
    public func page(
        _ number: Int, itemsPerPage: Int, caller: String? = nil
    ) async throws(PaginationError) -> Page? {
        try await pageWithOrigin(number, itemsPerPage: itemsPerPage, caller: caller)?.page
    }

    /// Fetches one page by its number, as above, and tells where it came from: of several answers, from which most was asked
    /// of the source.
    ///
    /// - Returns: `nil` where there is no such page number.
    /// - Throws: `PaginationError.source`.
    package func pageWithOrigin(
        _ number: Int, itemsPerPage: Int, caller: String? = nil
    ) async throws(PaginationError) -> (page: Page, origin: PageAnswer.Origin)? {
        var state = PaginatorState(itemsPerPage: itemsPerPage)
        var next = state.begin(page: number)
        var origin = PageAnswer.Origin.cached
        while let action = next {
            switch action {
            case .deliver(let page): return (page, origin)
            case .fetch(var request):
                request.caller = caller
                let answer: PageAnswer
                do {
                    answer = try await fetch(request)
                } catch {
                    throw .source(error)
                }
                origin = min(origin, answer.origin)
                next = try state.complete(answer)
            }
        }
        return nil
    }
}
