import Foundation
import HTTPModel
import PaginatordTesting
import Testing

/// What the faults of `demo-instance` look like on a connection, and what the service makes of them.
@Suite(.timeLimit(.minutes(10)))
struct FaultsOverTheWireTests {
    @Test(
        "A fault reaches a client as the real thing would",
        arguments: [
            ("rate-limit:retry-after=7", 429, "application/json;charset=UTF-8", "Rate limit exceeded"),
            ("rate-limit:as=queue", 429, "text/plain", "Rejecting request"),
            ("truncate:as=json", 200, "application/json;charset=UTF-8", "{"),
            ("append-error", 200, "application/json;charset=UTF-8", "Transaction cancelled"),
            ("append-error:as=queued", 500, "application/json;charset=UTF-8", "Transaction cancelled"),
            ("status:502", 502, "text/html", "502 Bad Gateway"),
            ("hibernate", 200, "text/html;charset=UTF-8", "hibernating"),
            ("empty-202", 202, nil, ""), ("empty-200", 200, nil, ""), ("login:as=redirect", 302, nil, ""),
            ("unauthorized", 401, "application/json;charset=UTF-8", "User Not Authenticated"),
        ])
    func answers(fault: String, status: Int, type: String?, text: String) async throws {
        let instance = try RunningProgram([
            "demo-instance", "--listen", "127.0.0.1:0", "--incidents", "100", "--fault", fault,
        ])
        let caller = try Caller(await instance.listeningURL())
        let answer = try await caller.call("GET", "/api/now/table/problem")
        #expect(answer.status == status && answer.headers["Content-Type"] == type)
        let body = String(decoding: answer.body, as: UTF8.self)
        #expect(text.isEmpty ? body.isEmpty : body.contains(text))
        await caller.close()
        #expect(try await instance.stop() == 0)
    }

    @Test("A dropped request gets not a byte: the connection is closed instead, and nothing is logged about it")
    func drops() async throws {
        let instance = try RunningProgram([
            "demo-instance", "--listen", "127.0.0.1:0", "--incidents", "100", "--fault", "drop:every=2",
        ])
        let port = try await instance.listeningPort()
        for _ in 0..<3 {
            let peer = try RawConnection(port: port)
            try await peer.send("GET /api/now/table/problem HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await peer.response().status == 200)
            try await peer.send("GET /api/now/table/problem HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await peer.readToEnd().isEmpty)
        }
        // libcurl repeats by itself what a kept connection did not answer.
        let caller = try Caller(await instance.listeningURL())
        for _ in 0..<3 { #expect(try await caller.call("GET", "/api/now/table/problem").status == 200) }
        await caller.close()
        #expect(try await instance.stop() == 0)
        try await instance.silence()
        #expect(!instance.standardError.contains("closing connection"))
    }

    @Test("A body that is cut is seen to be cut, and the next request works")
    func cuts() async throws {
        let instance = try RunningProgram([
            "demo-instance", "--listen", "127.0.0.1:0", "--incidents", "100", "--fault", "truncate:every=2",
        ])
        let caller = try Caller(await instance.listeningURL())
        for number in 1...6 {
            do {
                let answer = try await caller.call("GET", "/api/now/table/problem")
                #expect(number % 2 == 1 && answer.status == 200 && answer.members["result"] != nil)
            } catch let error as TransportError {
                guard number % 2 == 0, case .bodyIncomplete = error else { throw error }
            }
        }
        await caller.close()
        #expect(try await instance.stop() == 0)
    }

    @Test(
        "The service delivers nothing of a bad answer, says what is wrong, and stays where it was",
        arguments: [
            ("rate-limit:retry-after=30", 429, "rate-limited"), ("truncate", 502, "incomplete"),
            ("truncate:as=json", 502, "incomplete"), ("append-error", 502, "incomplete"),
            ("append-error:as=list", 502, "incomplete"), ("append-error:as=alone", 502, "incomplete"),
            ("append-error:as=queued", 502, "incomplete"), ("drop", 502, "failed"), ("status:502", 502, "failed"),
            ("hibernate", 503, "unavailable"), ("empty-202", 502, "failed"), ("empty-200", 502, "not-json"),
            ("login", 502, "not-json"), ("login:as=redirect", 502, "failed"), ("unauthorized", 502, "unauthenticated"),
            ("bad-row", 502, "not-json"), ("status:503,retry-after=30", 503, "unavailable"),
        ])
    func problems(fault: String, status: Int, problem: String) async throws {
        try await serving(over: fault) { caller in
            let session = try await caller.open(#"{"table":"problem"}"#)
            let answer = try await caller.call("POST", session + "/next?after=0")
            #expect(answer.status == status && answer["type"] == "/problems/upstream-\(problem)")
            let state = try await caller.call("GET", session)
            #expect(state["position"] == 0 && state["page"] == 0 && state["isBusy"] == false)
        }
    }

    @Test("What is wrong beside the rows does not matter", arguments: ["links", "links:as=foreign", "links:as=same"])
    func harmless(fault: String) async throws {
        try await serving(over: fault) { caller in
            let session = try await caller.open(#"{"table":"problem","fields":["sys_id"],"itemsPerPage":60}"#)
            var keys: [String] = []
            for position in 0..<4 { keys += try await caller.call("POST", "\(session)/next?after=\(position)").keys }
            #expect(Set(keys).count == 200 && keys.count == 200)
            #expect(try await caller.call("GET", session)["hasNext"] == false)
        }
    }

    @Test("Without a count an empty page is the end")
    func noCount() async throws {
        try await serving(over: "no-count") { caller in
            let session = try await caller.open(#"{"table":"problem","fields":["sys_id"],"itemsPerPage":100}"#)
            var sizes: [Int] = []
            var hasNext = true
            while hasNext, sizes.count < 9 {
                let answer = try await caller.call("POST", "\(session)/next?after=\(sizes.count)")
                sizes.append(answer.keys.count)
                hasNext = answer["hasNext"] ?? false
            }
            #expect(sizes.first == 100 && sizes.reduce(0, +) == 200 && !hasNext)
        }
    }

    private func serving(over fault: String, _ body: (Caller) async throws -> Void) async throws {
        let instance = try RunningProgram([
            "demo-instance", "--listen", "127.0.0.1:0", "--incidents", "100", "--fault", fault,
        ])
        let service = try RunningProgram(
            ["serve", "--listen", "127.0.0.1:0", "--log-level", "error"],
            environment: ["PAGINATORD_INSTANCE_URL": await instance.listeningURL()])
        let caller = try Caller(await service.listeningURL())
        try await body(caller)
        await caller.close()
        #expect(try await service.stop() == 0)
        #expect(try await instance.stop() == 0)
    }
}
