extension PageSourceError {
    /// Whether the same fetch may succeed later without anything being changed.
    public var isTransient: Bool {
        switch self {
        case .rateLimited, .unavailable, .failed, .incomplete, .notJSON, .timedOut: true
        case .rejected, .forbidden, .unauthenticated, .callerUnauthenticated, .tooLarge, .stopping: false
        }
    }

    /// How long to leave the source alone before the next try, in seconds, where it is known; otherwise `nil`.
    public var retryAfter: Int? {
        switch self {
        case .rateLimited(_, let seconds), .unavailable(_, let seconds): seconds
        case .rejected, .forbidden, .unauthenticated, .callerUnauthenticated, .failed, .incomplete, .notJSON, .tooLarge,
            .timedOut, .stopping:
            nil
        }
    }
}
