public import Pagination

/// What happens to a session, for everybody who listens to it.
public enum SessionEvent: Sendable, Equatable {
    /// A page was delivered; the record is the session right after it.
    case page(Page, SessionRecord)
    /// The session went back in front of the first page.
    case reset(SessionRecord)
    /// A fetch failed; page, position and count are as they were.
    case failure(PageSourceError)
    /// The session was closed or has expired: nothing comes any more.
    case closed
}
