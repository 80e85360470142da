import DemoInstance
import HTTPModel
import PaginatordTesting
import Synchronization
import TableAPI
import Testing

/// Links, redirects, URLs and cookies.
@Suite(.timeLimit(.minutes(10))) struct LinkCasesTests {
    /// Runs a service beside another server that nobody has to ask.
    private func withElsewhere(_ body: (Script, String) async throws -> Void) async throws {
        let elsewhere = Script(before: try await Service.demo.value)
        try await serving(elsewhere) { url, _ in try await body(elsewhere, url) }
        #expect(elsewhere.requests.isEmpty)
    }

    private let credentials = Credentials.basic(username: "reader", password: Secret("hunter2"))

    @Test("E6: a link to another host is not followed, with and without a count", arguments: [60, nil] as [Int?])
    func foreignLink(total: Int?) async throws {
        try await withElsewhere { _, url in
            let links = ["first", "prev", "next", "last"].map {
                "<\(url)/api/now/table/incident?sysparm_offset=20&sysparm_limit=20>;rel=\"\($0)\""
            }
            let headers: HeaderFields = [
                "Link": links.joined(separator: ","), "Content-Location": url, "Refresh": "0; \(url)",
            ]
            let steps = [Script.Step.answer(.page(20, at: 0, total: total, headers: headers)), .passOn()]
            try await Service.run(Setup(steps: steps, credentials: credentials)) { service in
                let session = try await service.openIncidents()
                for number in 1...2 {
                    let page = try await service.move(session, "next")
                    #expect(page["page"] == .integer(number) && page.items.count == 20)
                    #expect(!page.text.contains("127.0.0.1") && page.headers["Link"]?.contains("127.0.0.1") == false)
                }
                #expect(service.windows == [Window(0, 20), Window(20, 20)])
                let sent = service.script.requests.map { $0.head.headers["Authorization"] }
                #expect(sent == Array(repeating: "Basic cmVhZGVyOmh1bnRlcjI=", count: 2))
            }
        }
    }

    @Test(
        "E1: links that repeat a long query are no trouble, with a count and without", arguments: [60, nil] as [Int?])
    func longLinks(total: Int?) async throws {
        let query = "sys_idIN" + String(repeating: "0123456789abcdef0123456789abcdef%2C", count: 230)
        let links = [("first", 0), ("next", 40), ("last", 40)].map { relation, offset in
            "<https://h/api/now/table/incident?sysparm_query=\(query)&sysparm_offset=\(offset)>;rel=\"\(relation)\""
        }
        let headers: HeaderFields = ["Link": links.joined(separator: ",")]
        let empty = Response.page(0, at: 20, total: total, headers: headers)
        try await Service.run(Setup(steps: [.answer(.page(20, at: 0, total: total)), .answer(empty)])) { service in
            let session = try await service.open()
            _ = try await service.move(session, "next")
            let page = try await service.move(session, "next")
            #expect(page.status == 200 && page.items.isEmpty && page["hasNext"] == .bool(true))
        }
    }

    @Test(
        "E6: no redirect is followed, to another host or to the same", arguments: [300, 301, 302, 303, 307, 308],
        [true, false])
    func redirect(status: Int, isForeign: Bool) async throws {
        try await withElsewhere { _, url in
            let location = (isForeign ? url : "") + "/api/now/table/incident?sysparm_offset=0&sysparm_limit=20"
            let redirect = Response(status: status, headers: ["Location": location])
            try await Service.run(Setup(steps: [.answer(redirect)], credentials: credentials)) { service in
                let session = try await service.openIncidents()
                let answer = try await service.expectFailure(session, "upstream-failed", status: 502)
                #expect(answer["upstream", "status"] == .integer(status))
                #expect(!answer.text.contains("/api/now"), "what the instance names as a target is not told")
                #expect(service.script.requests.count == 1)
                #expect(try await service.move(session, "next")["page"] == .integer(1))
            }
        }
    }

    @Test("E7: a query reaches the instance byte for byte, the plus and the colon too")
    func escapes() async throws {
        let queries = [
            "sys_updated_on>2020-05-29T08:48:29+01:00", "short_descriptionLIKE50%25 & more=#1?/;,@'()<>[]{}|~`!$*",
            "nameSTARTSWITHZürich 東京 😀", "a=%2B^b=+", "descriptionLIKE\\\"x\\\"^ORDERBYnumber",
        ]
        for query in queries {
            let steps = (0..<2).map { Script.Step.answer(.page(20, at: 20 * $0, total: 40)) }
            try await Service.run(Setup(steps: steps)) { service in
                let session = try await service.open("\"query\":\"\(query)\"")
                for _ in 0..<2 { #expect(try await service.move(session, "next").status == 200) }
                let sent = query.split(separator: "\\").joined() + "^ORDERBYsys_id"
                #expect(service.script.requests.map(\.query) == [sent, sent])
                for request in service.script.requests {
                    #expect(request.head.target.utf8.allSatisfy { $0 != UInt8(ascii: "+") && $0 > 0x20 && $0 < 0x7F })
                }
            }
        }
        let encoded = "sys_updated_on%3E2020-05-29T08%3A48%3A29%2B01%3A00"
        try await Service.run { service in
            let session = try await service.open("\"query\":\"\(queries[0])\"")
            _ = try await service.move(session, "next")
            #expect(service.script.requests[0].head.target.contains("sysparm_query=\(encoded)"))
        }
    }

    /// An instance that opens a session for whoever has none, drops requests beyond ten in one session, and answers fifteen
    /// requests at a time.
    private final class SessionKeeper: Sendable {
        private let state = Mutex<(count: Int, underWay: [String: Int], most: Int)>((0, [:], 0))
        private let rounds = (0..<6).map { _ in Gate() }

        /// The most requests that were under way in one session.
        var most: Int { state.withLock { $0.most } }

        func answer(_ request: Request) async -> Response {
            let cookie = request.head.headers["Cookie"]
            let (number, others) = state.withLock { state in
                state.count += 1
                guard let cookie else { return (state.count, 0) }
                state.underWay[cookie, default: 0] += 1
                state.most = max(state.most, state.underWay[cookie] ?? 0)
                return (state.count, state.underWay[cookie] ?? 0)
            }
            if number % 15 == 0 { rounds[number / 15 - 1].open() }
            await rounds[(number - 1) / 15].wait()
            if let cookie { state.withLock { $0.underWay[cookie, default: 1] -= 1 } }
            if others > 10 { return Response(status: 202) }
            let headers: HeaderFields = cookie == nil ? ["Set-Cookie": "JSESSIONID=\(number); Path=/; HttpOnly"] : [:]
            return .page(10, at: Window(request.head.target)?.offset ?? 0, total: 60, headers: headers)
        }
    }

    @Test("E9: fifteen sessions at once do not share a session of the instance, which drops no request")
    func parallel() async throws {
        let keeper = SessionKeeper()
        let steps = Array(repeating: Script.Step.made { await keeper.answer($0) }, count: 90)
        let setup = Setup(steps: steps, restraint: Restraint(concurrency: 15, retries: 0))
        try await Service.run(setup) { service in
            try await withThrowingTaskGroup(of: Void.self) { group in
                for query in 0..<15 {
                    group.addTask {
                        // Each asks for something else, so that none can share the answer of another.
                        let session = try await service.open(#""itemsPerPage":10,"query":"number=\#(query)""#)
                        for number in 1...6 {
                            let page = try await service.move(session, "next")
                            #expect(page.status == 200 && page["page"] == .integer(number))
                        }
                    }
                }
                try await group.waitForAll()
            }
            #expect(keeper.most == 1 && service.script.isOver)
            #expect(service.script.requests.count { $0.head.headers["Cookie"] != nil } == 75)
        }
    }

    @Test("E11: the links that the service gives carry the present position or the page's number, once, and no offset")
    func ownLinks() async throws {
        try await Service.run { service in
            let session = try await service.openIncidents()
            for number in 1...2 {
                let page = try await service.move(session, "next")
                #expect(page["links", "next"] == .string("\(session)/next?after=\(number)"))
                #expect(page.headers["Link"]?.contains("<\(session)/next?after=\(number)>; rel=\"next\"") == true)
                #expect(!page.text.contains("offset") && page.headers["Link"]?.contains("offset") == false)
            }
            let page = try await service.call("GET", "/sessions/" + session.dropFirst(10) + "/pages/2")
            #expect(page["links", "next"] == .string("\(session)/pages/3"))
            for target in ["/tables/incident?page=2&itemsPerPage=20", "/tables/incident?itemsPerPage=20&page=2"] {
                let page = try await service.call("GET", target)
                guard case .string(let next)? = page["links", "next"] else { throw CancellationError() }
                let parameters = try #require(RequestTarget(next)?.parameters())
                #expect(parameters.filter { $0.name == "page" }.map(\.value) == ["3"])
                #expect(parameters.filter { $0.name == "itemsPerPage" }.map(\.value) == ["20"])
                let followed = try await service.call("GET", next)
                #expect(followed["page"] == .integer(3) && followed["hasNext"] == .bool(false))
            }
        }
    }
}
