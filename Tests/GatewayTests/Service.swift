import Clocks
import HTTPModel
import Observability
import Pagination
import Sessions
import SimdJSON
import Synchronization
import TableAPI
import Testing

@testable import Gateway

/// A gateway over an instance in memory, with clocks that stand still until told otherwise.
final class Service: Sendable {
    let gateway: Gateway
    let transport: TableTransport
    let registry: SessionRegistry
    let instances: [String: TableService]
    let events = Events()
    let time: ManualTime

    init(
        rows: Int = 45, counts: Bool = true, configuration: GatewayConfiguration = GatewayConfiguration(),
        sessions: SessionConfiguration = SessionConfiguration(), store: (any SessionStore)? = nil,
        instances: [String] = ["default"], credentials: [String: Credentials] = [:], status: [InstanceStatus] = [],
        // Nobody queues: who sleeps until a deadline moves these clocks.
        restraint: Restraint = Restraint(concurrency: 64, retries: 0),
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in try await Task.sleep(for: .seconds(3600)) },
        cacheTTL: Duration? = nil, time: ManualTime = ManualTime(),
        watch: @escaping @Sendable (any PageSource, SessionDefinition) -> any PageSource = { source, _ in source }
    ) throws {
        let transport = TableTransport(rows: rows, counts: counts)
        let clock = ServiceClock(now: { time.now }, uptime: { time.uptime })
        let requestClock = RequestClock(uptime: { time.uptime }) { duration throws(CancellationError) in
            time.advance(milliseconds: (Int(duration.components.seconds) + 1) * 1000)
        }
        let cache = cacheTTL.map { PageCache(timeToLive: $0, maxBytes: 1 << 20) }
        var services: [String: TableService] = [:]
        for name in instances {
            services[name] = TableService(
                instance: try Instance(
                    name: name, url: "https://\(name).service-now.com",
                    credentials: credentials[name] ?? .basic(username: "reader", password: Secret("hunter2")),
                    restraint: restraint),
                transport: transport, clock: requestClock, cache: cache)
        }
        self.instances = services
        registry = SessionRegistry(
            store: store ?? MemorySessionStore(), configuration: sessions, clock: clock
        ) { [services] definition throws(PageSourceError) in
            watch(try services.source(of: definition), definition)
        }
        gateway = Gateway(
            registry: registry, instances: services, status: { status }, configuration: configuration, clock: clock,
            sleep: sleep, observer: events)
        self.transport = transport
        self.time = time
    }

    /// Sends a request and checks what holds for every answer.
    func send(
        _ method: String, _ target: String, headers: HeaderFields = ["Host": "localhost:8080"], body: String? = nil,
        contentType: String? = "application/json", connection: ConnectionKind = .tcp, minorVersion: Int = 1
    ) async throws -> Answer {
        var headers = headers
        if body != nil, let contentType { headers.append("Content-Type", contentType) }
        let head = RequestHead(
            method: method, target: target, minorVersion: minorVersion, headers: headers, connection: connection)
        let response = await gateway.respond(to: Request(head, body: Array((body ?? "").utf8)))
        return try Answer(response)
    }

    func get(_ target: String, _ headers: HeaderFields = [:]) async throws -> Answer {
        try await send("GET", target, headers: HeaderFields([.init("Host", "localhost:8080")] + headers.fields))
    }

    func post(_ target: String, _ body: String? = nil, _ headers: HeaderFields = [:]) async throws -> Answer {
        try await send(
            "POST", target, headers: HeaderFields([.init("Host", "localhost:8080")] + headers.fields), body: body)
    }

    /// Opens a session and returns its path.
    func open(_ body: String = #"{"table":"incident"}"#) async throws -> String {
        try #require(try await post("/sessions", body).headers["Location"])
    }
}

/// An answer whose body is there, and which is sound.
struct Answer {
    let status: Int
    let headers: HeaderFields
    let body: [UInt8]
    /// What writes the body, where it is made while it is sent; `body` is empty then.
    let stream: (@Sendable (any BodyWriter) async throws -> Void)?

    init(_ response: Response) throws {
        status = response.status
        headers = response.headers
        stream = if case .stream(let produce) = response.body { produce } else { nil }
        switch response.body {
        case .empty, .stream: body = []
        case .pieces(let pieces): body = pieces.reduce(into: []) { $0 += $1 }
        case .noAnswer: body = try #require(nil as [UInt8]?)
        }
        for field in headers.fields {
            #expect(!field.value.isEmpty, "\(field.name) is empty")
            #expect(field.value.utf8.allSatisfy { 0x20...0x7E ~= $0 }, "\(field.name): \(field.value)")
        }
        #expect(Set(headers.fields.map { $0.name.lowercased() }).count == headers.fields.count)
        #expect(headers["Cache-Control"] == "private, no-store")
        #expect(headers["X-Content-Type-Options"] == "nosniff")
        #expect(headers["X-Request-Id"]?.utf8.count == 16)
        if !body.isEmpty { _ = try json }
        guard status >= 400 else { return }
        #expect(headers["Content-Type"] == "application/problem+json")
        #expect(try self["status"] == .integer(status))
        #expect(["en", "fr"].contains(headers["Content-Language"]))
        let kind = try #require(try ProblemKind(rawValue: problem ?? ""))
        #expect(kind.status == status)
        #expect(try text("type") == "/problems/\(kind.rawValue)")
        #expect(try text("title").isEmpty == false && text("detail").isEmpty == false)
    }

    var json: JSONValue {
        get throws { .object(try JSONObject(body, maxValues: .max).members) }
    }

    var text: String {
        String(decoding: body, as: UTF8.self)
    }

    /// The name of the problem, where it is one.
    var problem: String? {
        get throws {
            guard headers["Content-Type"] == "application/problem+json" else { return nil }
            return String(try text("type").dropFirst("/problems/".count))
        }
    }

    subscript(_ path: String...) -> JSONValue? {
        get throws {
            try path.reduce(json) { value, name in
                if case .object(let members)? = value { members[name] } else { nil }
            }
        }
    }

    func text(_ path: String) throws -> String {
        guard case .string(let text)? = try self[path] else { return "" }
        return text
    }

    /// The pointers and parameters that `errors` names, in order.
    var faults: [String] {
        get throws {
            guard case .array(let errors)? = try self["errors"] else { return [] }
            return errors.map { error in
                guard case .object(let members) = error, case .string(let detail)? = members["detail"],
                    !detail.isEmpty, members.count == 2
                else { return "?" }
                switch (members["pointer"], members["parameter"]) {
                case (.string(let pointer)?, nil): return pointer
                case (nil, .string(let name)?): return "?" + name
                default: return "?"
                }
            }
        }
    }

    /// The names of the links, sorted.
    var linkNames: [String] {
        get throws { try (links ?? [:]).keys.sorted() }
    }

    /// The links, by name.
    var links: [String: JSONValue]? {
        get throws {
            guard case .object(let links)? = try self["links"] else { return nil }
            return links
        }
    }
}

/// What was observed.
final class Events: Observer {
    private let list = Mutex<[Event]>([])

    var all: [Event] { list.withLock { $0 } }

    func observe(_ event: Event) {
        list.withLock { $0.append(event) }
    }
}

/// Clocks that a test moves.
final class ManualTime: Sendable {
    private let milliseconds = Mutex(1_796_007_600_000)

    var now: Timestamp { Timestamp(milliseconds: milliseconds.withLock { $0 }) }

    var uptime: Duration { .milliseconds(milliseconds.withLock { $0 }) }

    func advance(milliseconds: Int) {
        self.milliseconds.withLock { $0 += milliseconds }
    }
}
