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
    /// Whether each caller brings its own credentials.
    let forwards: Bool
    /// The fetches that are under way.
    let fetches: SharedFetches
    /// What was fetched a short while ago, where that is kept.
    let cache: PageCache?
    /// The service's number in the cache; 0 without one.
    let numberInCache: Int
    private let transport: SignedTransport

    /// Whose credentials the present task's fetches are made with, empty for the service's own; `nil` where the caller should
    /// have brought some and has not.
    var holder: String? { forwards ? ForwardedAuthorization.current?.owner : "" }

    /// Makes a service that reaches the instance through that transport.
    ///
    /// - Parameters:
    ///   - now: the present, in seconds since 1970, by another clock than the machine's; used to read dates that the
    ///     instance sends, and to renew access tokens in time.
    ///   - gate: where its requests ask for permission, by the same clock; `nil`: a gate of this service alone.
    ///   - clock: the clock of deadlines and waits.
    ///   - jitter: anything from 0 up to 1, anew each time, by another source than the system's.
    ///   - cache: where answers are kept for a short while; services of the same clock can share it. `nil`: nowhere.
    public init(
        instance: Instance, transport: any HTTPTransport, now: (@Sendable () -> Int)? = nil,
        gate: (any RequestGate)? = nil, clock: RequestClock = .system, jitter: (@Sendable () -> Double)? = nil,
        cache: PageCache? = nil
    ) {
        self.init(
            instance: instance, transport: transport, now: now, gate: gate, clock: clock, jitter: jitter, cache: cache
        ) { OAuthTokenSource($0, now: $1) }
    }

    /// Makes a service whose access tokens, where it has any, come from a source of the caller's making.
    ///
    /// - Parameters:
    ///   - now: the present, in seconds since 1970; `nil`: by the machine's clock.
    ///   - gate: as above, as are `clock`, `jitter` and `cache`.
    ///   - tokens: makes the source, given the instance's endpoint and the present in seconds since 1970.
    package init(
        instance: Instance, transport: any HTTPTransport, now: (@Sendable () -> Int)?,
        gate: (any RequestGate)? = nil, clock: RequestClock = .system, jitter: (@Sendable () -> Double)? = nil,
        cache: PageCache? = nil, tokens: (TokenEndpoint, @escaping @Sendable () -> Int) -> any TokenSource
    ) {
        let now = now ?? { Int(Date().timeIntervalSince1970) }
        self.instance = instance
        let gate = gate ?? LocalGate(instance.restraint, clock: clock)
        self.gate = gate
        fetches = SharedFetches(gate: gate)
        forwards = instance.credentials == .forward
        self.cache = cache
        numberInCache = cache?.register() ?? 0
        self.clock = clock
        self.jitter = jitter ?? { Double.random(in: 0..<1) }
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
    /// - Parameters:
    ///   - slot: the slot of the instance that carries it.
    ///   - course: the attempt, within whose time it is got.
    /// - Throws: `AttemptFailure` where there are no credentials or there is no whole answer.
    func get(
        _ url: String, in slot: RequestSlot, _ course: inout AttemptCourse
    ) async throws(AttemptFailure) -> IncomingResponse {
        let request = OutgoingRequest(
            url: url, headers: ["Accept": "application/json"], maxBodyBytes: instance.maxPageBytes)
        return try await transport.send(request, slot: slot.index, &course)
    }
}
