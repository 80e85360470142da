import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPServerLimitTests {
    private static let request = "GET / HTTP/1.1\r\nHost: a\r\n\r\n"
    private let answer = Answers.whole { _ in .text("ok") }

    @Test("Connections beyond the limit are closed at once, and there is room again when one goes")
    func connections() async throws {
        try await withServer(configuration: .patient { $0.maxConnections = 3 }, responder: answer) { server in
            let peers = try (0..<3).map { _ in try RawConnection(port: server.port) }
            for peer in peers {
                try await peer.send(Self.request)
                #expect(try await peer.response().text == "ok")
            }
            let excess = try RawConnection(port: server.port)
            #expect(try await excess.readToEnd() == [])
            for peer in peers {
                try await peer.send(Self.request)
                #expect(try await peer.response().text == "ok")
            }
            await peers[0].close()
            #expect(await eventually { server.server.connectionCount == 2 })
            let next = try RawConnection(port: server.port)
            try await next.send(Self.request)
            #expect(try await next.response().text == "ok")
        }
    }

    @Test("A head that does not come whole in time is cut", arguments: ["", "G", "GET / HTTP/1.1\r\nHost: a\r\n"])
    func headDeadline(sent: String) async throws {
        try await withServer(
            configuration: .patient { $0.headTimeout = .milliseconds(200) }, responder: answer
        ) { server in
            let peer = try RawConnection(port: server.port)
            if !sent.isEmpty { try await peer.send(sent) }
            #expect(try await peer.readToEnd() == [])
        }
    }

    @Test("A head that comes a byte at a time is cut though it never pauses for long")
    func slowHead() async throws {
        try await withServer(
            configuration: .patient { $0.headTimeout = .milliseconds(300) }, responder: answer
        ) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("GET / HTTP/1.1\r\nX-A: ")
            #expect(try await peer.isCut(sending: "x"))
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test("A body that does not come whole in time is cut")
    func bodyDeadline() async throws {
        try await withServer(
            configuration: .patient { $0.bodyTimeout = .milliseconds(200) }, responder: answer
        ) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\nfive.")
            #expect(try await peer.readToEnd() == [])
        }
    }

    @Test("A connection that stays idle after an answer is closed")
    func idle() async throws {
        try await withServer(
            configuration: .patient { $0.idleTimeout = .seconds(1) }, responder: answer
        ) { server in
            let peer = try await server.connect(within: .seconds(1)) { peer, _ in
                try await peer.send(Self.request)
                #expect(try await peer.response().text == "ok")
            }
            #expect(try await peer.readToEnd() == [])
        }
    }

    @Test("A request that waits for its answer longer than every deadline is not cut")
    func patience() async throws {
        let began = Box(0)
        let gate = Gate()
        let responder = Answers.whole { _ in
            began.change { $0 += 1 }
            await gate.wait()
            return .text("at last")
        }
        let configuration = HTTPServerConfiguration.patient {
            $0.headTimeout = .milliseconds(300)
            $0.bodyTimeout = .milliseconds(300)
            $0.idleTimeout = .seconds(1)
            $0.stallTimeout = .milliseconds(300)
        }
        try await withServer(configuration: configuration, responder: responder) { server in
            let peer = try await server.connect(within: .milliseconds(300)) { peer, _ in
                let before = began.value
                try await peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1\r\n\r\nx")
                _ = await eventually {
                    if began.value > before { return true }
                    return await peer.isReadable(within: .zero)
                }
                if began.value == before { throw RawConnection.Failure.ended(after: []) }
            }
            // When others have been cut, the deadlines have been looked at.
            for _ in 0..<2 {
                let impatient = try RawConnection(port: server.port)
                #expect(try await impatient.readToEnd() == [])
            }
            gate.open()
            #expect(try await peer.response().text == "at last")
        }
    }

    @Test("A stream that its reader leaves lying is cut")
    func stalled() async throws {
        let ended = Gate()
        let responder = Answers { _ in
            .answer(
                Response(
                    status: 200,
                    body: .stream { writer in
                        defer { ended.open() }
                        while true { try await writer.write([UInt8](repeating: 0x78, count: 100_000)[...]) }
                    }))
        }
        try await withServer(
            configuration: .patient { $0.stallTimeout = .milliseconds(200) }, responder: responder
        ) { server in
            let peer = try RawConnection(port: server.port, receiveBuffer: 16 << 10)
            try await peer.send(Self.request)
            await ended.wait()
        }
    }

    @Test("A head that libmicrohttpd has no room for is answered 431, and the message reaches the log")
    func headSize() async throws {
        let lines = Box<[String]>([])
        let configuration = HTTPServerConfiguration.patient {
            $0.maxHeadBytes = 8 << 10
            $0.log = { line in lines.change { $0.append(line) } }
        }
        try await withServer(configuration: configuration, responder: answer) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("GET / HTTP/1.1\r\nHost: a\r\nX-A: \(String(repeating: "x", count: 40 << 10))\r\n\r\n")
            #expect(try await peer.readHead().status == 431)
        }
        #expect(!lines.value.isEmpty)
        #expect(lines.value.allSatisfy { !$0.contains("\n") })
    }

    @Test(
        "Every head gets an answer, however near it is to the limit",
        arguments: stride(from: 7000, through: 8400, by: 100).map { $0 } + [8192, 8193, 20_000, 40_000])
    func headAtTheLimit(size: Int) async throws {
        let answer = Answers.whole { _ in
            Response(status: 200, headers: ["X-Long": String(repeating: "y", count: 8192)], body: .bytes([0x6F]))
        }
        try await withServer(configuration: .patient { $0.maxHeadBytes = 8 << 10 }, responder: answer) { server in
            let peer = try RawConnection(port: server.port)
            let start = "GET / HTTP/1.1\r\nHost: a\r\nX-A: "
            try await peer.send(start + String(repeating: "x", count: size - start.utf8.count - 4) + "\r\n\r\n")
            #expect(try await peer.readHead().status == (size <= 8 << 10 ? 200 : 431))
        }
    }

    @Test("A target above the limit is answered 414", arguments: [8193, 9000, 40_000])
    func targetSize(size: Int) async throws {
        try await withServer(configuration: .patient { $0.maxHeadBytes = 8 << 10 }, responder: answer) { server in
            let peer = try RawConnection(port: server.port)
            let target = "/" + String(repeating: "x", count: size - 1)
            try await peer.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await peer.readHead().status == 414)
        }
    }

    @Test(
        "A peer that ends its direction with its last bytes gets its answers and then the end, long before a deadline",
        arguments: [
            ("", 0), ("GET", 0), ("GET / HTTP/1.1\r\nHost: a\r\n", 0), (request, 1), (request + request, 2),
            (request + "GET /", 1), ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\n", 0),
            ("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 9\r\n\r\nhalf", 0),
            ("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nhalf\r\n", 0),
        ])
    func halfClosed(sent: String, answers: Int) async throws {
        try await withServer(responder: answer) { server in
            // Several, since the bytes and the end have to be there before the server looks.
            let peers = try (0..<8).map { _ in try RawConnection(port: server.port) }
            for peer in peers {
                try await peer.send(sent)
                await peer.finishSending()
            }
            for peer in peers {
                for _ in 0..<answers { #expect(try await peer.response().text == "ok") }
                #expect(try await peer.readToEnd() == [])
            }
        }
    }
}
