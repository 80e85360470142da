import Foundation
import Glibc
import HTTPModel
import PaginatordTesting
import Testing

/// Who is let in by the running program, over sockets.
@Suite(.timeLimit(.minutes(10)))
struct AccessOverTheWireTests {
    private static func bearer(_ token: String) -> HeaderFields { ["Authorization": "Bearer " + token] }

    private static func start(
        _ arguments: [String] = ["--listen", "127.0.0.1:0"], _ environment: [String: String]
    ) throws -> RunningProgram {
        try RunningProgram(["serve", "--demo"] + arguments, environment: environment)
    }

    @Test(
        "Where others can reach it, the service does not start without a token, and names setting and override",
        arguments: [":0", "0.0.0.0:0", "[::]:0"])
    func exposed(listener: String) async throws {
        let service = try Self.start(["--listen", listener], [:])
        #expect(try await service.exitStatus() == 78)
        try await service.silence()
        #expect(service.standardOutput == "")
        for word in ["listen", "access.tokens", "PAGINATORD_ACCESS_TOKEN", "access.allowAnonymous"] {
            #expect(service.standardError.contains(word))
        }
    }

    @Test(
        "Nor on a socket that it was started with, whose address only the socket tells",
        arguments: ["0.0.0.0", "127.0.0.1"])
    func inherited(host: String) async throws {
        let script = """
            import os, socket, sys
            listener = socket.create_server((sys.argv[1], 0))
            os.dup2(listener.fileno(), 3)
            os.set_inheritable(3, True)
            os.execv(sys.argv[2], [sys.argv[2], "serve", "--demo", "--listen", "fd:3"])
            """
        let service = try RunningProgram(
            ["-c", script, host, RunningProgram.executable.path], executable: URL(fileURLWithPath: "/usr/bin/python3"))
        if host == "127.0.0.1" {
            _ = try await service.listeningURL()
            #expect(try await service.stop() == 0)
        } else {
            #expect(try await service.exitStatus() == 78)
            try await service.silence()
            #expect(
                service.standardError.contains("listen: ") && service.standardError.contains("access.allowAnonymous"))
            #expect(service.standardOutput == "")
        }
    }

    @Test(
        "With a token, or where it is allowed, it does",
        arguments: ["PAGINATORD_ACCESS_TOKEN", "PAGINATORD_ACCESS_ALLOW_ANONYMOUS"])
    func allowed(variable: String) async throws {
        let isToken = variable.hasSuffix("TOKEN")
        let service = try Self.start(["--listen", "0.0.0.0:0"], [variable: isToken ? "0123456789abcdef" : "true"])
        let caller = try Caller(await service.listeningURL())
        #expect(try await caller.call("GET", "/sessions").status == (isToken ? 401 : 200))
        #expect(try await caller.call("GET", "/sessions", headers: Self.bearer("0123456789abcdef")).status == 200)
        #expect(try await caller.call("GET", "/livez").status == 200)
        await caller.close()
        #expect(try await service.stop() == 0)
    }

    @Test("A request is under way until its answer has been taken: readers that are stuck count")
    func stuckReader() async throws {
        let service = try Self.start(
            ["--listen", "127.0.0.1:0"],
            ["PAGINATORD_ACCESS_TOKEN": "0123456789abcdef", "PAGINATORD_LIMITS_REQUESTS_PER_TOKEN": "1"])
        let reader = try RawConnection(port: await service.listeningPort(), receiveBuffer: 4096)
        try await reader.send(
            "GET /tables/incident?itemsPerPage=5000 HTTP/1.1\r\nHost: localhost\r\n"
                + "Authorization: Bearer 0123456789abcdef\r\n\r\n")
        let head = try await reader.readHead()
        #expect(head.status == 200 && head.headers["Content-Length"].flatMap { Int($0) } ?? 0 > 8 << 20)
        let caller = try Caller(await service.listeningURL())
        let refused = try await caller.call("GET", "/sessions", headers: Self.bearer("0123456789abcdef"))
        #expect(refused.status == 429 && refused["limit"] == 1)
        await reader.close()
        try await eventually("it may") {
            try await caller.call("GET", "/sessions", headers: Self.bearer("0123456789abcdef")).status == 200
        }
        await caller.close()
        #expect(try await service.stop() == 0)
    }

    @Test("A Unix socket needs no token", arguments: [nil, "0123456789abcdef"])
    func unix(token: String?) async throws {
        let folder = try OwnFolder()
        let service = try Self.start(
            ["--listen", "unix:" + folder.path("s")], token.map { ["PAGINATORD_ACCESS_TOKEN": $0] } ?? [:])
        _ = try await service.listeningURL()
        let arguments = [
            "-sS", "-o", "/dev/null", "-w", "%{http_code}", "--unix-socket", folder.path("s"), "http://x/sessions",
        ]
        let curl = try await OtherProgram.run(URL(fileURLWithPath: "/usr/bin/curl"), arguments)
        #expect(curl.said == (token == nil ? "200" : "401"))
        #expect(try await service.stop() == 0)
    }

    @Test("A token is renewed on SIGHUP, a file that cannot be used leaves the old one, and sessions outlive both")
    func renewed() async throws {
        let folder = try OwnFolder()
        let file = folder.path("token")
        func write(_ text: String) throws {
            // In one step, as rotation does it.
            try Data(text.utf8).write(to: URL(fileURLWithPath: file), options: .atomic)
        }
        let tokens = ["first-0123456789abcdef", "second-0123456789abcdef", "third-0123456789abcdef"]
        try write(tokens[0] + "\n")
        let configuration = folder.path("c.json5")
        try Data("{ access: { tokens: { dashboard: { file: 'token' } } } }".utf8)
            .write(to: URL(fileURLWithPath: configuration))
        func start() throws -> RunningProgram {
            try Self.start(
                ["--listen", "127.0.0.1:0", "--config", configuration, "--data-directory", folder.path("data")],
                ["PAGINATORD_SESSIONS_STORE": "sqlite:sessions.db"])
        }
        var service = try start()
        var caller = try Caller(await service.listeningURL())
        func status(_ token: String) async throws -> Int {
            try await caller.call("GET", "/sessions", headers: Self.bearer(token)).status
        }
        func signal(until count: Int, _ word: String) async throws {
            service.signal(SIGHUP)
            let program = service
            try await eventually(word) { program.standardError.components(separatedBy: word).count > count }
        }
        let opened = try await caller.call(
            "POST", "/sessions", #"{"table":"incident"}"#, headers: Self.bearer(tokens[0]))
        let path = try #require(opened.headers["Location"])

        try write(tokens[1])
        #expect(try await status(tokens[0]) == 200)
        #expect(try await status(tokens[1]) == 401)
        try await signal(until: 1, "setting-renewed")
        #expect(try await status(tokens[0]) == 401)
        #expect(try await status(tokens[1]) == 200)
        #expect(try await caller.call("POST", path + "/next", headers: Self.bearer(tokens[1])).status == 200)

        for (number, text) in ["short", "", "a b c d e f g h i j k l m n"].enumerated() {
            try write(text)
            try await signal(until: number + 1, "setting-not-renewed")
            #expect(try await status(tokens[1]) == 200)
        }
        try FileManager.default.removeItem(atPath: file)
        try await signal(until: 4, "setting-not-renewed")
        #expect(try await status(tokens[1]) == 200)
        #expect(service.standardError.contains("access.tokens.dashboard"))

        // Many at once are no more than one, and a restart forgets the secret, not whose the session is.
        try write(tokens[2])
        for _ in 0..<50 { service.signal(SIGHUP) }
        let program = service
        try await eventually("the last token is known") { try await status(tokens[2]) == 200 }
        await caller.close()
        #expect(try await service.stop() == 0)
        try await program.silence()
        service = try start()
        caller = try Caller(await service.listeningURL())
        let session = try await caller.call("GET", path, headers: Self.bearer(tokens[2]))
        #expect(session["position"] == 1)
        #expect(program.standardError.contains("\"owner\":\"dashboard\""))
        for text in tokens { #expect(!(program.standardError + program.standardOutput).contains(text.prefix(16))) }
        await caller.close()
        #expect(try await service.stop() == 0)
    }

    @Test("One token opens up to its limit of sessions, and another token is not held up by that")
    func sessionsPerToken() async throws {
        let folder = try OwnFolder()
        let configuration = folder.path("c.json5")
        let text = "{ access: { tokens: { a: { env: 'A' }, b: { env: 'B' } } }, sessions: { maxPerOwner: 100 } }"
        try Data(text.utf8).write(to: URL(fileURLWithPath: configuration))
        let (first, second) = (Self.bearer("a-0123456789abcdef"), Self.bearer("b-0123456789abcdef"))
        let service = try Self.start(
            ["--listen", "127.0.0.1:0", "--config", configuration, "--log-level", "warning"],
            ["A": "a-0123456789abcdef", "B": "b-0123456789abcdef"])
        let caller = try Caller(await service.listeningURL())
        var statuses: [Int: Int] = [:]
        for _ in 0..<1000 {
            statuses[
                try await caller.call("POST", "/sessions", #"{"table":"incident"}"#, headers: first).status, default: 0] +=
                1
        }
        #expect(statuses == [201: 100, 429: 900])
        #expect(try await caller.call("POST", "/sessions", #"{"table":"incident"}"#, headers: second).status == 201)
        await caller.close()
        #expect(try await service.stop() == 0)
    }
}
