import Pagination

/// A request for some of all records.
struct RecordsRequest: Sendable, Equatable {
    /// Tells its answer from others.
    var ticket: Int
    /// Which of the query's records; `nil` for all.
    var part: KeyedQuery.Part?
    /// Which of those, and whether they are only counted.
    var window: PageRequest
    /// Whether the window may be fetched in parts by offset where it does not come whole.
    var dividesByOffset = false
}
