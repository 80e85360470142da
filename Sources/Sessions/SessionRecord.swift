public import Clocks
public import Pagination

/// All that is kept of a session: what a store writes in one piece.
public struct SessionRecord: Sendable, Equatable {
    /// The page that a repeated move is answered with.
    public enum KeptPage: Sendable, Equatable {
        /// There is none: nothing was fetched yet, or the latest move was a reset.
        case none
        /// The page of the latest move.
        case page(Page)
        /// The page of the latest move, whose rows were dropped or never kept for want of room.
        case withoutRows(Page)
    }

    /// The session's name.
    public let id: SessionID
    /// What never changes, apart, so that a record is copied quickly.
    private let opening: Opening
    /// Where its paginator stands.
    public var state: PaginatorState
    /// 0 at creation, one more for each delivered page and for each reset.
    public var position = 0
    /// The move that led to `position`; `nil` at creation.
    public var reachedBy: SessionMove?
    /// The page that `reachedBy` delivered.
    public var keptPage = KeptPage.none
    /// When it ends unless it is used before.
    public var expiresAt: Timestamp
    /// Rises with every `replace`; the store's own, no caller sees it.
    public var revision = 0
    /// Rises from session to session in a store: the order of opening. Given by the store.
    public var sequence = 0
    /// Whether another process moves it now, as a store found that out in reading it; not a part of what is stored.
    public var isLeased = false

    /// A session that was just opened.
    public init(
        id: SessionID, owner: String, definition: SessionDefinition, publisherShouldFinish: Bool, now: Timestamp
    ) {
        self.id = id
        opening = Opening(owner: owner, definition: definition, createdAt: now)
        state = PaginatorState(
            itemsPerPage: definition.itemsPerPage, publisherShouldFinish: publisherShouldFinish)
        expiresAt = now.adding(seconds: definition.idleTimeout)
    }

    /// A session as a store has it.
    init(
        id: SessionID, owner: String, definition: SessionDefinition, createdAt: Timestamp, state: PaginatorState,
        expiresAt: Timestamp
    ) {
        self.id = id
        opening = Opening(owner: owner, definition: definition, createdAt: createdAt)
        self.state = state
        self.expiresAt = expiresAt
    }

    /// Whose it is; nobody else learns that it exists.
    public var owner: String { opening.owner }

    /// What it pages through.
    public var definition: SessionDefinition { opening.definition }

    /// When it was opened.
    public var createdAt: Timestamp { opening.createdAt }

    /// Lets it live on from a use at that time.
    mutating func stay(from now: Timestamp) {
        expiresAt = max(expiresAt, now.adding(seconds: definition.idleTimeout))
    }

    /// Forgets the rows of the kept page, but not which page it was. A page without rows stays whole.
    public mutating func dropRows() {
        guard case .page(var page) = keptPage, !page.rows.isEmpty else { return }
        page.rows = Rows()
        keptPage = .withoutRows(page)
    }
}

/// How a session was opened.
private final class Opening: Sendable, Equatable {
    let owner: String
    let definition: SessionDefinition
    let createdAt: Timestamp

    init(owner: String, definition: SessionDefinition, createdAt: Timestamp) {
        self.owner = owner
        self.definition = definition
        self.createdAt = createdAt
    }

    static func == (left: Opening, right: Opening) -> Bool {
        left === right
            || (left.owner == right.owner && left.definition == right.definition && left.createdAt == right.createdAt)
    }
}
