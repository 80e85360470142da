import Clocks
import DemoInstance
import EventLoops
import Gateway
import HTTPClient
import HTTPModel
import HTTPServer
import Observability
import Pagination
import PaginatordTesting
import Sessions
import Synchronization
import TableAPI
import Testing

/// What is special about a test's service and its instance.
struct Setup: Sendable {
    /// What the instance answers first.
    var steps: [Script.Step] = []
    /// What answers behind the steps; `nil` for `Service.demo`.
    var responder: (any Responder)?
    var credentials = Credentials.none
    var apiVersion = Instance.APIVersion.latest
    var restraint = Restraint()
    var maxPageBytes = 64 << 20
    var sessions = SessionConfiguration()
    /// Tells the time to the service, and to whatever else of the test has to agree with it.
    var clock = ManualClock()
}

/// The whole service over an instance that answers on a port of this machine. Its clocks stand still but for what the
/// service sleeps; nobody really waits.
final class Service: Sendable {
    /// 60 incidents, in answers that are always right.
    static let demo = Task { try await DemoInstance(incidents: 60) }

    let gateway: Gateway
    let script: Script
    let clock: ManualClock
    /// The loops that the instance and the connections to it are on.
    let group: EventLoopGroup
    private let sleeps: Sleeps

    /// What the service has slept, in order.
    var slept: [Duration] { sleeps.all }

    private init(_ setup: Setup, _ script: Script, _ client: HTTPClient, _ group: EventLoopGroup, url: String) throws {
        let sleeps = Sleeps()
        let (clock, serviceClock) = (setup.clock, setup.clock.clock)
        let service = TableService(
            instance: try Instance(
                url: url, apiVersion: setup.apiVersion, credentials: setup.credentials,
                maxPageBytes: setup.maxPageBytes, restraint: setup.restraint),
            transport: client, now: { clock.now.milliseconds / 1000 },
            clock: RequestClock(uptime: serviceClock.uptime) { duration throws(CancellationError) in
                sleeps.add(duration)
                clock.advance(milliseconds: Int(duration / .milliseconds(1)))
            },
            jitter: { 0.5 })
        let instances = ["default": service]
        let registry = SessionRegistry(
            store: MemorySessionStore(), configuration: setup.sessions, clock: serviceClock
        ) { definition throws(PageSourceError) in try instances.source(of: definition) }
        gateway = Gateway(
            registry: registry, instances: instances, status: { [] }, configuration: GatewayConfiguration(),
            clock: serviceClock, observer: Observers())
        self.script = script
        self.clock = clock
        self.group = group
        self.sleeps = sleeps
    }

    /// Runs a service for the closure.
    static func run(_ setup: Setup = Setup(), _ body: (Service) async throws -> Void) async throws {
        let demo = try await demo.value
        let script = Script(setup.steps, before: setup.responder ?? demo)
        try await serving(script) { url, group in
            let client = HTTPClient(HTTPClientConfiguration(proxy: .direct), on: group)
            let result: Result<Void, any Error>
            do {
                result = .success(try await body(try Service(setup, script, client, group, url: url)))
            } catch {
                result = .failure(error)
            }
            await client.shutdown()
            try result.get()
        }
    }
}

/// Serves a responder on a free port of this machine for the closure, which gets its URL.
func serving(
    _ responder: any Responder, _ body: (String, EventLoopGroup) async throws -> Void
) async throws {
    let group = try EventLoopGroup(count: 1)
    let listener = try BoundListener(.tcp(host: "127.0.0.1", port: 0))
    var configuration = HTTPServerConfiguration()
    // No stall of this machine reaches them.
    for deadline in [\HTTPServerConfiguration.headTimeout, \.bodyTimeout, \.idleTimeout, \.stallTimeout] {
        configuration[keyPath: deadline] = .seconds(600)
    }
    configuration.onFault = { Issue.record("the server found fault with an answer: \($0)") }
    let server = HTTPServer(listeners: [listener], configuration: configuration, responder: responder, group: group)
    try await server.start()
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(listener.description, group))
    } catch {
        result = .failure(error)
    }
    await server.stop(grace: .zero)
    await group.shutdown()
    try result.get()
}

/// What was slept, in order.
private final class Sleeps: Sendable {
    private let list = Mutex<[Duration]>([])

    var all: [Duration] { list.withLock { $0 } }

    func add(_ duration: Duration) {
        list.withLock { $0.append(duration) }
    }
}
