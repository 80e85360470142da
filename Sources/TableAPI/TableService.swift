import FoundationEssentials
public import HTTPModel
public import Pagination

/// Reads the tables of an instance, page by page, as `NowTableService` of ServiceNow's mobile SDK does.
public struct TableService: Sendable {
    /// The instance that is read.
    public let instance: Instance
    /// The present, in seconds since 1970.
    let now: @Sendable () -> Int
    /// Where requests to the instance ask for permission.
    let gate: any RequestGate
    /// The clock of the gate and of the waits between attempts.
    let clock: RequestClock
    /// Anything from 0 up to 1, anew each time: the part of a wait that is really waited.
    let jitter: @Sendable () -> Double
    private let transport: any HTTPTransport
    private let credentials: any CredentialSource

    /// Makes a service that reaches the instance through that transport.
    ///
    /// - Parameters:
    ///   - now: the present, in seconds since 1970, by another clock than the machine's; only used to read dates that the
    ///     instance sends.
    ///   - gate: where its requests ask for permission, by the same clock; `nil`: a gate of this service alone.
    ///   - clock: the clock of deadlines and waits.
    ///   - jitter: anything from 0 up to 1, anew each time, by another source than the system's.
    public init(
        instance: Instance, transport: any HTTPTransport, now: (@Sendable () -> Int)? = nil,
        gate: (any RequestGate)? = nil, clock: RequestClock = .system, jitter: (@Sendable () -> Double)? = nil
    ) {
        self.instance = instance
        self.transport = transport
        self.gate = gate ?? LocalGate(instance.restraint, clock: clock)
        self.clock = clock
        self.jitter = jitter ?? { Double.random(in: 0..<1) }
        self.now = now ?? { Int(Date().timeIntervalSince1970) }
        credentials = instance.credentials.source
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

    /// One attempt to get a whole answer, of whatever status.
    ///
    /// - Parameters:
    ///   - caller: on whose behalf, `nil` for the service itself.
    ///   - slot: the slot of the instance that carries it.
    ///   - timeout: the time it may take.
    /// - Throws: `AttemptFailure` where there are no credentials or there is no whole answer.
    func get(
        _ url: String, for caller: String?, in slot: RequestSlot, timeout: Duration
    ) async throws(AttemptFailure) -> IncomingResponse {
        var headers: HeaderFields
        do {
            headers = try await credentials.headers(for: caller)
        } catch {
            throw .credentials(error)
        }
        headers.append("Accept", "application/json")
        let request = OutgoingRequest(
            url: url, headers: headers, timeout: timeout, maxBodyBytes: instance.maxPageBytes)
        do {
            return try await transport.send(request)
        } catch {
            throw .transport(error)
        }
    }
}
