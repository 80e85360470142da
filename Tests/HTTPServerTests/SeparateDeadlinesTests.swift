import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

/// Each deadline counts for itself, however short the idle time is.
@Suite(.timeLimit(.minutes(10))) struct SeparateDeadlinesTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    /// More than the system takes over, on both sides of a connection.
    private static let large = [UInt8](repeating: 0x61, count: 24 << 20)
    private static let idleTimeout = Duration.seconds(1)

    /// Where a peer pauses.
    enum Pause: CaseIterable {
        case newConnection, head, nextHead, body, chunks, answer

        /// Its own deadline.
        var deadline: any WritableKeyPath<HTTPServerConfiguration, Duration> & Sendable {
            switch self {
            case .newConnection, .head, .nextHead: \.headTimeout
            case .body, .chunks: \.bodyTimeout
            case .answer: \.stallTimeout
            }
        }

        /// Goes up to the pause.
        func begin(_ peer: RawConnection) async throws {
            let post = "POST / HTTP/1.1\r\nHost: a\r\n"
            switch self {
            case .newConnection: break
            case .head: try await peer.send("GET / HTTP/1.1\r\nHo")
            case .nextHead:
                try await peer.send(SeparateDeadlinesTests.request)
                #expect(try await peer.response().text == "ok")
                try await peer.send("GET / HTTP/1.1\r\nHo")
            case .body: try await peer.send(post + "Content-Length: 8\r\n\r\nhalf")
            case .chunks: try await peer.send(post + "Transfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n")
            case .answer:
                try await peer.send("GET /large HTTP/1.1\r\nHost: a\r\n\r\n")
                _ = try await peer.readHead()
            }
        }

        /// Goes on behind the pause, up to the whole answer.
        func end(_ peer: RawConnection) async throws {
            switch self {
            case .newConnection: try await peer.send(SeparateDeadlinesTests.request)
            case .head, .nextHead: try await peer.send("st: a\r\n\r\n")
            case .body: try await peer.send("half")
            case .chunks: try await peer.send("0\r\n\r\n")
            case .answer:
                #expect(try await peer.read(SeparateDeadlinesTests.large.count) == SeparateDeadlinesTests.large)
                return
            }
            #expect(try await peer.response().text == "ok")
        }
    }

    /// Runs a server, with TLS or without, and gives the closure a way to open connections to it.
    private func withServer(
        isTLS: Bool, _ change: (inout HTTPServerConfiguration) -> Void = { _ in },
        _ body: (TestServer, () throws -> RawConnection) async throws -> Void
    ) async throws {
        let responder = Answers { head in
            if head.target == "/large" { return .answer(Response(status: 200, body: .pieces([Self.large[...]]))) }
            return .body(limit: 100, tooLarge: { .text("", status: 413) }) { _ in .text("ok") }
        }
        var configuration = HTTPServerConfiguration.patient(change)
        configuration.idleTimeout = Self.idleTimeout
        guard isTLS else {
            return try await HTTPServerTests.withServer(configuration: configuration, responder: responder) { server in
                try await body(server) { try RawConnection(port: server.port, receiveBuffer: 64 << 10) }
            }
        }
        try await withIdentity { identity, _ in
            configuration.tls = identity
            try await HTTPServerTests.withServer(configuration: configuration, responder: responder) { server in
                try await withTemporaryDirectory { directory in
                    let tunnel = try TLSTunnel(to: server.port, in: directory)
                    try await body(server) { try tunnel.connect() }
                }
            }
        }
    }

    @Test("A peer that pauses for longer than a connection may be idle is not cut", arguments: [false, true])
    func pauses(isTLS: Bool) async throws {
        try await withServer(isTLS: isTLS) { server, open in
            var peers: [(Pause, RawConnection)] = []
            for pause in Pause.allCases {
                let peer = try await server.connect(within: Self.idleTimeout, opening: open) { peer, _ in
                    try await pause.begin(peer)
                }
                peers.append((pause, peer))
            }
            // When others have been cut because they were idle, the deadlines have been looked at. Twice, because what an
            // answer has left in the system goes on for a while.
            for _ in 0..<2 {
                let idle = try await server.connect(within: Self.idleTimeout, opening: open) { peer, _ in
                    try await peer.send(Self.request)
                    #expect(try await peer.response().text == "ok")
                }
                #expect(try await idle.readToEnd() == [])
            }
            for (pause, peer) in peers {
                await #expect(throws: Never.self, "\(pause)") { try await pause.end(peer) }
            }
        }
    }

    @Test("A peer that pauses is cut at that pause's own deadline", arguments: Pause.allCases, [false, true])
    func ends(pause: Pause, isTLS: Bool) async throws {
        let deadline = Duration.seconds(2)
        try await withServer(isTLS: isTLS, { $0[keyPath: pause.deadline] = deadline }) { server, open in
            var begin = ContinuousClock.now
            let peer = try await server.connect(within: Self.idleTimeout, opening: open) { peer, _ in
                begin = .now
                try await pause.begin(peer)
                // What has not reached the server yet cannot be cut.
                if !(await eventually { server.server.connectionCount == 1 }) { throw RawConnection.Failure.timedOut }
            }
            #expect(await eventually { server.server.connectionCount == 0 })
            // The loop's clock stands still while it is at work.
            #expect(begin.duration(to: .now) > deadline - .milliseconds(250))
            if pause == .answer {
                #expect(try await eventually { try await !hasUnsent(port: server.port) }, "the system has dropped it")
            }
            let rest = try await peer.readToEnd()
            #expect(pause == .answer ? rest.count < Self.large.count : rest.isEmpty)
        }
    }

    @Test("A connection that is idle is cut behind its idle time and no other", arguments: [false, true])
    func idle(isTLS: Bool) async throws {
        try await withServer(isTLS: isTLS) { server, open in
            var begin = ContinuousClock.now
            let peer = try await server.connect(within: Self.idleTimeout, opening: open) { peer, _ in
                begin = .now
                try await peer.send(Self.request)
                #expect(try await peer.response().text == "ok")
            }
            #expect(try await peer.readToEnd() == [])
            #expect(begin.duration(to: .now) > Self.idleTimeout - .milliseconds(250))
        }
    }

    @Test(
        "A handshake that does not come to its end is cut at the head's deadline", arguments: ["", "\u{16}\u{3}\u{1}"])
    func handshake(sent: String) async throws {
        let deadline = Duration.seconds(2)
        try await withServer(isTLS: true, { $0.headTimeout = deadline }) { server, _ in
            let begin = ContinuousClock.now
            let peer = try RawConnection(port: server.port)
            if !sent.isEmpty { try await peer.send(sent) }
            #expect(try await peer.readToEnd() == [])
            #expect(begin.duration(to: .now) > deadline - .milliseconds(250))
        }
    }

    @Test("The time between two answers is none in which the reader has stalled")
    func betweenAnswers() async throws {
        let stallTimeout = Duration.seconds(2)
        let bytes = Self.large[..<(4 << 20)]
        try await withTemporaryDirectory { directory in
            // On a Unix socket two answers that fill its buffer look the same.
            let path = directory + "/socket"
            try await HTTPServerTests.withServer(
                on: .unix(path: path), configuration: .patient { $0.stallTimeout = stallTimeout },
                responder: Answers { _ in .answer(Response(status: 200, body: .pieces([bytes]))) }
            ) { server in
                let peer = try await server.connect(
                    within: stallTimeout, opening: { try RawConnection(path: path) }
                ) { peer, pace in
                    for isFirst in [true, false] {
                        try await peer.send(Self.request)
                        // Long enough for the server to look at what the reader takes.
                        try await Task.sleep(for: stallTimeout * 0.3)
                        #expect(try await peer.response().body.count == bytes.count)
                        pace.step()
                        guard isFirst else { continue }
                        try await Task.sleep(for: stallTimeout)
                        pace = Pace()
                    }
                }
                await peer.close()
            }
        }
    }
}

/// Whether the system holds bytes for the peers of that port of this machine, be it for a connection that was closed.
private func hasUnsent(port: UInt16) async throws -> Bool {
    // Place, local and remote address, state, and what waits to be sent and to be read, all in hexadecimal digits.
    try await run("cat", "/proc/net/tcp").output.split(separator: "\n").dropFirst().contains { line in
        let parts = line.split(separator: " ")
        guard parts.count > 4, let local = parts[1].split(separator: ":").last.flatMap({ UInt16($0, radix: 16) }) else {
            return false
        }
        return local == port && !parts[4].hasPrefix("00000000:")
    }
}
