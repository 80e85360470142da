import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

/// Peers that do something all the time, and never enough of it.
@Suite(.timeLimit(.minutes(10))) struct SlowPeerTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private static let large = [UInt8](repeating: 0x61, count: 24 << 20)

    /// How a large answer is made.
    enum Body: CaseIterable {
        case pieces, stream, knownLength

        var response: Response {
            let bytes = SlowPeerTests.large
            switch self {
            case .pieces: return Response(status: 200, body: .pieces([bytes[...]]))
            case .stream, .knownLength:
                return Response(
                    status: 200, headers: self == .stream ? [:] : ["Content-Length": "\(bytes.count)"],
                    body: .stream { writer in
                        for start in stride(from: 0, to: bytes.count, by: 1 << 16) {
                            try await writer.write(bytes[start..<min(start + 1 << 16, bytes.count)])
                        }
                    })
            }
        }
    }

    @Test("A body that comes a byte at a time is cut though it never pauses for long", arguments: [true, false])
    func slowBody(isChunked: Bool) async throws {
        try await withServer(
            configuration: .patient { $0.bodyTimeout = .milliseconds(300) },
            responder: Answers.whole { _ in .text("ok") }
        ) { server in
            let peer = try RawConnection(port: server.port)
            let framing = isChunked ? "Transfer-Encoding: chunked" : "Content-Length: 100000"
            try await peer.send("POST / HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
            #expect(try await peer.isCut(sending: isChunked ? "1\r\nx\r\n" : "x"))
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test(
        "On a kept-alive connection, too, a head that comes a byte at a time is cut",
        arguments: ["", "\r\n", String(repeating: "\r\n", count: 20), "GET /2 HTTP/1.1\r\nX-A: "], [true, false])
    func slowNextHead(begin: String, isApart: Bool) async throws {
        try await withServer(
            configuration: .patient { $0.headTimeout = .seconds(1) }, responder: Answers.whole { _ in .text("ok") }
        ) { server in
            let peer = try await server.connect(within: .seconds(1)) { peer, _ in
                try await peer.send(Self.request + (isApart ? "" : begin))
                #expect(try await peer.response().text == "ok")
            }
            if isApart, !begin.isEmpty { try await peer.send(begin) }
            #expect(try await peer.isCut(sending: "x"))
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test("A peer that takes its answer a byte at a time is cut", arguments: Body.allCases, [true, false])
    func trickle(body: Body, isUnix: Bool) async throws {
        let configuration = HTTPServerConfiguration.patient { $0.stallTimeout = .milliseconds(300) }
        try await withTemporaryDirectory { directory in
            let path = directory + "/socket"
            try await withServer(
                on: isUnix ? .unix(path: path) : .tcp(host: "127.0.0.1", port: 0), configuration: configuration,
                responder: Answers { _ in .answer(body.response) }
            ) { server in
                let peer =
                    isUnix
                    ? try RawConnection(path: path) : try RawConnection(port: server.port, receiveBuffer: 4 << 10)
                try await peer.send(Self.request)
                // What a Unix socket gives away counts, so there nothing is taken.
                if isUnix {
                    #expect(await peer.isReadable())
                    #expect(await eventually { server.server.connectionCount == 0 })
                    return
                }
                let isCut = await eventually {
                    // There may be nothing more to take before the server has noticed.
                    try? await peer.takeByte()
                    return server.server.connectionCount == 0
                }
                #expect(isCut)
            }
        }
    }

    @Test("A peer that reads steadily gets all of its answer, however long that takes", arguments: Body.allCases)
    func steady(body: Body) async throws {
        let configuration = HTTPServerConfiguration.patient { $0.stallTimeout = .seconds(1) }
        try await withServer(configuration: configuration, responder: Answers { _ in .answer(body.response) }) {
            server in
            let peer = try await server.connect(within: .seconds(1), receiveBuffer: 64 << 10) { peer, pace in
                try await peer.send(Self.request)
                _ = try await peer.readHead()
                var count = 0
                // Chunks have a little more than the bytes.
                while count < Self.large.count {
                    count += try await peer.read(128 << 10).count
                    try await Task.sleep(for: .milliseconds(16))
                    pace.step()
                }
            }
            #expect(await eventually { server.server.connectionCount == 1 })
            await peer.close()
        }
    }

    @Test("A stream that waits for its producer is not cut, however long nothing comes")
    func quietStream() async throws {
        let gate = Gate()
        let configuration = HTTPServerConfiguration.patient {
            $0.stallTimeout = .milliseconds(300)
            $0.headTimeout = .milliseconds(300)
        }
        let responder = Answers { _ in
            .answer(
                Response(
                    status: 200,
                    body: .stream { writer in
                        try await writer.write([0x61])
                        await gate.wait()
                        try await writer.write([0x62])
                    }))
        }
        try await withServer(configuration: configuration, responder: responder) { server in
            let peer = try await server.connect(within: .milliseconds(300)) { peer, _ in
                try await peer.send(Self.request)
                _ = try await peer.readHead()
            }
            // When others have been cut three times, the deadlines have been looked at as often.
            for _ in 0..<3 {
                let impatient = try RawConnection(port: server.port)
                #expect(try await impatient.readToEnd() == [])
            }
            gate.open()
            #expect(
                String(decoding: try await peer.read(17), as: UTF8.self) == "1\r\na\r\n1\r\nb\r\n0\r\n\r\n".prefix(17))
        }
    }
}
