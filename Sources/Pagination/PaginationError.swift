/// Why a move delivered no page. The paginator is then as it was before, and the same call can be made again.
public enum PaginationError: Error, Sendable, Equatable {
    /// `next()` at the last page; nothing was fetched.
    case noNextPage
    /// `previous()` at the first page, or before any; nothing was fetched.
    case noPreviousPage
    /// `last()` while the source sends no count and the end has not been found.
    case lastPageUnknown
    /// Any fetch after the publisher has finished.
    case finished
    /// The source did not deliver the page.
    case source(PageSourceError)
}
