public import Pagination

/// What takes a session to its next position.
public enum SessionMove: String, Sendable, CaseIterable {
    /// Page 1.
    case first
    /// The page behind the current one.
    case next
    /// The page in front of the current one.
    case previous
    /// The last page.
    case last
    /// In front of the first page, with nothing fetched.
    case reset

    /// The paginator's move; `nil` for `reset`, which fetches nothing.
    public var fetching: Move? {
        Move(rawValue: rawValue)
    }
}
