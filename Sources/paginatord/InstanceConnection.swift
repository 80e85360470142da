import Clocks
import DemoInstance
import EventLoops
import Gateway
import HTTPClient
import HTTPModel
import Synchronization
import TableAPI

/// The way to one instance, with a count of the requests that are on it.
final class InstanceConnection: HTTPTransport {
    let service: @Sendable (InstanceConnection) -> TableService
    private let name: String
    private let transport: any HTTPTransport
    private let client: HTTPClient?
    private let since: Timestamp
    private let inFlight = Atomic(0)

    /// The way to a configured instance, over the network.
    init(_ configuration: InstanceConfiguration, group: EventLoopGroup, now: Timestamp) {
        let client = HTTPClient(HTTPClientConfiguration(configuration), on: group)
        self.client = client
        transport = client
        name = configuration.instance.name
        since = now
        service = { TableService(instance: configuration.instance, transport: $0) }
    }

    /// The way to the built-in instance, which is no network at all.
    ///
    /// - Throws: `InstanceError` never, since the name is well-formed.
    init(demo: DemoInstance, configuration: PagesConfiguration, now: Timestamp) throws(InstanceError) {
        client = nil
        transport = ResponderTransport(demo)
        name = Configuration.defaultInstance
        since = now
        let instance = try Instance(url: "http://localhost", maxPageBytes: configuration.maxBytes)
        service = { TableService(instance: instance, transport: $0) }
    }

    /// Sends one request and counts it while it is under way.
    @concurrent func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        inFlight.add(1, ordering: .relaxed)
        defer { inFlight.subtract(1, ordering: .relaxed) }
        return try await transport.send(request)
    }

    /// How the instance is doing: nothing is held back from it.
    var status: InstanceStatus {
        InstanceStatus(
            name: name, state: .ok, since: since, inFlight: inFlight.load(ordering: .relaxed), queued: 0,
            retryAfter: nil)
    }

    /// Ends what is under way.
    func shutdown() async {
        await client?.shutdown()
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
