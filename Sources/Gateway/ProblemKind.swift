/// Every kind of problem that the interface knows. The raw value is the last segment of the problem's `type`; what each
/// case means stands in its `explanation`.
enum ProblemKind: String, CaseIterable, Sendable {
    case noNextPage = "no-next-page"
    case noPreviousPage = "no-previous-page"
    case lastPageUnknown = "last-page-unknown"
    case paginatorFinished = "paginator-finished"
    case paginatorBusy = "paginator-busy"
    case positionStale = "position-stale"
    case sessionNotFound = "session-not-found"
    case sessionExpired = "session-expired"
    case tooManySessions = "too-many-sessions"
    case tooManyRequests = "too-many-requests"
    case malformedRequest = "malformed-request"
    case invalidParameter = "invalid-parameter"
    case notFound = "not-found"
    case methodNotAllowed = "method-not-allowed"
    case notAcceptable = "not-acceptable"
    case unsupportedMediaType = "unsupported-media-type"
    case contentTooLarge = "content-too-large"
    case uriTooLong = "uri-too-long"
    case headersTooLarge = "headers-too-large"
    case notImplemented = "not-implemented"
    case httpVersionNotSupported = "http-version-not-supported"
    case hostNotAllowed = "host-not-allowed"
    case originNotAllowed = "origin-not-allowed"
    case authenticationRequired = "authentication-required"
    case queryRejected = "query-rejected"
    case upstreamForbidden = "upstream-forbidden"
    case upstreamUnauthenticated = "upstream-unauthenticated"
    case upstreamRateLimited = "upstream-rate-limited"
    case upstreamUnavailable = "upstream-unavailable"
    case upstreamFailed = "upstream-failed"
    case upstreamIncomplete = "upstream-incomplete"
    case upstreamNotJSON = "upstream-not-json"
    case upstreamTooLarge = "upstream-too-large"
    case upstreamTimeout = "upstream-timeout"
    case storeUnavailable = "store-unavailable"
    case shuttingDown = "shutting-down"
    case `internal` = "internal"

    /// The status code of the response that reports it.
    var status: Int {
        switch self {
        case .malformedRequest: 400
        case .authenticationRequired: 401
        case .originNotAllowed, .upstreamForbidden: 403
        case .notFound, .sessionNotFound: 404
        case .methodNotAllowed: 405
        case .notAcceptable: 406
        case .noNextPage, .noPreviousPage, .lastPageUnknown, .paginatorFinished, .paginatorBusy: 409
        case .sessionExpired: 410
        case .positionStale: 412
        case .contentTooLarge: 413
        case .uriTooLong: 414
        case .unsupportedMediaType: 415
        case .hostNotAllowed: 421
        case .invalidParameter, .queryRejected: 422
        case .tooManySessions, .tooManyRequests, .upstreamRateLimited: 429
        case .headersTooLarge: 431
        case .internal: 500
        case .notImplemented: 501
        case .upstreamUnauthenticated, .upstreamFailed, .upstreamIncomplete, .upstreamNotJSON, .upstreamTooLarge: 502
        case .upstreamUnavailable, .storeUnavailable, .shuttingDown: 503
        case .upstreamTimeout: 504
        case .httpVersionNotSupported: 505
        }
    }

    /// The title, the same at every occurrence (RFC 9457 §3.1.3).
    func title(in language: Language) -> String {
        let (english, french) = titles
        return language == .french ? french : english
    }

    private var titles: (english: String, french: String) {
        switch self {
        case .noNextPage: ("There is no next page", "Il n’y a pas de page suivante")
        case .noPreviousPage: ("There is no previous page", "Il n’y a pas de page précédente")
        case .lastPageUnknown: ("The last page is not known", "La dernière page n’est pas connue")
        case .paginatorFinished: ("The paginator has finished", "La pagination est terminée")
        case .paginatorBusy: ("The paginator is busy", "La pagination est occupée")
        case .positionStale: ("The session has moved on", "La session a changé de position")
        case .sessionNotFound: ("There is no such session", "Cette session n’existe pas")
        case .sessionExpired: ("The session has ended", "La session est terminée")
        case .tooManySessions: ("Too many sessions are open", "Trop de sessions sont ouvertes")
        case .tooManyRequests: ("Too many requests are under way", "Trop de requêtes sont en cours")
        case .malformedRequest: ("The request cannot be read", "La requête est illisible")
        case .invalidParameter: ("A parameter is not allowed", "Un paramètre n’est pas admis")
        case .notFound: ("There is nothing at this path", "Il n’y a rien à ce chemin")
        case .methodNotAllowed: ("The method is not allowed here", "La méthode n’est pas admise ici")
        case .notAcceptable:
            ("No accepted media type is available", "Aucun des types de contenu acceptés n’est disponible")
        case .unsupportedMediaType:
            ("The body has the wrong media type", "Le corps de la requête n’a pas le bon type de contenu")
        case .contentTooLarge: ("The body is too large", "Le corps de la requête est trop grand")
        case .uriTooLong: ("The request target is too long", "L’adresse de la requête est trop longue")
        case .headersTooLarge: ("The headers are too large", "Les en-têtes sont trop grands")
        case .notImplemented:
            ("The request needs what is not known here", "La requête exige ce qui n’est pas connu ici")
        case .httpVersionNotSupported:
            ("This version of HTTP will not do", "Cette version de HTTP ne convient pas")
        case .hostNotAllowed:
            ("The service does not answer to this host name", "Le service ne répond pas à ce nom d’hôte")
        case .originNotAllowed:
            ("Web pages of this origin are not allowed", "Les pages web de cette origine ne sont pas admises")
        case .authenticationRequired:
            ("The request needs credentials", "La requête doit porter des identifiants")
        case .queryRejected: ("The instance rejected the query", "L’instance a rejeté la requête")
        case .upstreamForbidden: ("The instance forbids the query", "L’instance interdit la requête")
        case .upstreamUnauthenticated:
            ("The instance refused the service’s credentials", "L’instance a refusé les identifiants du service")
        case .upstreamRateLimited: ("The instance limits its requests", "L’instance limite ses requêtes")
        case .upstreamUnavailable: ("The instance is not available", "L’instance n’est pas disponible")
        case .upstreamFailed: ("The instance failed", "L’instance a échoué")
        case .upstreamIncomplete:
            ("The instance sent only part of the page", "L’instance n’a envoyé qu’une partie de la page")
        case .upstreamNotJSON:
            ("The instance sent something else than a page", "L’instance a envoyé autre chose qu’une page")
        case .upstreamTooLarge: ("The instance sent too large a page", "L’instance a envoyé une page trop grande")
        case .upstreamTimeout: ("The instance did not answer in time", "L’instance n’a pas répondu à temps")
        case .storeUnavailable:
            ("The session store is not available", "Le stockage des sessions n’est pas disponible")
        case .shuttingDown: ("The service is shutting down", "Le service s’arrête")
        case .internal: ("The service has a bug", "Le service a un défaut")
        }
    }
}
