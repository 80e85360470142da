extension PaginatorState {
    /// All that a paginator knows between two moves, for a store that outlives the process.
    package struct Saved: Sendable, Equatable {
        /// As in `PaginatorState`.
        package var page = 0
        /// As in `PaginatorState`.
        package var numberOfPages = Int.max
        /// As in `PaginatorState`.
        package var itemsPerPage = 20
        /// As in `PaginatorState`.
        package var totalItems: Int?
        /// As in `PaginatorState`.
        package var publisherShouldFinish = false
        /// As in `PaginatorState`.
        package var isFinished = false
        /// Whether any page has been answered.
        package var hasAnswer = false
        /// Without a count: whether the latest answer had rows, or named a window further on.
        package var mayHaveMore = false
        /// Without a count: where the latest rows stood and what they were.
        package var latestWindow: SavedWindow?

        /// What a paginator before its first page knows.
        package init() {}
    }

    /// Where rows stood and what they were.
    package struct SavedWindow: Sendable, Equatable {
        /// The rows in front of them.
        package var offset: Int
        /// A digest of them.
        package var digest: RowsDigest

        /// Makes a window.
        package init(offset: Int, digest: RowsDigest) {
            self.offset = offset
            self.digest = digest
        }
    }
}
