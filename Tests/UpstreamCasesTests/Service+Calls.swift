import DemoInstance
import HTTPModel
import SimdJSON
import Testing

extension Service {
    /// Calls the service's interface.
    func call(
        _ method: String, _ target: String, headers: HeaderFields = [:], body: String? = nil
    ) async throws -> Answer {
        var headers = HeaderFields([.init("Host", "localhost:8080")] + headers.fields)
        if body != nil { headers.append("Content-Type", "application/json") }
        let head = RequestHead(method: method, target: target, headers: headers)
        return try Answer(await gateway.respond(to: Request(head, body: Array((body ?? "").utf8))))
    }

    /// Opens a session that lives for a day and fetches no page ahead, and returns its path.
    func open(_ members: String = "") async throws -> String {
        let members = members.isEmpty ? "" : ",\(members)"
        let body = #"{"table":"incident","idleTimeout":86400,"readAhead":0\#(members)}"#
        return try #require(try await call("POST", "/sessions", body: body).headers["Location"])
    }

    /// Opens a session over the demo instance's incidents in an order without ties.
    func openIncidents(_ members: String = "") async throws -> String {
        try await open(
            #""query":"ORDERBYnumber","fields":["sys_id","number"]"# + (members.isEmpty ? "" : ",\(members)"))
    }

    /// The keys of the demo instance's incidents, in the order of `openIncidents`.
    static let incidents = Task {
        let transport = ResponderTransport(try await demo.value)
        let url = "http://demo/api/now/table/incident?sysparm_query=ORDERBYnumber&sysparm_fields=sys_id"
        let response = try await transport.send(OutgoingRequest(url: url))
        guard case .array(let rows)? = try JSONObject(response.body).members["result"] else { return [String]() }
        return rows.compactMap { row in
            if case .object(let row) = row, case .string(let key)? = row["sys_id"] { key } else { nil }
        }
    }

    /// Moves a session.
    func move(_ session: String, _ move: String) async throws -> Answer {
        try await call("POST", "\(session)/\(move)")
    }

    /// Makes a move that has to be refused with that problem, without a request to the instance and without a change of
    /// the session.
    func expectRefusal(_ session: String, _ move: String, _ problem: String, status: Int = 409) async throws {
        let (before, asked) = (try await call("GET", session).text, script.requests.count)
        let answer = try await self.move(session, move)
        #expect(answer.problem == problem && answer.status == status)
        #expect(script.requests.count == asked)
        #expect(try await call("GET", session).text == before)
    }

    /// Makes a move at which the instance has to fail; the session has to stay as it was and not to be busy.
    func expectFailure(
        _ session: String, _ problem: String, status: Int, by move: String = "next"
    ) async throws -> Answer {
        let before = try await call("GET", session)
        let answer = try await self.move(session, move)
        #expect(answer.problem == problem, "\(answer.text)")
        #expect(answer.status == status)
        let after = try await call("GET", session)
        #expect(after["isBusy"] == .bool(false))
        for name in before.members.keys where name != "expiresAt" { #expect(after[name] == before[name], "\(name)") }
        return answer
    }

    /// The windows that the instance was asked for, in order.
    var windows: [Window] {
        script.requests.compactMap { Window($0.head.target) }
    }
}

/// An answer of the service; it has to be JSON.
struct Answer {
    let status: Int
    let headers: HeaderFields
    let text: String
    let members: [String: JSONValue]

    init(_ response: Response) throws {
        status = response.status
        headers = response.headers
        var body: [UInt8] = []
        if case .pieces(let pieces) = response.body { body = Array(pieces.joined()) }
        text = String(decoding: body, as: UTF8.self)
        members = body.isEmpty ? [:] : try JSONObject(body, maxValues: .max).members
    }

    subscript(_ name: String) -> JSONValue? { members[name] }

    subscript(_ name: String, _ inner: String) -> JSONValue? {
        if case .object(let members)? = members[name] { members[inner] } else { nil }
    }

    /// The name of the problem, where it is one.
    var problem: String? {
        guard headers["Content-Type"] == "application/problem+json", case .string(let type)? = self["type"] else {
            return nil
        }
        return String(type.dropFirst("/problems/".count))
    }

    /// The rows of a page.
    var items: [JSONValue] {
        if case .array(let items)? = self["items"] { items } else { [] }
    }

    /// The `sys_id` of each row.
    var keys: [String] {
        items.compactMap { item in
            if case .object(let row) = item, case .string(let key)? = row["sys_id"] { key } else { nil }
        }
    }
}

/// A window of rows as the instance was asked for it.
struct Window: Equatable {
    var offset: Int
    var limit: Int

    init(_ offset: Int, _ limit: Int) {
        self.offset = offset
        self.limit = limit
    }

    /// Reads a request target; `nil` for one that is for no list, or does not say limit and offset exactly once.
    init?(_ target: String) {
        guard let target = RequestTarget(target), target.path.contains("/table/"), let parameters = target.parameters()
        else { return nil }
        let offsets = parameters.filter { $0.name == "sysparm_offset" }.map { Int($0.value) }
        let limits = parameters.filter { $0.name == "sysparm_limit" }.map { Int($0.value) }
        guard offsets.count == 1, limits.count == 1, let offset = offsets[0], let limit = limits[0] else { return nil }
        self.init(offset, limit)
    }
}

extension Request {
    /// The encoded query that it asks for.
    var query: String? {
        RequestTarget(head.target)?.parameters()?.first { $0.name == "sysparm_query" }?.value
    }
}

extension Response {
    /// An answer as an instance sends it.
    static func json(_ text: String, status: Int = 200, headers: HeaderFields = [:]) -> Response {
        Response(
            status: status,
            headers: HeaderFields([.init("Content-Type", "application/json;charset=UTF-8")] + headers.fields),
            body: .bytes(Array(text.utf8)))
    }

    /// A page of rows that are told apart by their place in the table.
    ///
    /// - Parameter total: what `X-Total-Count` says; `nil` for none.
    static func page(_ count: Int, at offset: Int, total: Int?, headers: HeaderFields = [:]) -> Response {
        var headers = headers
        if let total { headers.append("X-Total-Count", String(total)) }
        return .json("{\"result\":[\(rowTexts(count, at: offset).joined(separator: ","))]}", headers: headers)
    }

    static func html(_ text: String, status: Int = 200) -> Response {
        Response(status: status, headers: ["Content-Type": "text/html"], body: .bytes(Array(text.utf8)))
    }
}

/// Rows that are told apart by their place in the table.
func rowTexts(_ count: Int, at offset: Int) -> [String] {
    (offset..<offset + count).map { "{\"sys_id\":\"row \($0)\"}" }
}
