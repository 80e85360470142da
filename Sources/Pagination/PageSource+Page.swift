extension PageSource {
    /// Fetches one page by its number, for whoever keeps no place in the record set. Count, `hasNext` and `hasPrevious` are
    /// those of this very answer.
    ///
    /// - Returns: `nil` where there is no such page number: below 1, or so large that its offset does not fit an `Int`.
    /// - Throws: `PaginationError.source`.
    public func page(
        _ number: Int, itemsPerPage: Int, caller: String? = nil
    ) async throws(PaginationError) -> Page? {
        var state = PaginatorState(itemsPerPage: itemsPerPage)
        var next = state.begin(page: number)
        while let action = next {
            switch action {
            case .deliver(let page): return page
            case .fetch(var request):
                request.caller = caller
                let answer: PageAnswer
                do {
                    answer = try await fetch(request)
                } catch {
                    throw .source(error)
                }
                next = try state.complete(answer)
            }
        }
        return nil
    }
}
