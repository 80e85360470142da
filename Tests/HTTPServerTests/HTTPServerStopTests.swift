import EventLoops
import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPServerStopTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"

    private func started(
        loops: Int = 2, _ responder: Answers
    ) async throws -> (server: HTTPServer, group: EventLoopGroup, port: UInt16) {
        let group = try EventLoopGroup(count: loops)
        let listener = try BoundListener(.tcp(host: "127.0.0.1", port: 0))
        let server = HTTPServer(
            listeners: [listener], configuration: .patient(), responder: responder, group: group)
        try await server.start()
        return (server, group, try #require(listener.port))
    }

    @Test("Requests under way when the server stops are answered, as their connections' last")
    func suspended() async throws {
        let began = Box(0)
        let gate = Gate()
        let (server, group, port) = try await started(
            .whole { _ in
                began.change { $0 += 1 }
                await gate.wait()
                return .text("answered")
            })
        var peers: [RawConnection] = []
        for _ in 0..<50 {
            let peer = try RawConnection(port: port)
            try await peer.send(Self.request)
            peers.append(peer)
        }
        #expect(await eventually { began.value == 50 })
        async let stopping: Void = server.stop(grace: .seconds(600))
        #expect(await eventually { server.isDraining })
        gate.open()
        for peer in peers {
            let answer = try await peer.response()
            #expect(answer.text == "answered")
            #expect(answer.headers["Connection"] == "close")
            #expect(try await peer.readToEnd() == [])
        }
        await stopping
        #expect(server.connectionCount == 0)
        await group.shutdown()
    }

    @Test("Idle connections are closed at once and new ones refused")
    func idle() async throws {
        let (server, group, port) = try await started(.whole { _ in .text("ok") })
        let used = try RawConnection(port: port)
        try await used.send(Self.request)
        #expect(try await used.response().text == "ok")
        let unused = try RawConnection(port: port)
        #expect(await eventually { server.connectionCount == 2 })
        await server.stop(grace: .seconds(600))
        #expect(try await used.readToEnd() == [])
        #expect(try await unused.readToEnd() == [])
        #expect(throws: RawConnection.Failure.self) { _ = try RawConnection(port: port) }
        await group.shutdown()
    }

    @Test("Requests that are never answered are cut after the grace, and the process lives")
    func cut() async throws {
        let began = Box(0)
        let gate = Gate()
        let (server, group, port) = try await started(
            .whole { _ in
                began.change { $0 += 1 }
                await gate.wait()
                return .text("too late")
            })
        let peers = try (0..<10).map { _ in try RawConnection(port: port) }
        for peer in peers { try await peer.send(Self.request) }
        #expect(await eventually { began.value == 10 })
        await server.stop(grace: .milliseconds(50))
        for peer in peers { #expect(try await peer.readToEnd() == []) }
        #expect(server.connectionCount == 0)
        // The tasks end after their connections, and their answers go nowhere.
        gate.open()
        await group.shutdown()
    }

    @Test("Ending the grace cuts what is under way, whether the stop has begun or not", arguments: [true, false])
    func endGrace(early: Bool) async throws {
        let began = Box(0)
        let gate = Gate()
        let (server, group, port) = try await started(
            .whole { _ in
                began.change { $0 += 1 }
                await gate.wait()
                return .text("too late")
            })
        let peer = try RawConnection(port: port)
        try await peer.send(Self.request)
        #expect(await eventually { began.value == 1 })
        if early { server.endGrace() }
        async let stopping: Void = server.stop(grace: .seconds(600))
        if !early {
            #expect(await eventually { server.isDraining })
            server.endGrace()
        }
        await stopping
        #expect(try await peer.readToEnd() == [])
        #expect(server.connectionCount == 0)
        gate.open()
        await group.shutdown()
    }

    @Test(
        "Open streams are cancelled; what they still write is sent, and how they end is the producer's own",
        arguments: [true, false])
    func streams(endsWell: Bool) async throws {
        let ended = Box(0)
        let responder = Answers { _ in
            .answer(
                Response(
                    status: 200,
                    body: .stream { writer in
                        try await writer.write(Array("open".utf8)[...])
                        while !Task.isCancelled {
                            try? await EventLoop.current?.sleep(for: .milliseconds(10))
                            try await writer.write(Array("more".utf8)[...])
                        }
                        try await writer.write(Array("bye".utf8)[...])
                        ended.change { $0 += 1 }
                        if !endsWell { throw CancellationError() }
                    }))
        }
        let (server, group, port) = try await started(responder)
        let peers = try (0..<20).map { _ in try RawConnection(port: port) }
        for peer in peers {
            try await peer.send(Self.request)
            _ = try await peer.readHead()
        }
        await server.stop(grace: .seconds(600))
        for peer in peers {
            let rest = String(decoding: try await peer.readToEnd(), as: UTF8.self)
            #expect(rest.hasSuffix(endsWell ? "bye\r\n0\r\n\r\n" : "bye\r\n"))
        }
        #expect(ended.value == 20)
        await group.shutdown()
    }

    @Test("A stream whose producer does not end, and one whose reader does not read, are cut after the grace")
    func stubbornStreams() async throws {
        let gate = Gate()
        let responder = Answers { head in
            .answer(
                Response(
                    status: 200,
                    body: .stream { writer in
                        if head.target == "/waits" { return await gate.wait() }
                        while true { try await writer.write([UInt8](repeating: 0x78, count: 100_000)[...]) }
                    }))
        }
        let (server, group, port) = try await started(responder)
        let waiting = try RawConnection(port: port)
        try await waiting.send("GET /waits HTTP/1.1\r\nHost: a\r\n\r\n")
        let unread = try RawConnection(port: port, receiveBuffer: 16 << 10)
        try await unread.send(Self.request)
        _ = try await waiting.readHead()
        _ = try await unread.readHead()
        await server.stop(grace: .milliseconds(50))
        #expect(try await waiting.readToEnd() == [])
        gate.open()
        await group.shutdown()
    }

    @Test("Running ends in order when its task is cancelled")
    func run() async throws {
        let group = try EventLoopGroup(count: 1)
        let listener = try BoundListener(.tcp(host: "127.0.0.1", port: 0))
        let server = HTTPServer(
            listeners: [listener], configuration: .patient(), responder: Answers.whole { _ in .text("ok") },
            group: group)
        let running = Task { try await server.run(grace: .seconds(5)) }
        let peer = try RawConnection(port: try #require(listener.port))
        try await peer.send(Self.request)
        #expect(try await peer.response().text == "ok")
        running.cancel()
        try await running.value
        #expect(server.isDraining)
        #expect(try await peer.readToEnd() == [])
        await group.shutdown()
    }

    @Test("Stopping a server twice, or one that was never started, returns")
    func stopTwice() async throws {
        let (server, group, _) = try await started(.whole { _ in .text("") })
        await server.stop(grace: .zero)
        await server.stop(grace: .zero)
        let listener = try BoundListener(.tcp(host: "127.0.0.1", port: 0))
        await HTTPServer(listeners: [listener], responder: Answers.whole { _ in .text("") }, group: group)
            .stop(grace: .zero)
        await group.shutdown()
    }
}
