import Clocks
public import Pagination

/// Why a request on a session was refused.
public enum SessionError: Error, Sendable, Equatable {
    /// There is no such session for this owner.
    case notFound
    /// It was closed or has expired.
    case expired
    /// Another move is under way and this one may not wait, or too many wait already.
    case busy
    /// The move starts from another position than the one at which the session stands.
    case stale(position: Int)
    /// There is no page with that number.
    case noSuchPage
    /// The paginator refused the move or could not fetch the page; the session is as the record says.
    case pagination(PaginationError, SessionRecord)
    /// As many sessions are open as may be; the nearest one to end ends in that many seconds.
    case tooManySessions(limit: Int, retryAfter: Int)
    /// The store cannot be reached or written.
    case store(String)
    /// Something that should be impossible happened; this says what, for the log.
    case impossible(String)
}

extension SessionError {
    /// What a store's failure means to a request.
    init(_ error: SessionStoreError, now: Timestamp) {
        switch error {
        case .full(let limit, let nearestExpiry):
            self = .tooManySessions(limit: limit, retryAfter: nearestExpiry?.secondsLater(than: now) ?? 1)
        case .unavailable(let reason): self = .store(reason)
        }
    }
}
