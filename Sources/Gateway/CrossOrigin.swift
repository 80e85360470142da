import HTTPModel

/// What lets a browser hand answers to a page of another origin (CORS, in the Fetch standard).
///
/// The origin is always that of a list, echoed exactly. There is no `*`, no permission for cookies, which the service does
/// not have, and none for private networks, which browsers no longer ask for.
enum CrossOrigin {
    private static let methods = "GET, HEAD, POST, PATCH, DELETE"
    private static let requestHeaders =
        "Authorization, Content-Type, If-Match, Last-Event-ID, Prefer, traceparent"
    private static let answerHeaders =
        "ETag, Link, Location, Retry-After, Cache-Status, Server-Timing, X-Total-Count, X-Request-Id, Allow, "
        + "Content-Disposition, WWW-Authenticate"

    /// Whether a browser asks in advance what a page may send.
    static func isPreflight(_ head: RequestHead) -> Bool {
        head.method == "OPTIONS" && head.headers["Access-Control-Request-Method"] != nil
    }

    /// The answer to that. Two hours is the longest that any browser but Firefox keeps it for.
    static let preflight = Reply(
        status: 204,
        headers: [
            "Access-Control-Allow-Methods": methods, "Access-Control-Allow-Headers": requestHeaders,
            "Access-Control-Max-Age": "7200",
        ], body: [])

    /// Lets a page of that origin, or none, read an answer.
    static func open(_ headers: inout HeaderFields, to origin: String?) {
        headers.append("Vary", "Origin")
        guard let origin else { return }
        headers.append("Access-Control-Allow-Origin", origin)
        headers.append("Access-Control-Expose-Headers", answerHeaders)
    }
}
