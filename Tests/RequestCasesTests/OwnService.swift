import Clocks
import DemoInstance
import Gateway
import HTTPModel
import Observability
import Pagination
import PaginatordTesting
import Sessions
import Synchronization
import TableAPI

/// The service inside the test's process, over the demo instance: everything that a request meets, and a witness in front
/// of it.
struct OwnService: Responder {
    private let gateway: Gateway
    private let list = Box()

    private final class Box: Sendable {
        let targets = Mutex<[String]>([])
    }

    /// The targets of the requests that have got past the server.
    var targets: [String] { list.targets.withLock { $0 } }

    init() async throws {
        let demo = try await DemoInstance(incidents: 60)
        let service = TableService(
            instance: try Instance(url: "http://127.0.0.1:1", credentials: .none), transport: ResponderTransport(demo))
        let instances = ["default": service]
        let registry = SessionRegistry(
            store: MemorySessionStore(), configuration: SessionConfiguration(), clock: .system
        ) { definition throws(PageSourceError) in try instances.source(of: definition) }
        gateway = Gateway(
            registry: registry, instances: instances, status: { [] }, configuration: GatewayConfiguration(),
            clock: .system, observer: Silence())
    }

    func receive(_ head: RequestHead) -> Reception {
        list.targets.withLock { $0.append(head.target) }
        return gateway.receive(head)
    }

    func refusal(of head: RequestHead, for fault: HeadFault) -> Response {
        gateway.refusal(of: head, for: fault)
    }

    /// Opens a session and gives its path back.
    func open() async throws -> String? {
        let headers: HeaderFields = ["Host": "localhost", "Content-Type": "application/json"]
        let head = RequestHead(method: "POST", target: "/sessions", headers: headers)
        return await gateway.respond(to: Request(head, body: Array(#"{"table":"incident"}"#.utf8))).headers["Location"]
    }

    /// What a session says of itself.
    func state(of session: String) async -> String {
        let head = RequestHead(method: "GET", target: session, headers: ["Host": "localhost"])
        guard case .pieces(let pieces) = await gateway.respond(to: Request(head)).body else { return "" }
        return String(decoding: pieces.joined(), as: UTF8.self)
    }
}

private struct Silence: Observer {
    func observe(_ event: Event) {}
}
