import FoundationEssentials
public import HTTPModel
public import Pagination

/// Reads the tables of an instance, page by page, as `NowTableService` of ServiceNow's mobile SDK does.
public struct TableService: Sendable {
    /// The instance that is read.
    public let instance: Instance
    /// The present, in seconds since 1970.
    let now: @Sendable () -> Int
    private let transport: SignedTransport

    /// Makes a service that reaches the instance through that transport.
    ///
    /// - Parameter now: the present, in seconds since 1970, by another clock than the machine's; only used to read dates
    ///   that the instance sends.
    public init(
        instance: Instance, transport: any HTTPTransport, now: (@Sendable () -> Int)? = nil
    ) {
        self.instance = instance
        self.now = now ?? { Int(Date().timeIntervalSince1970) }
        self.transport = SignedTransport(transport, credentials: instance.credentials.source)
    }

    /// A paginator over the records of a table. Nothing is asked of the instance before its first move.
    ///
    /// - Throws: `TableServiceError` where the table or the configuration cannot be sent.
    public func paginator(
        from tableName: String, configuration: FetchConfiguration? = nil, publisherShouldFinish: Bool = false
    ) throws(TableServiceError) -> Paginator {
        let configuration = configuration ?? FetchConfiguration()
        let limit = configuration.limit ?? 20
        guard 1...10_000 ~= limit else { throw .invalidLimit(limit) }
        return Paginator(
            source: try source(of: tableName, configuration: configuration), itemsPerPage: limit,
            publisherShouldFinish: publisherShouldFinish)
    }

    /// The pages of a table, for whoever moves through them by other means than a `Paginator`. The configuration's limit
    /// is not looked at: each request has its own.
    ///
    /// - Throws: `TableServiceError` where the table or the configuration cannot be sent.
    public func source(
        of tableName: String, configuration: FetchConfiguration = FetchConfiguration()
    ) throws(TableServiceError) -> TablePageSource {
        TablePageSource(service: self, url: try TableURL(instance, table: tableName, configuration: configuration))
    }

    /// Gets a whole answer, of whatever status.
    ///
    /// - Throws: `PageSourceError` where there are no credentials or there is no whole answer.
    func get(_ url: String) async throws(PageSourceError) -> IncomingResponse {
        try await transport.send(
            OutgoingRequest(
                url: url, headers: ["Accept": "application/json"], timeout: instance.timeout,
                maxBodyBytes: instance.maxPageBytes))
    }
}
