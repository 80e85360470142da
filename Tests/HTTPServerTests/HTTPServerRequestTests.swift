import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPServerRequestTests {
    @Test("Requests follow one another on one connection, and bodies do not run into each other")
    func keepAlive() async throws {
        let echo = Answers.whole { request in
            .text("\(request.head.method) \(request.head.target) \(String(decoding: request.body, as: UTF8.self))")
        }
        try await withServer(responder: echo) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await peer.response().text == "GET /1 ")
            try await peer.send("POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 5\r\n\r\nhello")
            #expect(try await peer.response().text == "POST /2 hello")
            try await peer.send("DELETE /3 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\r\n\r\n")
            let last = try await peer.response()
            #expect(last.text == "DELETE /3 ")
            #expect(last.headers["Connection"] == nil)
            #expect(server.server.connectionCount == 1)
        }
    }

    @Test("A body in chunks is its connection's last, and what follows it is read by nobody", arguments: [true, false])
    func chunkedIsLast(isRead: Bool) async throws {
        let targets = Box<[String]>([])
        let responder = Answers { head in
            targets.change { $0.append(head.target) }
            if !isRead { return .answer(.text("unread")) }
            return .body(limit: 10, tooLarge: { .text("", status: 413) }) {
                .text(String(decoding: $0.body, as: UTF8.self))
            }
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            let head = "PUT /1 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: Chunked\r\n\r\n"
            try await peer.send(head + "3\r\nabc\r\n4\r\ndefg\r\n0\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try await peer.response()
            #expect(answer.text == (isRead ? "abcdefg" : "unread"))
            #expect(answer.headers["Connection"] == "close")
            #expect(try await peer.readToEnd() == [])
        }
        #expect(targets.value == ["/1"])
    }

    @Test("Requests sent in one write are answered in order", arguments: [true, false])
    func pipelining(answeredByHead: Bool) async throws {
        let responder = Answers { head in
            let answer = Response.text(head.target)
            if answeredByHead { return .answer(answer) }
            return .body(limit: 10, tooLarge: { .text("", status: 413) }) { _ in
                // Every other one suspends its connection.
                if head.target.hasSuffix("0") { await elsewhere() }
                return answer
            }
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send((0..<50).map { "GET /\($0) HTTP/1.1\r\nHost: a\r\n\r\n" }.joined())
            for number in 0..<50 { #expect(try await peer.response().text == "/\(number)") }
        }
    }

    private func recording(_ heads: Box<[RequestHead]>) -> Answers {
        Answers { head in
            heads.change { $0.append(head) }
            return .answer(.text("ok"))
        }
    }

    @Test(
        "Blanks around a header's value are no part of it, those within are",
        arguments: ["", " ", "\t", "  ", " \t \t"], ["a", "a b", "\"x \"", "é", ""])
    func blanks(around blanks: String, value: String) async throws {
        let heads = Box<[RequestHead]>([])
        try await withServer(responder: recording(heads)) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("GET / HTTP/1.1\r\nHost: h \r\nX-A:\(blanks)\(value)\(blanks)\r\n\r\n")
            #expect(try await peer.response().status == 200)
        }
        #expect(heads.value.map { $0.headers["Host"] } == ["h"])
        #expect(heads.value.map { $0.headers["X-A"] } == [value])
    }

    @Test("The head arrives as it was sent: method, undecoded target, version, repeated headers in order")
    func head() async throws {
        let heads = Box<[RequestHead]>([])
        try await withServer(responder: recording(heads)) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(
                "get /a%2fb/../%00?x=%00&&y=+%zz HTTP/1.1\r\nHost: h\r\nX-A: 1\r\nx-b:  2 \r\nX-A: 3\r\n\r\n")
            #expect(try await peer.response().status == 200)
            let other = try RawConnection(port: server.port)
            try await other.send("GET http://other/x HTTP/1.0\r\n\r\n")
            #expect(try await other.response().status == 200)
        }
        let received = heads.value
        try #require(received.count == 2)
        #expect(received[0].method == "get")
        #expect(received[0].target == "/a%2fb/../%00?x=%00&&y=+%zz")
        #expect(received[0].minorVersion == 1)
        #expect(received[0].connection == .tcp)
        let fields: [HeaderFields.Field] = [
            .init("Host", "h"), .init("X-A", "1"), .init("x-b", "2"), .init("X-A", "3"),
        ]
        #expect(received[0].headers.fields.map { $0.name } == fields.map { $0.name })
        #expect(received[0].headers.fields.map { $0.value } == fields.map { $0.value })
        #expect(received[1].target == "http://other/x")
        #expect(received[1].minorVersion == 0)
    }

    @Test(
        "A body that the head announces as too long is refused before it is read",
        arguments: ["1001", "99999999999999"])
    func announcedTooLong(length: String) async throws {
        try await withServer(responder: Answers.whole(limit: 1000) { _ in .text("read") }) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(
                "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\nExpect: 100-continue\r\n\r\n")
            let refusal = try await peer.response()
            #expect(refusal.status == 413)
            #expect(refusal.text == "too large")
            #expect(refusal.headers["Connection"] == "close")
            #expect(try await peer.readToEnd() == [])
        }
    }

    @Test("A body within the limit is asked for with 100 Continue")
    func continues() async throws {
        let size = Answers.whole(limit: 1000) { .text("\($0.body.count)") }
        try await withServer(responder: size) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\nExpect: 100-continue\r\n\r\n")
            #expect(try await peer.response().status == 100)
            try await peer.send(bytes: [UInt8](repeating: 1, count: 1000))
            #expect(try await peer.response().text == "1000")
        }
    }

    @Test("A chunked body is refused when it passes the limit, and taken when it reaches it", arguments: [1000, 1001])
    func chunkedBody(size: Int) async throws {
        try await withServer(responder: Answers.whole(limit: 1000) { .text("\($0.body.count)") }) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let half = size / 2
            for part in [half, size - half] {
                try await peer.send("\(String(part, radix: 16))\r\n\(String(repeating: "x", count: part))\r\n")
            }
            try await peer.send("0\r\n\r\n")
            let answer = try await peer.response()
            #expect(answer.status == (size > 1000 ? 413 : 200))
            #expect(answer.text == (size > 1000 ? "too large" : "1000"))
        }
    }

    @Test("A chunked body without an end is dropped up to a bound and then cut off")
    func endlessBody() async throws {
        try await withServer(responder: Answers.whole(limit: 10) { _ in .text("") }) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("POST / HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n")
            let chunk = Array("100000\r\n".utf8) + [UInt8](repeating: 0x78, count: 1 << 20) + Array("\r\n".utf8)
            await #expect(throws: RawConnection.Failure.self) {
                for _ in 0..<64 { try await peer.send(bytes: chunk) }
            }
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }

    @Test("A request that is answered by its head does not wait for its body")
    func answeredByHead() async throws {
        try await withServer(responder: Answers { _ in .answer(.text("no", status: 401)) }) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\n")
            let answer = try await peer.response()
            #expect(answer.status == 401)
            #expect(answer.headers["Connection"] == "close")
        }
    }

    @Test("A body of a mebibyte arrives byte for byte")
    func largeBody() async throws {
        let bytes = (0..<1 << 20).map { UInt8(truncatingIfNeeded: $0 &* 31 ^ $0 >> 8) }
        let responder = Answers.whole { Response(status: 200, body: .bytes($0.body)) }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(bytes.count)\r\n\r\n")
            try await peer.send(bytes: bytes)
            #expect(try await peer.response().body == bytes)
        }
    }

    @Test("A peer that has ended its direction still gets its answer")
    func halfClosed() async throws {
        let gate = Gate()
        let responder = Answers.whole { _ in
            await gate.wait()
            return .text("late")
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await peer.finishSending()
            gate.open()
            #expect(try await peer.response().text == "late")
        }
    }

    @Test(
        "However many peers have ended their direction, each gets its answer, and then its connection ends",
        arguments: [1, 2])
    func manyHalfClosed(requests: Int) async throws {
        let responder = Answers.whole { _ in
            // Long enough for the peer's end to come meanwhile, on one's own thread or another.
            for _ in 0..<3 {
                await elsewhere()
                try? await Task.sleep(for: .milliseconds(5))
            }
            return .text("late")
        }
        try await withServer(loops: 2, responder: responder) { server in
            for _ in 0..<5 {
                try await withThrowingTaskGroup(of: Void.self) { group in
                    for _ in 0..<16 {
                        group.addTask {
                            let peer = try RawConnection(port: server.port)
                            try await peer.send(String(repeating: "GET / HTTP/1.1\r\nHost: a\r\n\r\n", count: requests))
                            await peer.finishSending()
                            for _ in 0..<requests { #expect(try await peer.response().text == "late") }
                            #expect(try await peer.readToEnd() == [])
                        }
                    }
                    try await group.waitForAll()
                }
            }
        }
    }

    @Test("A peer that hangs up does not cancel the work for its request")
    func hangUp() async throws {
        let began = Gate()
        let gate = Gate()
        let wasCancelled = Box<Bool?>(nil)
        let responder = Answers.whole { _ in
            began.open()
            await gate.wait()
            wasCancelled.change { $0 = Task.isCancelled }
            return .text("")
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            await began.wait()
            await peer.close()
            gate.open()
            #expect(await eventually { wasCancelled.value == false })
            #expect(await eventually { server.server.connectionCount == 0 })
        }
    }
}

/// Leaves the loop and comes back to it.
@concurrent private func elsewhere() async {
    await Task.detached {}.value
}
