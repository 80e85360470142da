import Foundation
import HTTPModel
import PaginatordTesting
import Testing

/// All records as a stream, from the program and over the wire.
@Suite(.timeLimit(.minutes(10)))
struct RecordsOverTheWireTests {
    private static let fields = #""fields":["number","sys_id"]"#

    @Test("All 10,000 incidents come in every format, in the query's order")
    func whole() async throws {
        let program = try RunningProgram(["serve", "--demo", "--listen", "127.0.0.1:0", "--log-level", "warning"])
        let caller = try Caller(await program.listeningURL())
        for (query, order) in [("", "ORDERBYsys_id"), ("ORDERBYDESCnumber", "ORDERBYDESCnumber")] {
            let expected = try await DemoRecords.incidents(order)
            #expect(Set(expected).count == 10_000)
            let session = try await caller.open(#"{"table":"incident","query":"\#(query)",\#(Self.fields)}"#)
            for format in ["ndjson", "csv", "json"] {
                let answer = try await caller.call("GET", "\(session)/records?format=\(format)&concurrency=8")
                #expect(answer.status == 200 && answer.headers["X-Accel-Buffering"] == "no")
                let text = String(decoding: answer.body, as: UTF8.self)
                #expect(try DemoRecords.values(text, format) == expected)
            }
            let state = try await caller.call("GET", session)
            #expect(state["position"] == 0 && state.link("records") == session + "/records")
        }
        await caller.close()
        #expect(try await program.stop() == 0)
    }

    @Test(
        "Whatever the instance does, what is visible comes once and in order",
        arguments: ["", "ORDERBYDESCnumber"])
    func faults(query: String) async throws {
        let hiding = ["--fault", "hide:ratio=0.2"]
        let expected = try await DemoRecords.incidents(query.isEmpty ? "ORDERBYsys_id" : query, arguments: hiding)
        #expect((7_500..<8_500).contains(expected.count))
        let faults = ["--fault", "rate-limit:every=9,retry-after=1", "--fault", "truncate:every=7"]
        try await serving(over: hiding + faults, settings: "retries: 8") { caller, _ in
            let session = try await caller.open(#"{"table":"incident","query":"\#(query)",\#(Self.fields)}"#)
            let answer = try await caller.call("GET", session + "/records")
            #expect(try DemoRecords.values(String(decoding: answer.body, as: UTF8.self), "ndjson") == expected)
        }
    }

    @Test(
        "Clients see that a cut stream is cut, and from where it says exactly the rest comes",
        arguments: ["ndjson", "csv"], ["", "ORDERBYDESCnumber"])
    func cut(format: String, query: String) async throws {
        let expected = try await DemoRecords.incidents(query.isEmpty ? "ORDERBYsys_id" : query)
        // As few requests at once as there can be, so that the one that fails is always in the middle.
        try await serving(over: ["--fault", "unauthorized:every=9"], settings: "retries: 0, concurrency: 1") {
            caller, base in
            let session = try await caller.open(#"{"table":"incident","query":"\#(query)",\#(Self.fields)}"#)
            let folder = try OwnFolder()
            var received: [String] = []
            var resume = ""
            var cuts = 0
            while cuts < 10 {
                let target = "\(base)\(session)/records?format=\(format)\(resume)"
                let curl = try await OtherProgram.run(
                    URL(fileURLWithPath: "/usr/bin/env"),
                    ["curl", "-sS", "--noproxy", "*", "-o", folder.path("a"), target])
                let text = try folder.text("a")
                guard curl.status != 0 else {
                    received += try DemoRecords.values(text, format)
                    break
                }
                // The transfer was closed with data outstanding.
                #expect(curl.status == 18, "\(curl.said)")
                cuts += 1
                let report = try DemoRecords.report(text)
                #expect(report["type"] as? String == "/problems/upstream-unauthenticated")
                received += try DemoRecords.values(text, format)
                if let page = report["page"] as? Int {
                    resume = "&fromPage=\(page)"
                } else {
                    resume = "&afterKey=\(try #require(report["afterKey"] as? String))"
                }
                #expect(resume.hasPrefix("&fromPage") == !query.isEmpty)
            }
            #expect((1..<10).contains(cuts))
            #expect(received == expected)
        }
    }

    @Test("Our own client takes no part for the whole, in any format", arguments: ["ndjson", "csv", "json"])
    func seen(format: String) async throws {
        try await serving(over: ["--fault", "unauthorized:every=9"], settings: "retries: 0, concurrency: 1") {
            caller, _ in
            let session = try await caller.open(#"{"table":"incident",\#(Self.fields)}"#)
            do {
                let answer = try await caller.call("GET", "\(session)/records?format=\(format)")
                Issue.record("\(answer.body.count) bytes were taken for all")
            } catch let error as TransportError {
                guard case .bodyIncomplete = error else { throw error }
            }
        }
    }

    @Test("A service that is told to stop ends its streams with where to go on, and another one goes on there")
    func stopped() async throws {
        let expected = try await DemoRecords.incidents()
        // Its eighth answer, of the eleven and more that the stream takes, does not come.
        let instance = try RunningProgram([
            "demo-instance", "--listen", "127.0.0.1:0", "--fault", "latency:mean=60000,every=8",
        ])
        let arguments = ["serve", "--listen", "127.0.0.1:0", "--log-level", "error"]
        let service = try RunningProgram(
            arguments, environment: ["PAGINATORD_INSTANCE_URL": await instance.listeningURL()])
        let base = try await service.listeningURL()
        let caller = try Caller(base)
        let body = #"{"table":"incident",\#(Self.fields),"itemsPerPage":100}"#
        let session = try await caller.open(body)
        let folder = try OwnFolder()
        let target = "\(base)\(session)/records?concurrency=1"
        let file = folder.path("a")
        async let curl = OtherProgram.run(
            URL(fileURLWithPath: "/usr/bin/env"), ["curl", "-sSN", "--noproxy", "*", "-o", file, target])
        try await eventually("records have come") { (try? folder.text("a").utf8.count) ?? 0 >= 20_000 }
        #expect(try await service.stop() == 0)
        #expect(try await curl.status == 18)
        await caller.close()
        let text = try folder.text("a")
        let report = try DemoRecords.report(text)
        #expect(report["type"] as? String == "/problems/shutting-down")
        let key = try #require(report["afterKey"] as? String)

        let next = try RunningProgram(arguments + ["--demo"])
        let other = try Caller(await next.listeningURL())
        let rest = try await other.call("GET", "\(try await other.open(body))/records?afterKey=\(key)&concurrency=8")
        let restText = String(decoding: rest.body, as: UTF8.self)
        #expect(try DemoRecords.values(text, "ndjson") + DemoRecords.values(restText, "ndjson") == expected)
        await other.close()
        #expect(try await next.stop() == 0)
        #expect(try await instance.stop() == 0)
    }

    @Test("HTTP/1.0, which cannot tell a part from the whole, is refused")
    func oldVersion() async throws {
        let program = try RunningProgram(["serve", "--demo", "--listen", "127.0.0.1:0", "--log-level", "warning"])
        let base = try await program.listeningURL()
        let caller = try Caller(base)
        let session = try await caller.open(#"{"table":"incident"}"#)
        let curl = try await OtherProgram.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "curl", "-sS", "--noproxy", "*", "--http1.0", "-o", "/dev/null", "-w", "%{http_code}",
                base + session + "/records",
            ])
        #expect(curl.said == "505")
        await caller.close()
        #expect(try await program.stop() == 0)
    }

    private func serving(
        over faults: [String], settings: String, _ body: (Caller, String) async throws -> Void
    ) async throws {
        let instance = try RunningProgram(["demo-instance", "--listen", "127.0.0.1:0"] + faults)
        let folder = try OwnFolder()
        let text = #"{ instances: { default: { url: "\#(try await instance.listeningURL())", \#(settings) } } }"#
        try text.write(toFile: folder.path("c.json5"), atomically: true, encoding: .utf8)
        let service = try RunningProgram([
            "serve", "--config", folder.path("c.json5"), "--listen", "127.0.0.1:0", "--log-level", "error",
        ])
        let base = try await service.listeningURL()
        let caller = try Caller(base)
        try await body(caller, base)
        await caller.close()
        #expect(try await service.stop() == 0)
        #expect(try await instance.stop() == 0)
    }
}
