public import Pagination

/// What a move or a page request led to.
public struct MoveOutcome: Sendable {
    /// Where the page came from.
    public enum Origin: Sendable, Equatable {
        /// From the instance, just now.
        case fetched
        /// From the instance, by a request that was under way for somebody else already.
        case collapsed
        /// From memory: the same was fetched a short while before, be it for somebody else with the same credentials.
        case cached
        /// From the instance, before the move was made.
        case readAhead
        /// It is the stored page of the same move, made before.
        case replayed
        /// It is that page, fetched again since its rows were not kept.
        case refetched

        /// Whether the instance was not asked in the course of the move.
        public var isFromMemory: Bool { self == .cached || self == .readAhead || self == .replayed }

        /// The origin of a page that a source delivered.
        public init(_ origin: PageAnswer.Origin) {
            self =
                switch origin {
                case .fetched: .fetched
                case .collapsed: .collapsed
                case .cached: .cached
                }
        }
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
