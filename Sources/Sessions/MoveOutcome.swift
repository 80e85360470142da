public import Pagination

/// What a move or a page request led to.
public struct MoveOutcome: Sendable {
    /// Where the page came from.
    public enum Origin: Sendable, Equatable {
        /// From the instance, just now.
        case fetched
        /// From the instance, before the move was made.
        case readAhead
        /// It is the stored page of the same move, made before.
        case replayed
        /// It is that page, fetched again since its rows were not kept.
        case refetched
    }

    /// The session afterwards.
    public var record: SessionRecord
    /// The page; `nil` for a reset.
    public var page: Page?
    /// Where it came from.
    public var origin: Origin
    /// How long the instance took, all its requests together.
    public var upstream: Duration
}
