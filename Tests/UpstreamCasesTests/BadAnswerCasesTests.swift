import DemoInstance
import HTTPModel
import PaginatordTesting
import TableAPI
import Testing

/// An answer that is no page, and what becomes of it.
struct BadAnswer: Sendable, CustomTestStringConvertible {
    var id: String
    var what: String
    var step: Script.Step
    /// The problem that the caller is told, and its status.
    var problem: String
    var status: Int
    /// The status, message and detail that the instance is quoted with.
    var upstream: (status: Int, message: String?, detail: String?) = (200, nil, nil)
    var retryAfter: String?
    /// Whether the service asks again by itself.
    var isRepeated = false

    var testDescription: String { "\(id): \(what)" }
}

private let cancelled = "Transaction cancelled: maximum execution time exceeded"
private let tail = #""error":{"message":"\#(cancelled)","detail":"\#(cancelled) Check logs"},"status":"failure"}"#

private func json(_ text: String, status: Int = 200, headers: HeaderFields = [:]) -> Script.Step {
    .answer(.json(text, status: status, headers: headers))
}

private func envelope(_ message: String, _ detail: String?) -> String {
    #"{"error":{"message":"\#(message)","detail":\#(detail.map { "\"\($0)\"" } ?? "null")},"status":"failure"}"#
}

private let wholePage = Response.page(20, at: 20, total: 60)
private let login = "<html><head><title>Log in</title></head><body><form action=\"/login.do\"></form></body></html>"

private let badAnswers: [BadAnswer] = [
    BadAnswer(
        id: "C1", what: "an error behind half a row", step: json(#"{"result":[{"sys_id":"a"},{"sys_id":"b""# + tail),
        problem: "upstream-incomplete", status: 502, upstream: (200, cancelled, cancelled + " Check logs"),
        isRepeated: true),
    BadAnswer(
        id: "C2", what: "an error behind a comma", step: json(#"{"result":[{"sys_id":"a"},]"# + tail),
        problem: "upstream-incomplete", status: 502, upstream: (200, cancelled, cancelled + " Check logs"),
        isRepeated: true),
    BadAnswer(
        id: "C3", what: "an error behind a name without a value",
        step: json(#"{"result":[{"sys_id":"a","sys_created_on"}"# + tail), problem: "upstream-incomplete", status: 502,
        upstream: (200, cancelled, cancelled + " Check logs"), isRepeated: true),
    BadAnswer(
        id: "C3", what: "an object cut behind a name",
        step: json(#"{"result":[{"sys_id":"a","name"}]}"#), problem: "upstream-incomplete", status: 502,
        isRepeated: true),
    BadAnswer(
        id: "C4", what: "a string among the rows", step: json(#"{"result":[{"sys_id":"a"},""]}"#),
        problem: "upstream-not-json", status: 502),
    BadAnswer(
        id: "C6", what: "200 with an error alone", step: json(envelope(cancelled, "d")), problem: "upstream-incomplete",
        status: 502, upstream: (200, cancelled, "d"), isRepeated: true),
    BadAnswer(
        id: "C7", what: "a body shorter than its Content-Length", step: .cut(wholePage, after: 300, .length),
        problem: "upstream-incomplete", status: 502, isRepeated: true),
    BadAnswer(
        id: "C7", what: "chunks without an end", step: .cut(wholePage, after: 300), problem: "upstream-incomplete",
        status: 502, isRepeated: true),
    BadAnswer(
        id: "C7", what: "a whole page, but chunks without an end", step: .cut(wholePage, after: .max),
        problem: "upstream-incomplete", status: 502, isRepeated: true),
    BadAnswer(
        id: "C8", what: "a hibernating instance", step: .fault(.hibernate), problem: "upstream-unavailable",
        status: 503,
        retryAfter: "5"),
    BadAnswer(
        id: "C9", what: "a login page", step: .answer(.html(login)), problem: "upstream-not-json", status: 502),
    BadAnswer(
        id: "C9", what: "a redirect to the login page", step: .fault(.login(.redirect)), problem: "upstream-failed",
        status: 502, upstream: (302, nil, nil)),
    BadAnswer(
        id: "C10", what: "502 of a proxy", step: .fault(.status(502)), problem: "upstream-failed", status: 502,
        upstream: (502, nil, nil), isRepeated: true),
    BadAnswer(
        id: "C11", what: "202 without a body", step: .fault(.empty(status: 202)), problem: "upstream-failed",
        status: 502,
        upstream: (202, nil, nil), isRepeated: true),
    BadAnswer(
        id: "C12", what: "200 without a body and a type", step: .fault(.empty(status: 200)),
        problem: "upstream-not-json",
        status: 502),
    BadAnswer(
        id: "C14", what: "broken JSON of another interface", step: json(#"{"records":[{"count":0}{"records":[]}"#),
        problem: "upstream-incomplete", status: 502, isRepeated: true),
    BadAnswer(
        id: "C17", what: "XML",
        step: .answer(
            Response(
                status: 200, headers: ["Content-Type": "application/xml"],
                body: .bytes(Array("<?xml version=\"1.0\"?><response><result/></response>".utf8)))),
        problem: "upstream-not-json", status: 502),
    BadAnswer(
        id: "D3", what: "a table that is not there",
        step: json(envelope("Invalid table foo", "Table foo does not exist"), status: 400),
        problem: "query-rejected", status: 422, upstream: (400, "Invalid table foo", "Table foo does not exist")),
    BadAnswer(
        id: "D4", what: "429 for longer than is waited", step: .fault(.rateLimit(.quota, retryAfter: .seconds(7))),
        problem: "upstream-rate-limited", status: 429,
        upstream: (429, "Rate limit exceeded", "Rate limit of 100 requests per hour for Table API exceeded"),
        retryAfter: "7"),
    BadAnswer(
        id: "D5", what: "429 without JSON and without a word of when",
        step: .fault(.rateLimit(.queue, retryAfter: .absent)), problem: "upstream-rate-limited", status: 429,
        upstream: (429, nil, nil), retryAfter: "5", isRepeated: true),
    BadAnswer(
        id: "D6", what: "429 for an hour", step: .fault(.rateLimit(.queue, retryAfter: .seconds(3600))),
        problem: "upstream-rate-limited", status: 429, upstream: (429, nil, nil), retryAfter: "3600"),
    BadAnswer(
        id: "D6", what: "503 for an hour", step: .fault(.status(503, retryAfter: .seconds(3600))),
        problem: "upstream-unavailable", status: 503, upstream: (503, nil, nil), retryAfter: "3600"),
    BadAnswer(
        id: "D8", what: "500 for a request that was ended", step: json(envelope(cancelled, "d"), status: 500),
        problem: "upstream-incomplete", status: 502, upstream: (500, cancelled, "d"), isRepeated: true),
    BadAnswer(
        id: "D12", what: "a web page that the URL is too long",
        step: .answer(.html("<html><h1>Request header is too large</h1></html>", status: 400)),
        problem: "query-rejected", status: 422, upstream: (400, nil, nil)),
    BadAnswer(
        id: "D13", what: "an error whose detail is null",
        step: json(envelope("Insufficient rights to query records", nil), status: 403), problem: "upstream-forbidden",
        status: 403, upstream: (403, "Insufficient rights to query records", nil)),
    // By the interface a refusal of the service's own credentials is a 502, so that nobody takes it for one of the caller's.
    BadAnswer(
        id: "D14", what: "refused credentials", step: .fault(.unauthorized), problem: "upstream-unauthenticated",
        status: 502, upstream: (401, "User Not Authenticated", "Required to provide Auth information")),
]

@Suite(.timeLimit(.minutes(10))) struct BadAnswerCasesTests {
    @Test(
        "The caller is told what was wrong, the session stays, and the same move works afterwards",
        arguments: badAnswers)
    func told(_ bad: BadAnswer) async throws {
        let keys = try await Service.incidents.value
        try await Service.run(Setup(steps: [.passOn(), bad.step], restraint: Restraint(retries: 0))) { service in
            let session = try await service.openIncidents()
            #expect(try await service.move(session, "next").keys == Array(keys[..<20]))
            let answer = try await service.expectFailure(session, bad.problem, status: bad.status)
            #expect(answer["upstream", "status"] == .integer(bad.upstream.status))
            #expect(answer["upstream", "message"] == bad.upstream.message.map { .string($0) } ?? .null)
            #expect(answer["upstream", "detail"] == bad.upstream.detail.map { .string($0) } ?? .null)
            #expect(answer.headers["Retry-After"] == bad.retryAfter)
            #expect(answer.headers["WWW-Authenticate"] == nil)
            #expect(service.slept.isEmpty && service.windows.count == 2)
            // Whatever limit the instance named is over.
            service.clock.advance(seconds: 7200)
            let page = try await service.call("POST", session + "/next?after=1")
            #expect(page["page"] == .integer(2) && page.keys == Array(keys[20..<40]))
            #expect(service.windows == [Window(0, 20), Window(20, 20), Window(20, 20)])
        }
    }

    @Test("What may pass is asked for again, and what will not is not", arguments: badAnswers)
    func repeated(_ bad: BadAnswer) async throws {
        let keys = try await Service.incidents.value
        try await Service.run(Setup(steps: [.passOn(), bad.step])) { service in
            let session = try await service.openIncidents()
            _ = try await service.move(session, "next")
            if bad.isRepeated {
                let page = try await service.move(session, "next")
                #expect(page["page"] == .integer(2) && page.keys == Array(keys[20..<40]))
                // What was cut is asked for in two halves.
                let halves = [Window(20, 10), Window(30, 10)]
                #expect(
                    service.windows.dropFirst(2)
                        == (bad.problem == "upstream-incomplete" ? halves[...] : [Window(20, 20)]))
            } else {
                _ = try await service.expectFailure(session, bad.problem, status: bad.status)
                #expect(service.windows.count == 2 && service.slept.isEmpty)
            }
        }
    }

    @Test("The request that only learns the count is held to the same", arguments: badAnswers)
    func counted(_ bad: BadAnswer) async throws {
        let keys = try await Service.incidents.value
        try await Service.run(Setup(steps: [bad.step])) { service in
            let session = try await service.openIncidents()
            if !bad.isRepeated {
                _ = try await service.expectFailure(session, bad.problem, status: bad.status, by: "last")
                #expect(service.windows == [Window(0, 1)])
                service.clock.advance(seconds: 7200)
            }
            let page = try await service.move(session, "last")
            #expect(page["page"] == .integer(3) && page.keys == Array(keys[40...]))
            #expect(service.windows == [Window(0, 1), Window(0, 1), Window(40, 20)])
        }
    }

    @Test(
        "A page is accepted in whatever wrapping it comes",
        arguments: [
            ("C16", "a byte order mark", Accepted(lead: "\u{FEFF}")),
            ("C16", "a charset", Accepted(type: "application/json;charset=UTF-8")),
            ("C16", "names of fields in lower case", Accepted(typeName: "content-type", countName: "x-total-count")),
            ("C16", "gzip", Accepted(isGzip: true)), ("C16", "chunks", Accepted(isChunked: true)),
            ("C16", "gzip in chunks", Accepted(isGzip: true, isChunked: true)),
            ("C16", "white space around it", Accepted(lead: " \r\n", tail: "\n\n")),
        ])
    func accepted(id: String, what: String, wrapping: Accepted) async throws {
        try await Service.run(Setup(steps: [.answer(wrapping.response)])) { service in
            let page = try await service.move(try await service.open(), "next")
            #expect(page.text.hasSuffix(#""items":[{"sys_id":"é"},{}]}"#))
            #expect(page["totalItems"] == .integer(45))
        }
    }

    /// How a page is wrapped.
    struct Accepted: Sendable {
        var lead = ""
        var tail = ""
        var type = "application/json"
        var typeName = "Content-Type"
        var countName = "X-Total-Count"
        var isGzip = false
        var isChunked = false

        var response: Response {
            let text = Array((lead + #"{"result":[{"sys_id":"é"},{}]}"# + tail).utf8)
            let body = isGzip ? gzip(text) : text
            var headers: HeaderFields = [typeName: type, countName: "45"]
            if isGzip { headers.append("content-encoding", "gzip") }
            return Response(
                status: 200, headers: headers,
                body: isChunked ? .stream { try await $0.write(body[...]) } : .bytes(body))
        }
    }

    @Test("D4: a wait that is short enough is waited, once", arguments: [1, 3, 5])
    func shortWait(seconds: Int) async throws {
        let setup = Setup(steps: [.passOn(), .fault(.rateLimit(.queue, retryAfter: .seconds(seconds)))])
        try await Service.run(setup) { service in
            let session = try await service.openIncidents()
            _ = try await service.move(session, "next")
            #expect(try await service.move(session, "next")["page"] == .integer(2))
            #expect(service.slept == [.seconds(seconds)])
        }
    }

    @Test("D12: a query of 300 keys goes out whole, and its refusal is the caller's fault", arguments: [400, 414])
    func longQuery(status: Int) async throws {
        let keys = (0..<300).map { number in String(repeating: "0", count: 29) + String(1000 + number).suffix(3) }
        let query = "sys_idIN" + keys.joined(separator: ",")
        let setup = Setup(steps: [.answer(.html("<html>Request header is too large</html>", status: status))])
        try await Service.run(setup) { service in
            let session = try await service.open("\"query\":\"\(query)\"")
            let answer = try await service.expectFailure(session, "query-rejected", status: 422)
            #expect(answer["upstream", "status"] == .integer(status))
            #expect(!answer.text.contains(keys[0].dropFirst(20)), "a detail holds no query")
            #expect(service.script.requests.map(\.query) == [query + "^ORDERBYsys_id"])
        }
    }

    @Test(
        "D1: version 1 answers 404 to an offset behind the end, which is an empty page",
        arguments: [45, nil] as [Int?])
    func behindTheEnd(total: Int?) async throws {
        let empty = Response.json(
            envelope("No Record found", "Records matching query not found. Check query parameter or offset parameter"),
            status: 404, headers: total.map { ["X-Total-Count": String($0)] } ?? [:])
        let setup = Setup(
            steps: [
                .answer(.page(20, at: 0, total: total)), .answer(.page(20, at: 20, total: total)), .answer(empty),
            ], apiVersion: .v1)
        try await Service.run(setup) { service in
            let session = try await service.open()
            for _ in 0..<2 { #expect(try await service.move(session, "next")["hasNext"] == .bool(true)) }
            let page = try await service.move(session, "next")
            #expect(page.status == 200 && page["page"] == .integer(3) && page["itemCount"] == .integer(0))
            #expect(page["hasNext"] == .bool(false) && page["numberOfPages"] == .integer(total == nil ? 2 : 3))
            #expect(service.script.requests.allSatisfy { $0.head.target.hasPrefix("/api/now/v1/table/incident?") })
        }
    }

    @Test(
        "D2: version 1 answers 404 to a query without rows, which is the empty set",
        arguments: ["first", "next", "last"])
    func emptySet(move: String) async throws {
        let setup = Setup(steps: [json(envelope("No Record found", "Records matching query not found."), status: 404)])
        try await Service.run(setup) { service in
            let session = try await service.open()
            let page = try await service.move(session, move)
            #expect(page.status == 200 && page["page"] == .integer(0) && page["numberOfPages"] == .integer(0))
            #expect(page["hasNext"] == .bool(false) && page.items.isEmpty)
            try await service.expectRefusal(session, "next", "no-next-page")
        }
    }
}
