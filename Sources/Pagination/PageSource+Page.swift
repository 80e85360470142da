extension PageSource {
    /// Fetches one page by its number, for whoever keeps no place in the record set. Count, `hasNext` and `hasPrevious` are
    /// those of this very answer.
    ///
    /// - Returns: `nil` where there is no such page number: below 1, or so large that its rows have no offsets.
    /// - Throws: `PaginationError.source`.
    public func page(
        _ number: Int, itemsPerPage: Int, caller: String? = nil
    ) async throws(PaginationError) -> Page? {
        var state = PaginatorState(itemsPerPage: itemsPerPage)
        guard var action = state.begin(page: number) else { return nil }
        while case .fetch(var request) = action {
            request.caller = caller
            let answer: PageAnswer
            do {
                answer = try await fetch(request)
            } catch {
                throw .source(error)
            }
            action = try state.complete(answer)
        }
        guard case .deliver(let page) = action else { preconditionFailure("a fetch ends with a page") }
        return page
    }
}
