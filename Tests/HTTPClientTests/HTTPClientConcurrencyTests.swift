import EventLoops
import HTTPModel
import Testing

@testable import HTTPClient

@Suite("An HTTPClient under many tasks", .timeLimit(.minutes(10)))
struct HTTPClientConcurrencyTests {
    /// Answers the target, by turns with a length, in chunks, and with the end of the connection.
    private static let script: ScriptedServer.Script = { connection in
        while let request = connection.readRequest() {
            let target = String(request.split(separator: " ")[1])
            switch target.utf8.reduce(0, { $0 &+ Int($1) }) % 3 {
            case 0: connection.answer(Array(target.utf8))
            case 1:
                let size = String(target.utf8.count, radix: 16)
                connection.write(
                    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(size)\r\n\(target)\r\n0\r\n\r\n")
            default:
                connection.write("HTTP/1.1 200 OK\r\nConnection: close\r\n\r\n\(target)")
                return
            }
        }
    }

    @Test("Hundreds of tasks, with and without a preferred loop, each get their own answer")
    func many() async throws {
        let server = ScriptedServer(Self.script)
        defer { server.stop() }
        try await withClient(loops: 2) { client, group in
            for round in 0..<3 {
                let right = await withTaskGroup(of: Bool.self) { tasks in
                    for number in 0..<450 {
                        let loop: EventLoop? = number % 3 == 2 ? nil : group.loops[number % 3]
                        tasks.addTask(executorPreference: loop) {
                            let target = "/\(round)/\(number)"
                            let text = await client.text(of: server.url + target)
                            // A task that prefers a loop is on it again after the answer.
                            return text == target && (loop == nil || loop?.isCurrent == true)
                        }
                    }
                    return await tasks.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                #expect(right == 450)
            }
            #expect(server.requests.count == 3 * 450)
        }
    }

    @Test("Tasks that are cancelled at any moment disturb no other and are all resumed")
    func cancellations() async throws {
        let server = ScriptedServer(Self.script)
        defer { server.stop() }
        try await withClient(loops: 2) { client, group in
            var tasks: [(target: String, task: Task<Result<String, TransportError>, Never>)] = []
            for number in 0..<400 {
                let target = "/\(number)"
                let task = Task(executorPreference: number % 2 == 0 ? group.loops[number / 2 % 2] : nil) {
                    do throws(TransportError) {
                        let response = try await client.send(OutgoingRequest(url: server.url + target))
                        return Result<String, TransportError>.success(String(decoding: response.body, as: UTF8.self))
                    } catch {
                        return .failure(error)
                    }
                }
                tasks.append((target, task))
                if number % 4 == 3 { tasks[number - 2].task.cancel() }
            }
            for (number, entry) in tasks.enumerated() {
                switch await entry.task.value {
                case .success(let text): #expect(text == entry.target)
                case .failure(let error):
                    #expect(error == .cancelled)
                    #expect(number % 4 == 1)
                }
            }
        }
    }

    /// How far a transfer has come when it is cancelled.
    enum Phase: CaseIterable {
        case connecting
        case waiting
        case inHeader
        case inBody
    }

    @Test("Cancelling the task ends its transfer, however far it has come", arguments: Phase.allCases, [false, true])
    func cancel(_ phase: Phase, _ prefersLoop: Bool) async throws {
        let server = ScriptedServer { connection in
            if phase != .connecting { connection.readRequest() }
            if phase == .inHeader { connection.write("HTTP/1.1 200 OK\r\nX: ") }
            if phase == .inBody { connection.write("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nabc") }
            connection.waitUntilAcknowledged()
            connection.waitForEnd()
        }
        defer { server.stop() }
        try await withClient { client, group in
            let scheme = phase == .connecting ? "https" : "http"
            let url = "\(scheme)://127.0.0.1:\(server.port)/"
            let task = Task(executorPreference: prefersLoop ? group.loops[0] : nil) {
                await client.kind(of: OutgoingRequest(url: url))
            }
            #expect(await eventually { phase == .connecting ? server.open == 1 : server.requests.count == 1 })
            task.cancel()
            #expect(await task.value == .cancelled)
            // The connection is closed: the server's script comes to its end.
            #expect(await eventually { server.open == 0 })
        }
    }

    @Test("A task that is cancelled already sends nothing")
    func cancelledBefore() async throws {
        let server = ScriptedServer(Self.script)
        defer { server.stop() }
        try await withClient { client, group in
            for loop in [group.loops[0], nil] {
                let kind = await Task(executorPreference: loop) {
                    withUnsafeCurrentTask { $0?.cancel() }
                    return await client.kind(of: OutgoingRequest(url: server.url))
                }.value
                #expect(kind == .cancelled)
            }
            #expect(server.requests.isEmpty)
        }
    }

    @Test("Shutting down ends what runs and refuses what comes later")
    func shutdown() async throws {
        let server = ScriptedServer { $0.waitForEnd() }
        defer { server.stop() }
        try await withClient(loops: 2) { client, group in
            let tasks = (0..<10).map { _ in
                Task { await client.kind(of: OutgoingRequest(url: server.url)) }
            }
            #expect(await eventually { server.open == 10 })
            await client.shutdown()
            var kinds: [Kind] = []
            for task in tasks { kinds.append(await task.value) }
            #expect(kinds == Array(repeating: .cancelled, count: tasks.count))
            #expect(await eventually { server.open == 0 })
            #expect(await client.kind(of: OutgoingRequest(url: server.url)) == .cancelled)
            await group.shutdown()
            #expect(await client.kind(of: OutgoingRequest(url: server.url)) == .cancelled)
        }
    }

    @Test("A client that is given up closes its connections")
    func givenUp() async throws {
        let server = ScriptedServer(Self.script)
        defer { server.stop() }
        let group = try EventLoopGroup(count: 1)
        do {
            let client = HTTPClient(HTTPClientConfiguration(proxy: .direct), on: group)
            #expect(await client.text(of: server.url + "/c") != nil)
        }
        #expect(await eventually { server.open == 0 })
        await group.shutdown()
    }

    @Test("No more idle connections are kept than configured")
    func idleConnections() async throws {
        let server = ScriptedServer { connection in
            while connection.readRequest() != nil { connection.answer([]) }
        }
        defer { server.stop() }
        let configuration = HTTPClientConfiguration(proxy: .direct, maxIdleConnections: 2)
        try await withClient(configuration) { client, _ in
            let all = await withTaskGroup(of: Bool.self) { tasks in
                for _ in 0..<20 { tasks.addTask { await client.text(of: server.url) == "" } }
                return await tasks.allSatisfy { $0 }
            }
            #expect(all)
            #expect(await eventually { server.open <= 2 })
        }
    }
}
