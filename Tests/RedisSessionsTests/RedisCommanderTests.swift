import EventLoops
import PaginatordTesting
import Synchronization
import TableAPI
import Testing

@testable import RedisSessions

/// What a commander makes of a server that does whatever it likes.
@Suite(.timeLimit(.minutes(10)), .serialized) struct RedisCommanderTests {
    /// A commander on a loop of its own.
    private final class Line: Sendable {
        let group: EventLoopGroup
        let commander: RedisCommander
        let changes = Mutex<[RedisError?]>([])

        init(_ configuration: RedisConfiguration) throws {
            group = try EventLoopGroup(count: 1)
            let list = WeakChanges()
            commander = RedisCommander(configuration, on: group.loops[0]) { error in
                list.line.withLock { $0.value }?.changes.withLock { $0.append(error) }
            }
            list.line.withLock { $0.value = self }
            commander.loop.execute { [commander] in commander.start() }
        }

        convenience init(_ address: RedisAddress, _ change: (inout RedisConfiguration) -> Void = { _ in }) throws {
            var configuration = RedisConfiguration.patient(address)
            change(&configuration)
            try self.init(configuration)
        }

        convenience init(port: Int, _ change: (inout RedisConfiguration) -> Void = { _ in }) throws {
            try self.init(.network(host: "127.0.0.1", port: port), change)
        }

        func send(_ words: RedisCommand.Argument...) async -> Result<RedisReply, RedisError> {
            do { return .success(try await commander.send(RedisCommand(words))) } catch { return .failure(error) }
        }

        func isReady() async {
            while await (try? send("PING").get()) == nil { await Task.yield() }
        }

        func stop() async {
            await commander.loop.run { [commander] in commander.close() }
            await group.shutdown()
        }

        private final class WeakChanges: Sendable {
            struct Box {
                weak var value: Line?
            }
            let line = Mutex(Box())
        }
    }

    /// What any server answers to the introduction.
    private static func introduction(_ command: [String]) -> ScriptedRedis.Answer? {
        switch command[0] {
        case "AUTH", "SELECT": .init("+OK\r\n")
        case "SUBSCRIBE", "UNSUBSCRIBE": .init("*0\r\n")
        case "EVAL": .init(":1\r\n")
        default: nil
        }
    }

    @Test("It introduces itself with user, password and database before anything else", arguments: [nil, "reader"])
    func introduction(username: String?) async throws {
        let server = ScriptedRedis { command, _ in Self.introduction(command) ?? .init("+PONG\r\n") }
        let line = try Line(port: server.port) {
            ($0.username, $0.password, $0.database) = (username, Secret("p w\r\n\u{e9}"), 3)
        }
        #expect(await line.send("PING") == .success(.status("PONG")))
        let password = "p w\r\n\u{e9}"
        #expect(
            server.commands.map { $0.first == "EVAL" ? ["EVAL"] : $0 } == [
                ["AUTH"] + [username, password].compactMap { $0 }, ["SELECT", "3"],
                ["SUBSCRIBE", "paginatord:events:probe"], ["UNSUBSCRIBE", "paginatord:events:probe"], ["EVAL"],
                ["PING"],
            ])
        await line.stop()
        server.stop()
    }

    @Test("Every kind of reply is understood, whole or byte by byte", arguments: [false, true])
    func replies(isDribbled: Bool) async throws {
        let kinds: [(String, Result<RedisReply, RedisError>)] = [
            ("+OK\r\n", .success(.status("OK"))), (":-9223372036854775808\r\n", .success(.integer(.min))),
            ("$0\r\n\r\n", .success(.bytes([]))), ("$5\r\n\u{0}\r\n\"\u{1}\r\n", .success(.bytes([0, 13, 10, 34, 1]))),
            ("$-1\r\n", .success(.null)), ("*-1\r\n", .success(.null)), ("*0\r\n", .success(.array([]))),
            (
                "*3\r\n:1\r\n*2\r\n$1\r\na\r\n$-1\r\n-ERR x\r\n",
                .success(.array([.integer(1), .array([.bytes([97]), .null]), .failure("ERR x")]))
            ),
            ("-ERR wrong\r\n", .failure(.refused(.other, "ERR wrong"))),
            ("-OOM too much\r\n", .failure(.refused(.outOfMemory, "OOM too much"))),
            (
                "-ERR Error running script (call to f_0a): @user_script:4: -OOM too much\r\n",
                .failure(
                    .refused(
                        .outOfMemory, "ERR Error running script (call to f_0a): @user_script:4: -OOM too much"))
            ),
            ("-BUSY a script\r\n", .failure(.refused(.busy, "BUSY a script"))),
        ]
        let server = ScriptedRedis { command, _ in
            Self.introduction(command)
                ?? .init(bytes: Array(kinds[Int(command[1]) ?? 0].0.utf8), isDribbled: isDribbled)
        }
        let line = try Line(port: server.port)
        for (number, kind) in kinds.enumerated() { #expect(await line.send("GET", .integer(number)) == kind.1) }
        #expect(server.accepted == 1)
        await line.stop()
        server.stop()
    }

    @Test("A reply that is cut at any byte is lost, never half of it; the next connection goes on")
    func cut() async throws {
        let whole = Array("*2\r\n$4\r\nab\r\n\r\n:12\r\n".utf8)
        for length in 0..<whole.count {
            let server = ScriptedRedis { command, connection in
                if let answer = Self.introduction(command) { return answer }
                return connection == 1 ? .init(bytes: Array(whole[..<length]), isLast: true) : .init(bytes: whole)
            }
            let line = try Line(port: server.port)
            guard case .failure(.lost) = await line.send("GET", "x") else {
                Issue.record("cut after \(length) bytes")
                return
            }
            try await eventually("it is back") {
                await line.send("GET", "x") == .success(.array([.bytes(Array("ab\r\n".utf8)), .integer(12)]))
            }
            #expect(server.accepted == 2)
            await line.stop()
            server.stop()
        }
    }

    @Test(
        "A server that is of no use as it is, is left and tried again until it is",
        arguments: ["LOADING", "NOAUTH", "WRONGPASS", "NOPERM", "MOVED", "READONLY", "MISCONF", "WRONGTYPE", "ERR"])
    func unusable(word: String) async throws {
        let isTold = Gate()
        let server = ScriptedRedis { command, connection in
            if command[0] == "EVAL", connection < 4 || !isTold.isOpen { return .init("-\(word) says the server\r\n") }
            return Self.introduction(command) ?? .init("+PONG\r\n")
        }
        let line = try Line(port: server.port)
        #expect(
            await line.send("PING")
                == .failure(.refused(RedisError.Refusal(rawValue: word) ?? .other, "\(word) says the server")))
        isTold.open()
        try await eventually("it is back") { await line.send("PING") == .success(.status("PONG")) }
        #expect(server.accepted >= 4)
        #expect(line.changes.withLock { $0.filter { $0 != nil }.count } == server.accepted - 1)
        #expect(line.changes.withLock { $0.last == .some(nil) })
        await line.stop()
        server.stop()
    }

    @Test(
        "A server that becomes a replica, or takes rights away, is left, be it a script that shows so",
        arguments: [
            "READONLY You can't write", "NOPERM this user may not",
            // What servers before version 7 make of it.
            "ERR Error running script (call to f_0a): @user_script:4: -READONLY You can't write",
            "ERR Error running script (call to f_0a): @user_script:4: -NOPERM this user may not",
            "ERR The user executing the script can't run this command or subcommand script: 0a, on @user_script:4.",
            "ERR ACL failure in script: User pages has no permissions to run the 'publish' command script: on @user_script:11.",
        ])
    func demoted(text: String) async throws {
        let server = ScriptedRedis { command, connection in
            if command[0] == "SET", connection == 1 { return .init("-\(text)\r\n") }
            return Self.introduction(command) ?? .init("+OK\r\n")
        }
        let line = try Line(port: server.port)
        let refusal: RedisError.Refusal = text.contains("READONLY") ? .readOnly : .noPermission
        #expect(await line.send("SET", "a", "b") == .failure(.refused(refusal, text)))
        try await eventually("it is back") { await line.send("SET", "a", "b") == .success(.status("OK")) }
        #expect(server.accepted == 2)
        await line.stop()
        server.stop()
    }

    @Test(
        "What is no Redis, or sends what nobody asked for, is left",
        arguments: ["HTTP/1.1 400\r\n", "+HELLO\r\n+X\r\n", "$-7\r\n"])
    func foreign(text: String) async throws {
        let server = ScriptedRedis { command, connection in
            if connection == 1 { return .init(text) }
            return Self.introduction(command) ?? .init("+PONG\r\n")
        }
        let line = try Line(port: server.port)
        // The probe's answer is whatever comes; so the second line, or the next command, shows it.
        _ = await line.send("PING")
        try await eventually("it is back") { await line.send("PING") == .success(.status("PONG")) }
        #expect(server.accepted == 2)
        await line.stop()
        server.stop()
    }

    @Test("A command that is not answered in time is lost, with those behind it, and the connection is made anew")
    func silent() async throws {
        let silent = [["GET", "a"], ["GET", "b"]]
        let server = ScriptedRedis { command, _ in
            silent.contains(command) ? nil : Self.introduction(command) ?? .init("+PONG\r\n")
        }
        let line = try Line(port: server.port) { $0.commandTimeout = .seconds(2) }
        await line.isReady()
        let accepted = server.accepted
        let results = await withCheckedContinuation { done in
            line.commander.loop.execute { [commander = line.commander] in
                var results: [Result<RedisReply, RedisError>] = []
                for command in silent {
                    commander.send(RedisCommand(command.map { .text($0) })) { result in
                        results.append(result)
                        if results.count == silent.count { done.resume(returning: results) }
                    }
                }
            }
        }
        for result in results {
            guard case .failure(.lost) = result else {
                Issue.record("\(result)")
                continue
            }
        }
        try await eventually("it is back") { await line.send("GET", "c") == .success(.status("PONG")) }
        #expect(server.accepted > accepted)
        await line.stop()
        server.stop()
    }

    @Test("While nobody listens commands are refused at once, unsent; they work once somebody does")
    func absent() async throws {
        let server = ScriptedRedis { command, _ in Self.introduction(command) ?? .init("+PONG\r\n") }
        let port = server.port
        server.stop()
        let line = try Line(port: port)
        for _ in 0..<20 {
            guard case .failure(.away(let reason)) = await line.send("PING") else {
                Issue.record("nobody is there")
                return
            }
            #expect(reason.contains("127.0.0.1:\(port)"))
        }
        await line.stop()
        #expect(await line.send("PING") == .failure(.stopped))
    }

    @Test("A host is looked up by its name, and each of its addresses is tried")
    func named() async throws {
        let server = ScriptedRedis { command, _ in Self.introduction(command) ?? .init("+PONG\r\n") }
        let line = try Line(.network(host: "localhost", port: server.port))
        #expect(await line.send("PING") == .success(.status("PONG")))
        await line.stop()
        server.stop()
    }

    @Test("A host that is not found, a path that leads nowhere, a silent port: away, with the reason")
    func unreachable() async throws {
        let silent = ScriptedRedis { _, _ in nil }
        let addresses: [RedisAddress] = [
            .network(host: "no-such-host.invalid", port: 1), .socket(path: "/nonexistent/redis.sock"),
            .socket(path: "/etc/passwd"), .network(host: "127.0.0.1", port: silent.port),
        ]
        for address in addresses {
            let line = try Line(address) { $0.connectTimeout = .milliseconds(100) }
            guard case .failure(.away(let reason)) = await line.send("PING") else {
                Issue.record("\(address)")
                return
            }
            #expect(!reason.isEmpty && !reason.contains("\n"))
            await line.stop()
        }
        silent.stop()
    }

    @Test("Commands from many tasks are answered each with its own reply, whatever bytes they hold")
    func pipelined() async throws {
        let server = try RedisServer()
        let line = try Line(.socket(path: server.socketPath))
        let sizes = [0, 1, 16_383, 16_384, 16_385, 1 << 20]
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<24 {
                group.addTask {
                    let bytes = (0..<sizes[number % sizes.count]).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ number) }
                    let key = RedisCommand.Argument.bytes([0, 13, 10, UInt8(number)])
                    #expect(await line.send("SET", key, .bytes(bytes)) == .success(.status("OK")))
                    for _ in 0..<5 { #expect(await line.send("GET", key) == .success(.bytes(bytes))) }
                }
            }
            try await group.waitForAll()
        }
        await line.stop()
    }

    @Test("A server that is killed and started again is found again by itself; a frozen one is left")
    func restarted() async throws {
        let server = try RedisServer()
        let line = try Line(.socket(path: server.socketPath)) { $0.commandTimeout = .seconds(2) }
        for signal in ["kill", "stop", "freeze"] {
            await line.isReady()
            switch signal {
            case "kill": server.kill()
            case "stop": server.stop()
            default: server.freeze()
            }
            guard case .failure = await line.send("PING") else {
                Issue.record("\(signal): it is not there")
                return
            }
            if signal == "freeze" { server.thaw() } else { try server.start() }
            try await eventually("it is back after \(signal)") { await line.send("PING") == .success(.status("PONG")) }
        }
        await line.stop()
    }

    @Test("Closing fails what is under way")
    func closing() async throws {
        let server = ScriptedRedis { command, _ in Self.introduction(command) }
        let line = try Line(port: server.port)
        async let result = line.send("GET", "a")
        try await eventually("it is sent") { server.commands.contains(["GET", "a"]) }
        await line.stop()
        #expect(await result == .failure(.stopped))
        server.stop()
    }
}

@Suite(.timeLimit(.minutes(10))) struct BackOffTests {
    @Test("Rests grow to two seconds, vary, and begin anew")
    func grows() {
        var generator = SeededGenerator(seed: 7)
        var backOff = BackOff()
        var seen: Set<Duration> = []
        for round in 0..<20 {
            let whole = Duration.milliseconds(min(2000, 25 << min(round, 10)))
            let rest = backOff.next(using: &generator)
            #expect((whole / 2 - .milliseconds(1)...whole).contains(rest))
            seen.insert(rest)
        }
        #expect(seen.count > 15)
        backOff.reset()
        #expect(backOff.next(using: &generator) <= .milliseconds(25))
    }
}

@Suite(.timeLimit(.minutes(10))) struct FirstInFirstOutTests {
    @Test("What goes in first comes out first, however much it is used")
    func order() {
        var row = FirstInFirstOut<Int>()
        var (added, taken) = (0, 0)
        for step in 0..<20_000 {
            let count = step % 7
            for _ in 0..<count {
                row.append(added)
                added += 1
            }
            for _ in 0..<(step < 10_000 ? 2 : 4) {
                #expect(row.first == (taken < added ? taken : nil))
                let element = row.popFirst()
                #expect(element == (taken < added ? taken : nil))
                if element != nil { taken += 1 }
            }
            #expect(row.isEmpty == (taken == added))
        }
        while row.popFirst() != nil { taken += 1 }
        #expect(taken == added && row.isEmpty)
    }
}
