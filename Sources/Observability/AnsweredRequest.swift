/// One request that was answered: enough to count and to find it again, nothing that came in its target or its body.
public struct AnsweredRequest: Sendable, Equatable {
    /// The method as sent.
    public var method: String
    /// The name of the route, such as `/sessions/{id}/next`; never the raw target, which can hold a query.
    public var route: String
    /// The status code of the answer.
    public var status: Int
    /// From the head's arrival until the answer was ready to be sent.
    public var duration: Duration
    /// The length of the answer's body in bytes; what had been sent of a streamed one.
    public var bytes: Int
    /// What `X-Request-Id` says.
    public var requestID: String
    /// The first characters of the session's id. The whole id would let a reader of the log move the session.
    public let sessionPrefix: String?
    /// The name of the access token that it came with; never anything of the token.
    public var owner: String?
    /// The time spent waiting for the instance; `nil` where it was not asked.
    public var upstream: Duration?
    /// Where its page came from, as `Cache-Status` says it; `nil` where it is no page.
    public var cacheStatus: String?

    /// How many characters of a session's id may be seen.
    public static let sessionPrefixLength = 6

    /// Notes an answered request.
    ///
    /// - Parameter sessionID: the whole id; only its first `sessionPrefixLength` characters are kept.
    public init(
        method: String, route: String, status: Int, duration: Duration, bytes: Int, requestID: String,
        sessionID: String? = nil, owner: String? = nil, upstream: Duration? = nil, cacheStatus: String? = nil
    ) {
        self.method = method
        self.route = route
        self.status = status
        self.duration = duration
        self.bytes = bytes
        self.requestID = requestID
        self.sessionPrefix = sessionID.map { String($0.prefix(Self.sessionPrefixLength)) }
        self.owner = owner
        self.upstream = upstream
        self.cacheStatus = cacheStatus
    }
}
