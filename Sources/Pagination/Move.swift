/// The methods of a paginator that fetch a page.
public enum Move: String, Sendable, CaseIterable {
    /// Fetches page 1.
    case first
    /// Fetches the page behind the current one; page 1 where none was fetched yet.
    case next
    /// Fetches the page in front of the current one.
    case previous
    /// Fetches the last page.
    case last
}
