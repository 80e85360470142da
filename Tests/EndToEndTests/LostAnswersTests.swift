import HTTPModel
import PaginatordTesting
import Testing

/// Answers that never reach their callers, over real connections: the repeat brings the page, and the instance is asked once.
@Suite(.timeLimit(.minutes(10)))
struct LostAnswersTests {
    @Test(
        "A caller that hangs up while the instance is at work gets the page that it missed by its repeat, from memory",
        arguments: [("next", 1), ("first", 1), ("last", 1), ("last", 2)])
    func hangUp(move: String, request: Int) async throws {
        try await serving { instance, service in
            let session = try await service.caller.open(#"{"table":"problem","readAhead":0}"#)
            let gate = instance.hold(request: request)
            let connection = try RawConnection(port: service.port)
            let target = "\(session)/\(move)?after=0"
            try await connection.send("POST \(target) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n")
            try await eventually("the instance is asked") { instance.requests == request }
            await connection.close()
            // The service has noticed by the time that it has answered somebody else.
            let meanwhile = try await service.caller.call("GET", session)
            #expect(meanwhile["isBusy"] == true && meanwhile["position"] == 0)
            gate.open()
            let asked = move == "last" ? 2 : 1
            for _ in 0..<2 {
                let answer = try await service.caller.call("POST", target)
                #expect(answer.status == 200 && answer["position"] == 1)
                #expect(answer["page"] == (move == "last" ? 10 : 1) && answer.keys.count == 20)
                #expect(answer.headers["Cache-Status"] == "paginatord; hit; detail=replay")
                #expect(answer.headers["ETag"] == "\"1\"")
            }
            #expect(instance.requests == asked)
        }
    }

    @Test(
        "A repeat whose page was not kept brings the same rows from the instance, and says so",
        arguments: [["REPLAY_PAGE_BYTES": "100"], ["REPLAY_MEMORY": "100"], ["REPLAY_MEMORY": "3000"]])
    func memory(settings: [String: String]) async throws {
        try await serving(settings) { instance, service in
            let body = #"{"table":"problem","fields":["sys_id","number"],"itemsPerPage":30,"readAhead":0}"#
            let session = try await service.caller.open(body)
            let page = try await service.caller.call("POST", session + "/next?after=0")
            #expect(page.status == 200 && page.keys.count == 30)
            // There is room for the page of one session, where there is any.
            let other = try await service.caller.open(body)
            #expect(try await service.caller.call("POST", other + "/next?after=0").status == 200)
            let again = try await service.caller.call("POST", session + "/next?after=0")
            #expect(again.headers["Cache-Status"] == "paginatord; fwd=miss; detail=refetch")
            #expect(again.status == 200 && again.body == page.body && again.headers["ETag"] == page.headers["ETag"])
            #expect(instance.requests == 3)
            #expect(try await service.caller.call("GET", session)["position"] == 1)
            let kept = try await service.caller.call("POST", other + "/next?after=0").headers["Cache-Status"]
            #expect(kept?.hasSuffix(settings == ["REPLAY_MEMORY": "3000"] ? "replay" : "refetch") == true)
        }
    }

    @Test("Eight callers with the same position at once get the same bytes, and the session moves by one")
    func together() async throws {
        try await serving { instance, service in
            let session = try await service.caller.open(#"{"table":"problem","readAhead":0}"#)
            for position in 0..<6 {
                let gate = instance.hold(request: position + 1)
                let head =
                    "POST \(session)/next?after=\(position) HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n"
                var connections: [RawConnection] = []
                for _ in 0..<8 {
                    let connection = try RawConnection(port: service.port)
                    try await connection.send(head)
                    connections.append(connection)
                }
                try await eventually("the instance is asked") { instance.requests == position + 1 }
                gate.open()
                var origins: [String] = []
                var bodies: Set<[UInt8]> = []
                for connection in connections {
                    let answer = try await connection.response()
                    #expect(answer.status == 200 && answer.headers["ETag"] == "\"\(position + 1)\"")
                    origins.append(answer.headers["Cache-Status"] ?? "")
                    bodies.insert(answer.body)
                    await connection.close()
                }
                #expect(bodies.count == 1)
                let replays = [String](repeating: "paginatord; hit; detail=replay", count: 7)
                #expect(origins.sorted() == ["paginatord; fwd=miss"] + replays)
                #expect(instance.requests == position + 1)
                #expect(try await service.caller.call("GET", session)["position"] == position + 1)
            }
        }
    }

    /// The service as it runs, over a demo instance that a test can hold back.
    ///
    /// - Parameter settings: of `sessions`.
    private func serving(
        _ settings: [String: String] = [:], _ body: (HeldInstance, (caller: Caller, port: UInt16)) async throws -> Void
    ) async throws {
        let instance = try await HeldInstance(incidents: 100)
        var environment = ["PAGINATORD_INSTANCE_URL": instance.url]
        for (name, value) in settings { environment["PAGINATORD_SESSIONS_\(name)"] = value }
        let program = try RunningProgram(
            ["serve", "--listen", "127.0.0.1:0", "--log-level", "error"], environment: environment)
        let caller = try Caller(await program.listeningURL())
        try await body(instance, (caller, program.listeningPort()))
        await caller.close()
        #expect(try await program.stop() == 0)
        await instance.stop()
    }
}
