import Pagination

/// How many pages behind the cursor are fetched before anybody asks for them.
public enum ReadAheadDepth: Sendable, Equatable {
    /// One page, from the second `next` in a row on, as an operating system reads files ahead.
    case auto
    /// So many pages, from the first move to page 1 or forward on; 0 for none.
    case pages(Int)

    /// The windows that ought to be at hand once a move has arrived: none behind the end, and no more than one where nobody
    /// has counted yet where the end is.
    func windows(
        behind state: PaginatorState, reachedBy move: SessionMove, after earlier: SessionMove?, for owner: String
    ) -> [PageRequest] {
        let wanted: Int
        switch (self, move) {
        case (.auto, .next): wanted = earlier == .next ? 1 : 0
        case (.pages(let count), .first), (.pages(let count), .next): wanted = count
        default: wanted = 0
        }
        guard wanted > 0, state.hasNext, !state.isFinished, state.page > 0 else { return [] }
        let count = min(wanted, state.numberOfPages == .max ? 1 : state.numberOfPages - state.page)
        return (0..<count).compactMap { step in
            PaginatorState.offset(ofPage: state.page + 1 + step, itemsPerPage: state.itemsPerPage).map {
                PageRequest(offset: $0, limit: state.itemsPerPage, priority: .readAhead, caller: owner)
            }
        }
    }
}
