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
    private let slots = FreeSlots(8)

    /// Makes a service that reaches the instance through that transport.
    ///
    /// - Parameter now: the present, in seconds since 1970, by another clock than the machine's; used to read dates that the
    ///   instance sends, and to renew access tokens in time.
    public init(
        instance: Instance, transport: any HTTPTransport, now: (@Sendable () -> Int)? = nil
    ) {
        self.init(instance: instance, transport: transport, now: now) { OAuthTokenSource($0, now: $1) }
    }

    /// Makes a service whose access tokens, where it has any, come from a source of the caller's making.
    ///
    /// - Parameters:
    ///   - now: the present, in seconds since 1970; `nil`: by the machine's clock.
    ///   - tokens: makes the source, given the instance's endpoint and the present in seconds since 1970.
    package init(
        instance: Instance, transport: any HTTPTransport, now: (@Sendable () -> Int)?,
        tokens: (TokenEndpoint, @escaping @Sendable () -> Int) -> any TokenSource
    ) {
        let now = now ?? { Int(Date().timeIntervalSince1970) }
        self.instance = instance
        self.now = now
        let credentials = instance.credentials.source { client in
            let endpoint = TokenEndpoint(
                of: instance.url, client: client, transport: transport, timeout: instance.timeout, now: now)
            return tokens(endpoint, now)
        }
        self.transport = SignedTransport(transport, to: instance.url, credentials: credentials, now: now)
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
        let slot = slots.take()
        defer { if let slot { slots.giveBack(slot) } }
        let request = OutgoingRequest(
            url: url, headers: ["Accept": "application/json"], timeout: instance.timeout,
            maxBodyBytes: instance.maxPageBytes)
        do {
            return try await transport.send(request, slot: slot)
        } catch {
            switch error {
            case .credentials(let error): throw error
            case .transport(let error): throw PageSourceError(error)
            }
        }
    }
}
