import EventLoops
import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPServerLoadTests {
    /// Every entry to libmicrohttpd asserts, in a debug build, that it happens on its loop's thread: so this test
    /// proves it for tasks that an actor shared by two loops has sent from one thread to the other.
    @Test("Under load from two loops through one shared actor every answer is right and on its own loop")
    func sharedActor() async throws {
        let (connections, requests) = (100, 30)
        let ledger = Ledger()
        let responder = Answers { head in
            if head.target.hasPrefix("/stream") {
                return .answer(
                    Response(
                        status: 200,
                        body: .stream { writer in
                            for _ in 0..<5 {
                                let piece = await ledger.note(head.target)
                                try await writer.write(Array(piece.utf8)[...])
                            }
                        }))
            }
            return .body(limit: 100, tooLarge: { .text("", status: 413) }) { request in
                _ = await ledger.note(request.head.target)
                if request.head.target.hasSuffix("7") { await ledger.pause() }
                let note = await ledger.note(request.head.target)
                return .text(note + String(decoding: request.body, as: UTF8.self))
            }
        }
        try await withServer(loops: 2, responder: responder) { server in
            try await withThrowingTaskGroup { group in
                for connection in 0..<connections {
                    group.addTask {
                        let peer = try RawConnection(port: server.port)
                        for number in 0..<requests {
                            let id = connection * requests + number
                            switch id % 3 {
                            case 0:
                                try await peer.send("GET /get/\(id) HTTP/1.1\r\nHost: a\r\n\r\n")
                                #expect(try await peer.response().text == "/get/\(id)")
                            case 1:
                                try await peer.send(
                                    "POST /post/\(id) HTTP/1.1\r\nHost: a\r\nContent-Length: 2\r\n\r\nhi")
                                #expect(try await peer.response().text == "/post/\(id)hi")
                            default:
                                try await peer.send("GET /stream/\(id) HTTP/1.1\r\nHost: a\r\n\r\n")
                                #expect(try await peer.response().text == String(repeating: "/stream/\(id)", count: 5))
                            }
                        }
                        await peer.close()
                    }
                }
                try await group.waitForAll()
            }
            #expect(await eventually { server.server.connectionCount == 0 })
        }
        #expect(await ledger.count == connections * requests / 3 * (2 + 2 + 5))
        #expect(await ledger.loops.count == 2)
    }

    @Test("Connections are spread evenly over the loops, and a loop that has lost some gets the next")
    func spread() async throws {
        let responder = Answers { _ in .answer(.text(EventLoop.current?.name ?? "none")) }
        try await withServer(loops: 3, responder: responder) { server in
            func open(_ count: Int) async throws -> [(peer: RawConnection, loop: String)] {
                var opened: [(RawConnection, String)] = []
                for _ in 0..<count {
                    let peer = try RawConnection(port: server.port)
                    try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                    opened.append((peer, try await peer.response().text))
                }
                return opened
            }
            let first = try await open(9)
            let counts = Dictionary(grouping: first, by: \.loop).mapValues(\.count)
            #expect(counts == ["loop-0": 3, "loop-1": 3, "loop-2": 3])
            for (peer, loop) in first where loop == "loop-1" { await peer.close() }
            #expect(await eventually { server.server.connectionCount == 6 })
            let second = try await open(3)
            #expect(second.map(\.loop) == ["loop-1", "loop-1", "loop-1"])
        }
    }
}

/// What all requests of both loops share.
private actor Ledger {
    private(set) var count = 0
    private(set) var loops: Set<String> = []

    func note(_ target: String) -> String {
        count += 1
        if let loop = EventLoop.current { loops.insert(loop.name) }
        return target
    }

    func pause() async {
        await Task.yield()
    }
}
