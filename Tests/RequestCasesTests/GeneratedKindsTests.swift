import DemoInstance
import HTTPModel
import PaginatordTesting
import Testing

/// Every kind of the list whose requests are sound as HTTP, generated.
@Suite(.timeLimit(.minutes(10))) struct GeneratedKindsTests {
    /// Of each kind.
    private static let count = 220
    /// What a listed origin's page may send and read.
    private static let preflight = [
        "Access-Control-Allow-Headers: Authorization, Content-Type, If-Match, Last-Event-ID, Prefer, traceparent",
        "Access-Control-Allow-Methods: GET, HEAD, POST, PATCH, DELETE", "Access-Control-Max-Age: 7200",
    ]
    private static let exposed =
        "Access-Control-Expose-Headers: ETag, Link, Location, Retry-After, Cache-Status, Server-Timing, X-Total-Count, "
        + "X-Request-Id, Allow, Content-Disposition, WWW-Authenticate"

    @Test(
        "Every request of a kind gets the answer of its kind, and then nothing has happened",
        arguments: VariedRequest.Kind.allCases)
    func varied(kind: VariedRequest.Kind) async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            let before = try await state(of: session, at: service)
            var numbers = SeededGenerator(seed: 7)
            let requests = (0..<Self.count).map { _ in
                VariedRequest(kind, session: session, port: service.port, using: &numbers)
            }
            let bodies = try await withThrowingTaskGroup(of: String.self) { group in
                var bodies: Set<String> = []
                for (number, request) in requests.enumerated() {
                    if number >= 32, let body = try await group.next() { bodies.insert(body) }
                    group.addTask { try await Self.expect(request, kind, at: service) }
                }
                for try await body in group { bodies.insert(body) }
                return bodies
            }
            // No difference tells how near a guess was.
            if [.wrongToken, .foreignSession].contains(kind) { #expect(bodies.count == 1, "\(bodies)") }
            #expect(try await state(of: session, at: service) == before)
            #expect(service.instance.requests.isEmpty)
            let log = try await service.wholeLog()
            for request in requests where request.hidden.utf8.count >= 8 { #expect(!log.contains(request.hidden)) }
        }
    }

    private static func expect(
        _ request: VariedRequest, _ kind: VariedRequest.Kind, at service: Deployment
    ) async throws -> String {
        let raw = service.request(
            request.method, request.target, request.lines, body: request.body, token: request.token, host: request.host)
        let answer = try await service.answer(raw, overUnix: kind == .unixHost)
        let comment = Comment(rawValue: "\(raw.debugDescription): \(answer.status) \(answer.text)")
        let problem: String? = try #require(request.expected[answer.status], comment)
        #expect(answer.problem == problem, comment)
        #expect((answer.headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true) == (answer.status == 401), comment)
        #expect(answer.headers["Allow"] == (answer.status == 405 ? "GET, POST, OPTIONS" : nil), comment)
        #expect(answer.headers["Upgrade"] == nil && answer.headers["Content-Encoding"] == nil, comment)
        let lines = answer.headers.fields.map { "\($0.name): \($0.value)" }
        let opened = request.listed.map { ["Access-Control-Allow-Origin: \($0)", exposed] } ?? []
        #expect(
            Set(lines.filter { $0.hasPrefix("Access-Control-") })
                == Set(opened + (answer.status == 204 ? preflight : [])), comment)
        #expect(answer.headers.values(of: "Vary") == ["Origin"], comment)
        if request.hidden.utf8.count >= 8 {
            #expect(!(lines + [answer.text]).contains { $0.contains(request.hidden) }, comment)
        }
        return answer.text
    }

    /// What the session and the lists of both callers' sessions say, without the times that every look at them moves.
    private func state(of session: String, at service: Deployment) async throws -> [String] {
        try await [
            service.call("GET", session), service.call("GET", "/sessions"),
            service.call("GET", "/sessions", token: Deployment.otherToken),
        ].map { $0.text.replacing(/"(expiresAt|lastUsedAt)":"[^"]*"/, with: "") }
    }

    @Test("Whatever a session's texts hold, each is one parameter of one request to the configured instance")
    func texts() async throws {
        try await Deployment.run { service in
            var numbers = SeededGenerator(seed: 7)
            let pieces = [
                "\r\n", "\n", "\r", "X-Evil: 1", "^", "^OR", "^NQ", "^EQ", "sys_id!=", "a=b", "&sysparm_limit=99", "#",
                "%0d%0a",
                "%", "+", " ", "\t", "?", "/../", "//evil.example/", "\\", "\"", "'", ";", "\u{1}", "\u{7F}", "é",
                "\u{2028}",
                "\u{301}", "\u{1F600}", " HTTP/1.1\r\nHost: evil.example\r\n\r\n", "javascript:", "@", "=", ",",
                "\u{FEFF}",
            ]
            // The first answer sets a cookie, which the others bring.
            _ = try await service.call("GET", "/tables/incident")
            var expected: (names: [String], count: Int, host: String?)?
            for number in 0..<Self.count {
                let texts = ["query", "view", "queryCategory"].map { name in
                    let text = (0..<Int.random(in: 0...6, using: &numbers)).map { _ in numbers.one(of: pieces) }
                        .joined()
                    return (name: name, text: "a\(number)=" + (number == 0 ? "b" : text))
                }
                let asked = service.instance.requests.count
                if Bool.random(using: &numbers) {
                    let members = texts.map { #","\#($0.name)":\#(numbers.json($0.text))"# }.joined()
                    let session = try await service.open(#","readAhead":0"# + members)
                    _ = try await service.call("POST", session + "/next")
                } else {
                    let query = texts.map { "\($0.name)=\(percentEncoded($0.text))" }.joined(separator: "&")
                    _ = try await service.call("GET", "/tables/incident?" + query)
                }
                let requests = service.instance.requests[asked...]
                #expect(requests.count == 1, "\(texts)")
                let head = try #require(requests.first).head
                let target = try #require(RequestTarget(head.target))
                let parameters = try #require(target.parameters())
                func value(_ name: String) -> String? { parameters.first { $0.name == name }?.value }
                #expect(head.method == "GET" && target.path == "/api/now/table/incident")
                for (name, text) in zip(["query", "view", "query_category"], texts.map(\.text)) {
                    let sent = name == "query" ? text + "^ORDERBYsys_id" : text
                    #expect(value("sysparm_" + name)?.utf8.elementsEqual(sent.utf8) == true, "\(texts)")
                }
                let found = (parameters.map(\.name), head.headers.fields.count, head.headers["Host"])
                #expect(found == expected ?? found, "\(texts)")
                expected = expected ?? found
                #expect(head.headers["X-Evil"] == nil)
            }
            let host = try #require(expected?.host)
            #expect(host.hasPrefix("127.0.0.1:"))
        }
    }
}
