import HTTPModel
import Observability
import PaginatordTesting
import Sessions
import SimdJSON
import Synchronization
import TableAPI
import Testing

@testable import Gateway

/// The stream of all records, received without a socket.
struct RecordsStreamTests {
    private static let failure = IncomingResponse(
        status: 500, body: Array(#"{"error":{"message":"boom","detail":null}}"#.utf8))
    private static let fields = #""fields":["sys_id","name"]"#

    private func open(_ service: Service, _ more: String = "", _ headers: HeaderFields = [:]) async throws -> String {
        let body = #"{"table":"incident",\#(Self.fields)\#(more)}"#
        return try #require(try await service.post("/sessions", body, headers).headers["Location"])
    }

    private func text(_ format: String, _ keys: [String]) -> String {
        switch format {
        case "csv": "sys_id,name\r\n" + keys.map { "\($0),\($0.prefix(4))\r\n" }.joined()
        case "json": "[" + keys.map(KeyedTable.row).joined(separator: ",") + "]"
        default: keys.map { KeyedTable.row($0) + "\n" }.joined()
        }
    }

    @Test(
        "Every format holds all records in order, and nothing else",
        arguments: ["ndjson", "csv", "json"], [0, 1, 99, 100, 1234])
    func whole(format: String, rows: Int) async throws {
        let table = KeyedTable(rows: rows)
        let service = try Service(table)
        for (query, start) in [(nil, ""), (nil, "&fromPage=1"), ("ORDERBYDESCsys_id", "")] {
            let path = try await open(service, query.map { #","query":"\#($0)""# } ?? "")
            let end = try await service.get("\(path)/records?format=\(format)\(start)").receive()
            let keys = query == nil ? table.keys : table.keys.reversed()
            #expect(end.isWhole)
            #expect(end.text.replacing(",\r\n{", with: ",{") == text(format, keys))
        }
    }

    @Test("Rows that stand on several lines are on one in NDJSON, and as they came in an array")
    func lineBreaks() async throws {
        let service = try Service()
        service.transport.answer(
            200, "{\"result\":[{\"a\":\n[1,\r2]\r\n},\n{\"a\":\"x\\n\"}]}", headers: ["X-Total-Count": "2"])
        let path = try await service.open()
        let lines = try await service.get(path + "/records").receive()
        #expect(lines.text == "{\"a\": [1, 2]  }\n{\"a\":\"x\\n\"}\n")
        let array = try await service.get(path + "/records?format=json").receive()
        #expect(array.text == "[{\"a\":\n[1,\r2]\r\n},\n{\"a\":\"x\\n\"}]")
    }

    @Test("A guard puts an apostrophe before what a spreadsheet would compute", arguments: [true, false])
    func guarded(isGuarded: Bool) async throws {
        let service = try Service()
        service.transport.answer(200, #"{"result":[{"a":"=1+1","b":-5}]}"#, headers: ["X-Total-Count": "1"])
        let path = try await service.open(#"{"table":"incident","fields":["a","b"]}"#)
        let end = try await service.get("\(path)/records?format=csv&guard=\(isGuarded)").receive()
        #expect(end.text == (isGuarded ? "a,b\r\n'=1+1,'-5\r\n" : "a,b\r\n=1+1,-5\r\n"))
    }

    @Test("An instance that cannot be asked by key is read by offset, and the page to go on from is the session's")
    func fallback() async throws {
        let service = try Service(rows: 1010, configuration: GatewayConfiguration(maxItemsPerPage: 100))
        let path = try await service.open(#"{"table":"incident","itemsPerPage":7}"#)
        let end = try await service.get(path + "/records").receive()
        #expect(end.isWhole && end.lines == (0..<1010).map { "{\"n\":\($0)}" })
        for page in [1, 2, 15, 16, 31, 100, 145, 146, 1000] {
            let rest = try await service.get("\(path)/records?fromPage=\(page)").receive()
            #expect(rest.isWhole && rest.lines == Array(end.lines.dropFirst((page - 1) * 7)))
        }
    }

    @Test("A failure before the first row is a plain problem, and the session is as it was")
    func failsAtOnce() async throws {
        let table = KeyedTable(rows: 500)
        let service = try Service(table)
        let path = try await open(service)
        table.set { $0.answersInstead = { _ in Self.failure } }
        for target in ["/records", "/records?format=csv", "/records?fromPage=3"] {
            let answer = try await service.get(path + target)
            #expect(try answer.status == 502 && answer.problem == "upstream-failed")
            #expect(try answer["upstream", "message"] == .string("boom"))
        }
        let failures = service.events.all.filter { if case .upstreamFailed = $0 { true } else { false } }
        #expect(failures.count == 3)
        #expect(try await service.get(path)["position"] == .integer(0))
    }

    @Test(
        "A failure in the middle is the last line and cuts the connection; from where it says, exactly the rest comes",
        arguments: ["ndjson", "csv", "json"], [true, false])
    func failsInTheMiddle(format: String, byKey: Bool) async throws {
        let table = KeyedTable(rows: 1000)
        let service = try Service(table)
        let path = try await open(service, byKey ? "" : #","query":"ORDERBYDESCsys_id""#)
        let middle = table.keys[550]
        table.set {
            $0.answersInstead = { asked in
                guard asked.limit > 1 else { return nil }
                let isBehind = byKey ? asked.upper.map { $0 > middle } ?? (asked.lower != nil) : asked.offset >= 600
                return isBehind ? Self.failure : nil
            }
        }
        let end = try await service.get("\(path)/records?format=\(format)", ["Accept-Language": "fr"]).receive()
        #expect(!end.isWhole)
        table.set { $0.answersInstead = { _ in nil } }
        let keys = byKey ? table.keys : table.keys.reversed()
        guard format != "json" else {
            #expect(end.text.hasSuffix("}") && text(format, keys).hasPrefix(end.text.replacing(",\r\n{", with: ",{")))
            return
        }
        let report = try end.report
        #expect(report["type"] == .string("/problems/upstream-failed") && report["status"] == .integer(502))
        #expect(report["title"] == .string("L’instance a échoué"))
        #expect(end.text.hasSuffix(format == "csv" ? "\r\n" : "\n"))
        let shown = format == "csv" ? end.lines.dropFirst().dropLast().map { String($0.prefix(32)) } : try end.keys
        #expect(shown == Array(keys.prefix(shown.count)) && (100...600).contains(shown.count))
        let resume: String
        switch (report["page"], report["afterKey"]) {
        case (.integer(let page)?, nil) where !byKey: resume = "fromPage=\(page)"
        case (nil, .string(let key)?) where byKey: resume = "afterKey=\(key)"
        default: throw NeverHappened(what: "a place to go on")
        }
        let rest = try await service.get("\(path)/records?\(resume)").receive()
        #expect(rest.isWhole)
        #expect(try shown + rest.keys == keys)
        let failures = service.events.all.compactMap {
            if case .upstreamFailed(let name, _, _, _) = $0 { name } else { nil }
        }
        #expect(failures == ["default"])
    }

    @Test("A service that stops says where to go on and cuts the connection", arguments: ["ndjson", "csv", "json"])
    func stops(format: String) async throws {
        let table = KeyedTable(rows: 1000)
        let service = try Service(table)
        let path = try await open(service)
        let hold = Hold()
        let received = hold.receiver(behind: 3000)
        let stream = try #require(try await service.get("\(path)/records?format=\(format)").stream)
        let producing = Task { try await stream(received) }
        try await eventually("rows come") { hold.isReached }
        producing.cancel()
        hold.end()
        await #expect(throws: (any Error).self) { try await producing.value }
        let end = RecordsEnd(isWhole: false, text: received.text)
        guard format != "json" else {
            #expect(!end.text.hasSuffix("]") && end.text.hasSuffix("}"))
            return
        }
        let report = try end.report
        #expect(report["type"] == .string("/problems/shutting-down") && report["status"] == .integer(503))
        guard case .string(let key)? = report["afterKey"] else {
            Issue.record("no afterKey in \(report)")
            return
        }
        let shown = format == "csv" ? end.lines.dropFirst().dropLast().map { String($0.prefix(32)) } : try end.keys
        let rest = try await service.get("\(path)/records?afterKey=\(key)").receive()
        #expect(try shown + rest.keys == table.keys && !shown.isEmpty && !rest.keys.isEmpty)
    }

    @Test("The stream of a session that is deleted ends with that, and not as if it were whole")
    func deleted() async throws {
        let table = KeyedTable(rows: 1000)
        let service = try Service(table)
        let path = try await open(service)
        let hold = Hold()
        let received = hold.receiver(behind: 3000)
        let answer = try await service.get(path + "/records")
        async let ending = answer.receive(received)
        try await eventually("rows come") { hold.isReached }
        // Whatever is asked for from now on would come when the session is gone for long.
        table.set { $0.waits = { _ in try? await Task.sleep(for: .seconds(600)) } }
        #expect(try await service.send("DELETE", path).status == 204)
        hold.end()
        let end = await ending
        #expect(!end.isWhole)
        #expect(try end.report["status"] == .integer(410))
    }

    @Test("A session that ended before its stream began is told of in the stream")
    func deletedBefore() async throws {
        let service = try Service(KeyedTable(rows: 10))
        let path = try await open(service)
        let answer = try await service.get(path + "/records")
        _ = try await service.send("DELETE", path)
        let end = await answer.receive()
        #expect(try !end.isWhole && end.report["type"] == .string("/problems/session-expired"))
        #expect(try end.report["page"] == .integer(1))
    }

    @Test("A reader who goes ends the reading")
    func gone() async throws {
        let table = KeyedTable(rows: 3000)
        let service = try Service(table)
        let path = try await open(service)
        let received = Received()
        received.close()
        let end = try await service.get(path + "/records?concurrency=2").receive(received)
        #expect(!end.isWhole && end.text.isEmpty)
        #expect(table.asked.count < 15)
    }

    @Test("A slow reader slows the fetching: no more windows than the concurrency are fetched ahead of it")
    func slow() async throws {
        let table = KeyedTable(rows: 3000)
        let service = try Service(table)
        let path = try await open(service)
        let gate = Gate()
        let answer = try await service.get(path + "/records?concurrency=3&fromPage=1")
        let received = Received { count in if count > 0 { await gate.wait() } }
        async let ending = answer.receive(received)
        try await eventually("the windows are there") { table.asked.count == 4 }
        for _ in 0..<1000 { await Task.yield() }
        #expect(table.asked.count == 4)
        gate.open()
        let end = await ending
        #expect(try end.isWhole && end.keys == table.keys)
    }

    @Test("Callers' own credentials hold for as long as the stream lasts", arguments: ["", "?fromPage=1"])
    func forwarded(query: String) async throws {
        let table = KeyedTable(rows: 1000)
        let service = try Service(table, credentials: ["default": .forward])
        let caller: HeaderFields = ["Authorization": "Bearer alice-hunter2"]
        let path = try await open(service, "", caller)
        let end = try await service.get("\(path)/records\(query)", caller).receive()
        #expect(try end.isWhole && end.keys == table.keys)
        #expect(table.asked.count >= 10 && table.asked.allSatisfy { $0.authorization == "Bearer alice-hunter2" })
        #expect(try await service.get("\(path)/records", ["Authorization": "Bearer bob"]).status == 404)
        table.set { $0.answersInstead = { _ in IncomingResponse(status: 401, body: Array("{}".utf8)) } }
        let refused = try await service.get("\(path)/records", caller)
        #expect(try refused.status == 401 && refused.problem == "authentication-required")
    }

    @Test("An export moves nothing, tells nobody, and keeps its session alive")
    func session() async throws {
        let table = KeyedTable(rows: 1000)
        let service = try Service(table)
        let path = try await open(service, #","idleTimeout":10"#)
        let before = try await service.post(path + "/next")
        let hold = Hold()
        let received = hold.receiver(behind: 3000)
        let answer = try await service.get(path + "/records")
        async let ending = answer.receive(received)
        try await eventually("rows come") { hold.isReached }
        for _ in 0..<5 {
            service.time.advance(milliseconds: 9000)
            await service.registry.sweep()
        }
        hold.end()
        let end = await ending
        #expect(try end.isWhole && end.keys == table.keys)
        let after = try await service.get(path)
        #expect(try after.status == 200 && after["position"] == before["position"] && after["page"] == before["page"])
        #expect(try after["totalItems"] == .integer(1000))
    }

    @Test("The log tells of the stream at its end, with what was written")
    func logged() async throws {
        let table = KeyedTable(rows: 300)
        let service = try Service(table)
        let path = try await open(service)
        let answered = {
            service.events.all.compactMap { event -> AnsweredRequest? in
                guard case .requestAnswered(let request) = event, request.route == "/sessions/{id}/records" else {
                    return nil
                }
                return request
            }
        }
        let answer = try await service.get(path + "/records")
        #expect(answered().isEmpty)
        let end = await answer.receive()
        #expect(answered().map(\.bytes) == [end.text.utf8.count] && answered().first?.status == 200)
        #expect(answered().first?.upstream != nil)
    }
}
