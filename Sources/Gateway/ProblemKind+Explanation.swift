extension ProblemKind {
    /// What it means and what to do about it, for the reader of `/problems/{name}`.
    func explanation(in language: Language) -> (meaning: String, remedy: String) {
        language == .french ? frenchExplanation : englishExplanation
    }

    private var englishExplanation: (meaning: String, remedy: String) {
        switch self {
        case .noNextPage:
            (
                "The session stands at the last page, and nothing was fetched.",
                "Stop when hasNext is false, or go on with first."
            )
        case .noPreviousPage:
            (
                "The session stands at the first page or before it, and nothing was fetched.",
                "Stop when hasPrevious is false, or go on with last."
            )
        case .lastPageUnknown:
            (
                "The instance sends no count of the records, so nobody knows which page is the last one.",
                "Walk with next; last works once the end has been found."
            )
        case .paginatorFinished:
            (
                "publisherShouldFinish was set and the last page has been fetched; no fetch is possible any more.",
                "Open a new session. The last page can still be repeated with the position before it."
            )
        case .paginatorBusy:
            (
                "Another move of the session is under way, and this one may not wait or too many wait already.",
                "Make the move again after the seconds in Retry-After."
            )
        case .positionStale:
            (
                "The move starts from a position at which the session does not stand, so somebody else has moved it.",
                "Look at the session, then move from the position in this answer."
            )
        case .sessionNotFound:
            (
                "No session has this name, or it is not yours.",
                "Open a session with POST /sessions and use the links of its answers."
            )
        case .sessionExpired:
            (
                "The session was deleted, or was not used for longer than its idleTimeout.",
                "Open a new session; a larger idleTimeout keeps it longer."
            )
        case .tooManySessions:
            (
                "As many sessions are open as the configuration allows; none that is in use is ended for a new one.",
                "Delete sessions that are done, or open one after the seconds in Retry-After."
            )
        case .tooManyRequests:
            (
                "As many requests with this access token are under way as limits.requestsPerToken allows.",
                "Wait for some of them, and make the same call again after the seconds in Retry-After."
            )
        case .malformedRequest:
            (
                "The request is not well-formed HTTP, or its body is no JSON object or nests too deeply.",
                "Correct what the detail names and send it again."
            )
        case .invalidParameter:
            (
                "The request was understood, but holds values that are not allowed. errors names them, a hundred at the most.",
                "Correct each one that errors names and send it again."
            )
        case .notFound:
            ("The interface has no such path.", "GET /problems and the README name the paths that there are.")
        case .methodNotAllowed:
            ("The path exists, but not for this method.", "Use one of the methods in the Allow header.")
        case .notAcceptable:
            (
                "The service can answer in none of the media types that the Accept header names.",
                "Name a media type that the path offers, or leave Accept out."
            )
        case .unsupportedMediaType:
            ("The body is not declared to be JSON.", "Send it with Content-Type: application/json.")
        case .contentTooLarge: ("The body is larger than limits.requestBody.", "Send a smaller body.")
        case .uriTooLong:
            (
                "The request target is longer than the service reads.",
                "Send a long query in the body of POST /sessions."
            )
        case .headersTooLarge:
            ("The request’s headers are larger than the service reads.", "Send fewer or shorter headers and cookies.")
        case .notImplemented:
            (
                "The body comes in a transfer coding that the service does not know.",
                "Send it with a Content-Length, or with Transfer-Encoding: chunked."
            )
        case .httpVersionNotSupported:
            (
                "The service speaks HTTP/1.1 and HTTP/1.0, and some answers cannot be given in HTTP/1.0.",
                "Send the request with HTTP/1.1."
            )
        case .hostNotAllowed:
            (
                "The Host header names a host that is none of the service’s; a web page may have had that name point here.",
                "Call the service as localhost or by its IP address, or have the operator list the name in access.hosts."
            )
        case .originNotAllowed:
            (
                "A web page of a foreign origin made the request, or one that may call made it otherwise than by fetch.",
                "Serve the page from the service’s own origin, or have the operator list its origin in access.origins; then call "
                    + "by fetch in the mode cors."
            )
        case .authenticationRequired:
            (
                "The request has no Authorization header that is accepted: with an access token of the service or, where it goes "
                    + "on to the instance, with what the instance takes.",
                "Send one Authorization header: Bearer with an access token, or the credentials that the instance takes. A "
                    + "session belongs to the token’s name, or to the very credentials that it was opened with."
            )
        case .queryRejected:
            (
                "The instance answered that there is no such table or that the query is wrong or too long; upstream has its words.",
                "Correct table and query and open a new session."
            )
        case .upstreamForbidden:
            (
                "The access rules of the instance forbid this query to the configured user; upstream has its words.",
                "Ask for other tables and fields, or have the user given the role."
            )
        case .upstreamUnauthenticated:
            (
                "The instance did not accept the credentials that the service is configured with.",
                "The operator has to correct instances.….auth."
            )
        case .upstreamRateLimited:
            (
                "The instance allows no more requests for now.",
                "Make the same call again after the seconds in Retry-After."
            )
        case .upstreamUnavailable:
            (
                "The instance is down, hibernating, or under maintenance. The session is as it was.",
                "Make the same call again after the seconds in Retry-After."
            )
        case .upstreamFailed:
            (
                "The instance could not be reached, or its answer makes no sense. The session is as it was.",
                "Make the same call again; if it stays, the operator finds the reason in the log."
            )
        case .upstreamIncomplete:
            (
                "The instance’s answer was cut or carried an error inside, so the page was not counted. The session is as it was.",
                "Make the same call again, or open a session with a smaller itemsPerPage."
            )
        case .upstreamNotJSON:
            (
                "The instance answered with something that is no list of records, such as a login page.",
                "Make the same call again; if it stays, the operator has to check url and auth."
            )
        case .upstreamTooLarge:
            ("The page is larger than pages.maxBytes.", "Open a session with fewer fields or a smaller itemsPerPage.")
        case .upstreamTimeout:
            (
                "The instance did not answer before the deadline. The session is as it was.",
                "Make the same call again, or open a session with a smaller itemsPerPage or a simpler query."
            )
        case .storeUnavailable:
            (
                "The sessions cannot be read or written for now. Nothing was done by half.",
                "Make the same call again after the seconds in Retry-After."
            )
        case .shuttingDown:
            (
                "The service is about to stop and takes no new requests.",
                "Make the same call again after the seconds in Retry-After."
            )
        case .internal:
            (
                "The service met something that should be impossible. The detail is the name of the request in the log.",
                "Report it together with the log’s lines of that request."
            )
        }
    }
}
