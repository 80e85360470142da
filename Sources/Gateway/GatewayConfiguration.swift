public import Sessions

/// What bounds the requests that the gateway takes.
public struct GatewayConfiguration: Sendable {
    /// The size of a page where none is asked for, in rows.
    public var itemsPerPage: Int
    /// The largest size of a page, in rows.
    public var maxItemsPerPage: Int
    /// How many pages are fetched ahead where nothing is asked for.
    public var readAhead: ReadAheadDepth
    /// How long a session lives without use where nothing is asked for, in seconds.
    public var idleTimeout: Int
    /// The longest that may be asked for, in seconds.
    public var maxIdleTimeout: Int
    /// The largest request body, in bytes.
    public var maxRequestBody: Int
    /// Who may call.
    public var access: AccessPolicy

    /// Makes bounds; the defaults are the service's.
    public init(
        itemsPerPage: Int = 20, maxItemsPerPage: Int = 10_000, readAhead: ReadAheadDepth = .auto,
        idleTimeout: Int = 900, maxIdleTimeout: Int = 86_400, maxRequestBody: Int = 1 << 20,
        access: AccessPolicy = AccessPolicy()
    ) {
        self.itemsPerPage = itemsPerPage
        self.maxItemsPerPage = maxItemsPerPage
        self.readAhead = readAhead
        self.idleTimeout = idleTimeout
        self.maxIdleTimeout = maxIdleTimeout
        self.maxRequestBody = maxRequestBody
        self.access = access
    }
}
