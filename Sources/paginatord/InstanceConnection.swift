import Clocks
import DemoInstance
import EventLoops
import Gateway
import HTTPClient
import HTTPModel
import RedisSessions
import TableAPI

/// The way to one instance.
final class InstanceConnection: Sendable {
    /// Reads the instance's tables.
    let service: TableService
    private let gate: LocalGate
    private let client: HTTPClient?
    /// The moment by the calendar at which the gate's clock stood at zero.
    private let clockStart: Timestamp

    /// The way to a configured instance, over the network.
    ///
    /// - Parameters:
    ///   - cache: where its answers are kept for a while; `nil`: nowhere.
    ///   - redis: over which replicas share what they ask of it; `nil`: this process is alone.
    convenience init(
        _ configuration: InstanceConfiguration, cache: PageCache?, redis: RedisClient? = nil, group: EventLoopGroup
    ) {
        let client = HTTPClient(HTTPClientConfiguration(configuration), on: group)
        self.init(
            configuration.instance, transport: client, client: client, cache: cache, redis: redis, group: group)
    }

    /// The way to the built-in instance, which is no network at all.
    ///
    /// - Throws: `InstanceError` never, since the name is well-formed.
    convenience init(
        demo: DemoInstance, configuration: PagesConfiguration, cache: PageCache?, group: EventLoopGroup
    ) throws(InstanceError) {
        let instance = try Instance(
            name: Configuration.defaultInstance, url: "http://localhost", maxPageBytes: configuration.maxBytes)
        self.init(instance, transport: ResponderTransport(demo), client: nil, cache: cache, group: group)
    }

    private init(
        _ instance: Instance, transport: any HTTPTransport, client: HTTPClient?, cache: PageCache?,
        redis: RedisClient? = nil, group: EventLoopGroup
    ) {
        self.client = client
        let gate = LocalGate(instance.restraint, clock: RequestClock(group))
        self.gate = gate
        clockStart = Timestamp.now().moved(by: .zero - gate.clock.uptime())
        let shared = redis.map { RedisGate(gate, name: instance.name, restraint: instance.restraint, client: $0) }
        var vault: (any TokenVault)?
        if let redis, case .oauth(let oauth) = instance.credentials {
            vault = RedisTokenVault(redis, instance: instance, oauth: oauth)
        }
        service = TableService(
            instance: instance, transport: transport, now: nil, gate: shared ?? gate, clock: gate.clock, cache: cache
        ) { OAuthTokenSource($0, now: $1, vault: vault) }
    }

    /// How the instance is doing.
    var status: InstanceStatus {
        InstanceStatus(name: service.instance.name, gate.current, clockStart: clockStart)
    }

    /// Ends what is under way, and what waits.
    func shutdown() async {
        gate.close()
        await client?.shutdown()
    }
}

extension RequestClock {
    /// The service's clock, and the timers of whichever loop a request is on.
    init(_ group: EventLoopGroup) {
        self.init(uptime: ServiceClock.system.uptime) { duration throws(CancellationError) in
            try await group.currentOrNext().sleep(for: duration)
        }
    }
}

extension Timestamp {
    fileprivate func moved(by duration: Duration) -> Timestamp {
        let (seconds, attoseconds) = duration.components
        return Timestamp(milliseconds: milliseconds + Int(seconds) * 1000 + Int(attoseconds / 1_000_000_000_000_000))
    }
}

extension InstanceStatus {
    /// What a gate says, in the terms of `GET /instances`.
    ///
    /// - Parameter clockStart: the moment at which the gate's clock stood at zero.
    init(name: String, _ state: GateState, clockStart: Timestamp) {
        let passage: State =
            switch state.passage {
            case .ok: .ok
            case .cooling: .cooling
            case .open: .open
            case .probing: .probing
            }
        self.init(
            name: name, state: passage, since: clockStart.moved(by: state.since),
            inFlight: state.inFlight, queued: state.queued, retryAfter: state.retryAfter.map { wholeSeconds($0) })
    }
}

extension HTTPClientConfiguration {
    /// How a configured instance is reached.
    init(_ configuration: InstanceConfiguration) {
        self.init(
            connectTimeout: configuration.connectTimeout,
            certificateAuthorityFile: configuration.certificateAuthority,
            identity: Identity(configuration.instance.credentials),
            proxy: Proxy(configuration.proxy))
    }
}

extension HTTPClientConfiguration.Identity {
    fileprivate init?(_ credentials: Credentials) {
        guard case .certificate(let certificate, let key) = credentials else { return nil }
        self.init(certificateFile: certificate, keyFile: key)
    }
}

extension HTTPClientConfiguration.Proxy {
    fileprivate init(_ configuration: ProxyConfiguration) {
        switch configuration {
        case .environment: self = .environment
        case .direct: self = .direct
        case .url(let url): self = .url(url)
        }
    }
}
