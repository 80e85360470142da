import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

/// What libmicrohttpd takes and nobody else should.
@Suite(.timeLimit(.minutes(10))) struct HeadFaultTests {
    /// Answers with the target, and keeps what it has seen.
    private struct Witness: Responder {
        let targets = Box<[String]>([])
        let faults = Box<[HeadFault]>([])

        func receive(_ head: RequestHead) -> Reception {
            targets.change { $0.append(head.target) }
            return .body(limit: 100, tooLarge: { .text("", status: 413) }) { .text($0.head.target) }
        }

        func refusal(of head: RequestHead, for fault: HeadFault) -> Response {
            faults.change { $0.append(fault) }
            return .text("\(fault)", status: fault.status)
        }
    }

    /// Sends it behind a sound request and before another one, on one connection, whole or a byte at a time.
    private func expectRefused(_ request: String, for fault: HeadFault, slowly: Bool = false) async throws {
        let witness = Witness()
        let (first, last) = ("GET /1 HTTP/1.1\r\nHost: a\r\n\r\n", "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n")
        try await withServer(responder: witness) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(first)
            #expect(try await peer.response().text == "/1")
            if slowly {
                for byte in request.utf8 { try await peer.send(bytes: [byte]) }
            } else {
                try await peer.send(request + last)
            }
            let answer = try await peer.response()
            #expect(answer.status == fault.status)
            #expect(answer.text == "\(fault)")
            #expect(answer.headers["Connection"] == "close")
            #expect(try await peer.readToEnd() == [])
        }
        #expect(witness.targets.value == ["/1"])
        #expect(witness.faults.value == [fault])
    }

    @Test(
        "A request line that is not three words with one space between each is refused",
        arguments: [
            ("GET  /2 HTTP/1.1", HeadFault.requestLine), ("GET /2\0 HTTP/1.1", .requestLine),
            ("GET /2?\0 HTTP/1.1", .requestLine), ("GET /\02?x HTTP/1.1", .requestLine),
            ("G(T /2 HTTP/1.1", .requestLine), ("G\tT /2 HTTP/1.1", .requestLine), ("GÉT /2 HTTP/1.1", .requestLine),
            ("GET /2 HTTP/1.9", .version), ("GET /2 HTTP/1.2", .version),
        ], [true, false])
    func requestLine(sample: (line: String, fault: HeadFault), slowly: Bool) async throws {
        try await expectRefused("\(sample.line)\r\nHost: a\r\n\r\n", for: sample.fault, slowly: slowly)
    }

    @Test(
        "Lines that others end elsewhere are refused, wherever they stand in the head",
        arguments: [
            "Hos: evil\r\n t\r\n", "Hos: evil\r\n\tt\r\n", "X: y\r\n z\r\n", "X: y\r\n \r\n", "X: y\r\n\t\r\n",
            "X:\r\n y\r\n",
            "X: y\r\n 1\r\n 2\r\n", "X: y\n", "X: y\0z\r\n", "X: \0\r\n", "X:\0y\r\n", "X: y\0\r\n",
        ], [("Host: a\r\n", ""), ("Host: a\r\n", "Z: z\r\n"), ("Host: a\r\nA:\r\nB:\t\r\n", "C: \t c\r\n")])
    func lines(line: String, around: (before: String, behind: String)) async throws {
        for slowly in [true, false] {
            try await expectRefused(
                "GET /2 HTTP/1.1\r\n\(around.before)\(line)\(around.behind)\r\n", for: .lines, slowly: slowly)
        }
    }

    @Test(
        "A first line that begins with a blank, bare line feeds, and an empty line of one byte are refused",
        arguments: [
            ("GET /2 HTTP/1.1\r\n Host: a\r\n\r\n", HeadFault.fieldName),
            ("GET /2 HTTP/1.1\nHost: a\r\n\r\n", .lines),
            ("GET /2 HTTP/1.1\r\nHost: a\r\n\n", .lines), ("GET /2 HTTP/1.1\n\n", .lines),
            ("GET /2 HTTP/1.1\r\n\n", .lines),
            // The NUL ends the value, and what is behind it fills the place of the line's end.
            ("GET /2 HTTP/1.1\r\nHost: a\r\nX:\0y\n\n", .lines), ("GET /2 HTTP/1.1\r\nHost: a\r\nX: y\0z\n\n", .lines),
        ])
    func ends(request: String, fault: HeadFault) async throws {
        try await expectRefused(request, for: fault)
    }

    /// libmicrohttpd leaves in memory what it leaves of two carriage returns and line feeds.
    static let falseEnds = [
        "GET /2 HTTP/1.1\r\nHost: a\r\n:\n", "GET /2 HTTP/1.1\r\nHost: a\r\nX: :\r\n:\n",
        "GET /2 HTTP/1.1\r\nHost: a\n\0\r\n", "GET /2 HTTP/1.1\r\nHost: a\0\n\r\n",
        "GET /2 HTTP/1.1\r\nHost: a\r\n\0\n",
        "GET /2 HTTP/1.1\n\0\r\n", "GET /2 HTTP/1.1\r\n\0\n", "GET /2 HTTP/1.1\r\nHost: a\n:\r\n",
        "GET /2 HTTP/1.1\r\nHost: a\r\nX: y\n:\r\n", "GET /2 HTTP/1.1\r\nHost: a\r\nX: \n:\r\n",
        "GET /2 HTTP/1.1\r\nHost: a\r\nContent-Length: 0\n:\r\n",
    ]

    @Test("What only looks like the end of a line, or of the head, is refused", arguments: falseEnds, [true, false])
    func falseEnd(request: String, slowly: Bool) async throws {
        try await expectRefused(request, for: .lines, slowly: slowly)
    }

    @Test(
        "What stands behind a request in the same bytes is judged by itself",
        arguments: ["", "\r\n", "\r\n\r\n"], falseEnds + [""])
    func behind(gap: String, request: String) async throws {
        let witness = Witness()
        let body = "{\n\0\n:\n}" + String(repeating: "\n", count: 80)
        try await withServer(responder: witness) { server in
            let peer = try RawConnection(port: server.port)
            let sound = "POST /1 HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)\(gap)"
            // The same on the same connection: nothing is left of what came before.
            for _ in 0..<3 {
                try await peer.send(sound + sound)
                for _ in 0..<2 { #expect(try await peer.response().text == "/1") }
            }
            try await peer.send(sound + request + "GET /3 HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try await peer.response()
            #expect(answer.text == "/1" && answer.headers["Connection"] == nil)
            let next = try await peer.response()
            #expect(next.text == (request.isEmpty ? "/3" : "lines"))
            if !request.isEmpty { #expect(try await peer.readToEnd() == []) }
        }
        #expect(witness.targets.value == Array(repeating: "/1", count: 7) + (request.isEmpty ? ["/3"] : []))
    }

    @Test(
        "A body in chunks that others frame otherwise is refused, and never handed on",
        arguments: [
            "5;a\rb\r\nhello\r\n0\r\n\r\n", "5;x\r\r\nhello\r\n0\r\n\r\n", "0;a\rb\r\n\r\n", "0\r\nX: a\rb\r\n\r\n",
            "0\r\nX: y\r\n:z\r\n", "0\r\nX: y\r\n:\r\n", "0\r\nX: y\r\n:\n", "0\r\n\0\r\n", "0\r\n\0abc\r\n",
            "0\r\nX: y\r\n\0\r\n", "5\nhello\r\n0\r\n\r\n", "5\r\nhello\n0\r\n\r\n", "5;x=y\nhello\n0\n\n", "0\n\n",
            "0\r\n\n", "0\n\r\n", "0\r\nX: y\n\r\n", "5;\0\r\nhello\r\n0\r\n\r\n", "0\r\n\r\0\n",
            "0\r\nX: y\r\n z\r\n\r\n",
        ], [true, false])
    func chunks(body: String, slowly: Bool) async throws {
        let bodies = Box(0)
        let responder = ChunkWitness(bodies: bodies)
        try await withServer(responder: responder) { server in
            for method in ["POST", "GET"] {
                let peer = try RawConnection(port: server.port)
                let head = "\(method) /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n"
                if slowly {
                    for byte in (head + body).utf8 { try? await peer.send(bytes: [byte]) }
                } else {
                    try await peer.send(head + body)
                }
                await peer.finishSending()
                let answer = String(decoding: (try? await peer.readToEnd()) ?? [], as: UTF8.self)
                #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "), "\(answer)")
            }
        }
        #expect(bodies.value == 0)
    }

    /// Counts the bodies that it gets, and wants none of `GET`.
    private struct ChunkWitness: Responder {
        let bodies: Box<Int>

        func receive(_ head: RequestHead) -> Reception {
            if head.method == "GET" { return .answer(.text("ok")) }
            return .body(limit: 100, tooLarge: { .text("", status: 413) }) { request in
                bodies.change { $0 += 1 }
                return .text(String(decoding: request.body, as: UTF8.self))
            }
        }

        func refusal(of head: RequestHead, for fault: HeadFault) -> Response {
            .text("\(fault)", status: fault.status)
        }
    }

    @Test(
        "Chunks of any size, with extensions, leading zeros and a trailer, are one body",
        arguments: [
            ("5\r\nhello\r\n0\r\n\r\n", "hello"), ("0\r\n\r\n", ""),
            ("1\r\nh\r\n4;x=\"y z\"\r\nello\r\n000\r\n\r\n", "hello"),
            ("05\r\nhello\r\n0;x\r\nX: y\r\nZ:\r\n\r\n", "hello"), ("5\r\n\n\0\r\n:\r\n0\r\n\r\n", "\n\0\r\n:"),
            ("A\r\n0123456789\r\na\r\n0123456789\r\n0\r\n\r\n", "01234567890123456789"),
        ], [true, false])
    func soundChunks(sample: (sent: String, body: String), slowly: Bool) async throws {
        try await withServer(responder: ChunkWitness(bodies: Box(0))) { server in
            for method in ["POST", "GET"] {
                let peer = try RawConnection(port: server.port)
                let request = "\(method) /2 HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n\(sample.sent)"
                if slowly {
                    for byte in request.utf8 { try await peer.send(bytes: [byte]) }
                } else {
                    try await peer.send(request)
                }
                let answer = try await peer.response()
                #expect(
                    answer.text == (method == "GET" ? "ok" : sample.body) && answer.headers["Connection"] == "close")
            }
        }
    }

    @Test(
        "An answer that needs no body waits for the body that was announced, a refusal does not",
        arguments: ["Content-Length: 5", "Transfer-Encoding: chunked"])
    func unwanted(framing: String) async throws {
        let responder = Answers { .answer(.text($0.target, status: $0.target == "/no" ? 404 : 200)) }
        try await withServer(responder: responder) { server in
            let refused = try RawConnection(port: server.port)
            try await refused.send("GET /no HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
            #expect(try await refused.response().text == "/no")
            let peer = try RawConnection(port: server.port)
            try await peer.send("GET /1 HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
            let cut = try RawConnection(port: server.port)
            try await cut.send("GET /1 HTTP/1.1\r\nHost: a\r\n\(framing)\r\n\r\n")
            await cut.finishSending()
            #expect(try await cut.readToEnd() == [])
            try await peer.send(framing.hasPrefix("C") ? "hello" : "5\r\nhello\r\n0\r\n\r\n")
            #expect(try await peer.response().text == "/1")
        }
    }

    @Test(
        "A body longer than any is waited for, or refused, and others are served",
        arguments: ["9223372036854775807", "9223372036854775806", "18446744073709551615"], ["GET", "POST"])
    func endless(length: String, method: String) async throws {
        try await withServer(responder: ChunkWitness(bodies: Box(0))) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("\(method) /2 HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\n\n\0\nhello")
            for _ in 0..<10 { try? await peer.send("\n\0hello\n") }
            await peer.finishSending()
            let answer = String(decoding: (try? await peer.readToEnd()) ?? [], as: UTF8.self)
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 4"), "\(answer)")
            let other = try RawConnection(port: server.port)
            try await other.send("GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await other.response().text == "ok")
        }
    }

    @Test(
        "Fields that some refuse where they are repeated are refused",
        arguments: [
            "Authorization: a", "If-Match: \"1\"", "If-None-Match: \"1\"", "If-Modified-Since: x",
            "If-Unmodified-Since: x",
            "If-Range: x", "Content-Range: x", "Content-Type: a/b", "Expect: x",
            "Sec-Fetch-Site: none", "Sec-Fetch-Mode: cors",
        ])
    func repeated(line: String) async throws {
        try await expectRefused(
            "GET /2 HTTP/1.1\r\nHost: a\r\n\(line)\r\nX: y\r\n\(line.lowercased())z\r\n\r\n", for: .repeatedField)
    }

    @Test(
        "Tabs around the values that say where a request goes and ends are refused",
        arguments: [
            ("Host:\ta", HeadFault.fieldValue), ("Host: \t a", .fieldValue), ("Host: a\t", .fieldValue),
            ("Host: a\r\nContent-Length:\t0", .contentLength), ("Host: a\r\nContent-Length: \t 0", .contentLength),
            ("Host: a\r\nTransfer-Encoding:\tchunked", .transferCoding),
        ])
    func tabs(lines: String, fault: HeadFault) async throws {
        try await expectRefused("GET /2 HTTP/1.1\r\n\(lines)\r\n\r\n", for: fault)
    }

    @Test(
        "Behind a request that some take for their connection’s last, nothing is read",
        arguments: [
            ("GET", "Connection: close"), ("GET", "Connection: xclose"), ("GET", "Connection: keep-alive, CLOSE;x"),
            ("GET", "Connection: close x"), ("GET", "Connection: \"close\""), ("0GET", "X: y"), ("G#", "X: y"),
            ("+ET", "X: y"),
            ("get", "X: y"), ("GET", "Transfer-Encoding: chunked"),
        ])
    func last(method: String, line: String) async throws {
        let witness = Witness()
        try await withServer(responder: witness) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(
                "\(method) /1 HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n\(line.hasPrefix("T") ? "0\r\n\r\n" : "")"
                    + "GET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try await peer.response()
            #expect(answer.text == "/1" && answer.headers["Connection"] == "close")
            #expect(try await peer.readToEnd() == [])
        }
        #expect(witness.targets.value == ["/1"])
    }

    @Test("However many parameters a target has, it reaches the responder", arguments: [1, 700, 800, 15_000])
    func parameters(count: Int) async throws {
        let target = "/2?" + String(repeating: "a&", count: count)
        try await withServer(responder: Witness()) { server in
            let peer = try RawConnection(port: server.port)
            for _ in 0..<2 {
                try await peer.send("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await peer.response().text == target)
            }
        }
    }

    @Test(
        "Who expects to be told to go on, and has no body, is answered once", arguments: ["", "Content-Length: 0\r\n"])
    func expectation(line: String) async throws {
        let witness = Witness()
        try await withServer(responder: witness) { server in
            let peer = try RawConnection(port: server.port)
            let request = "POST /2 HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\n\(line)\r\n"
            try await peer.send(request + request + request)
            for _ in 0..<3 {
                var answer = try await peer.response()
                if answer.status == 100 { answer = try await peer.response() }
                #expect(answer.status == 200 && answer.text == "/2")
            }
        }
        #expect(witness.targets.value == ["/2", "/2", "/2"])
    }

    @Test(
        "A body may hold what a head may not", arguments: ["\n:\n", ":\n", "\n", "x\n:\ny", "\0", "{\n\0\r\n:\n}"],
        [true, false])
    func oddBody(body: String, isApart: Bool) async throws {
        let responder = Answers.whole { .text(String(decoding: $0.body, as: UTF8.self)) }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            let head = "POST / HTTP/1.1\r\nHost: a\r\nContent-Length: \(body.utf8.count)\r\n"
            if isApart {
                try await peer.send(head + "Expect: 100-continue\r\n\r\n")
                #expect(try await peer.readHead().status == 100)
                try await peer.send(body)
            } else {
                try await peer.send(head + "\r\n" + body)
            }
            #expect(try await peer.response().text == body)
        }
    }

    /// libmicrohttpd then grows a folded name where it lies, over its own value, and it looks like any other.
    @Test("A folded line is found at every place of the buffer, also where it is the last thing in it")
    func foldedAnywhere() async throws {
        let witness = Witness()
        let refused = Box(0)
        try await withServer(responder: witness) { server in
            // Half of the memory for a head and its answer is the first buffer.
            for size in 24_500...24_600 {
                let peer = try RawConnection(port: server.port)
                let start = "GET /2 HTTP/1.1\r\nHost: a\r\nX: "
                let fill = String(repeating: "x", count: size - start.utf8.count)
                try await peer.send("\(start)\(fill)\r\nA: b\r\n c\r\n\r\n")
                let status = try await peer.response().status
                #expect(status == 400)
                refused.change { $0 += 1 }
            }
        }
        #expect(witness.targets.value == [])
        #expect(refused.value == 101)
    }

    @Test(
        "A request line without a method is not answered, and nothing behind it", arguments: [" GET /2", "\t/2", " "])
    func noMethod(line: String) async throws {
        let witness = Witness()
        try await withServer(responder: witness) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("\(line) HTTP/1.1\r\nHost: a\r\n\r\nGET /3 HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = String(decoding: try await peer.readToEnd(), as: UTF8.self)
            #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 400 "))
        }
        #expect(witness.targets.value == [])
    }

    @Test(
        "Names that are no tokens, and control characters in values, are refused",
        arguments: [
            ("X : y", HeadFault.fieldName), ("X\t: y", .fieldName), ("X y: z", .fieldName), ("X(: y", .fieldName),
            ("X\u{7F}: y", .fieldName), ("É: y", .fieldName), ("Host : b", .fieldName),
            ("Content-Length : 5", .fieldName), ("Transfer-Encoding : chunked", .fieldName), ("\"X\": y", .fieldName),
            ("X: a\rb", .fieldValue), ("X: a\r", .fieldValue), ("X: \rb", .fieldValue), ("X: a\u{1}b", .fieldValue),
            ("X: \u{7F}", .fieldValue), ("X: \u{1B}[0m", .fieldValue), ("Host: b", .repeatedHost),
            ("hOST:", .repeatedHost),
        ])
    func fields(line: String, fault: HeadFault) async throws {
        try await expectRefused("GET /2 HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n", for: fault)
    }

    @Test("What only looks odd is taken", arguments: ["X: é", "X: a\tb", "X:", "!#$%&'*+-.^_`|~09azAZ: y", "X_Y: \" "])
    func odd(line: String) async throws {
        let witness = Witness()
        try await withServer(responder: witness) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\(line)\r\n\r\n")
            #expect(try await peer.response().text == "/2")
        }
        #expect(witness.faults.value == [])
    }

    @Test(
        "A body whose length can be read in two ways is refused",
        arguments: [
            ("Content-Length: 6\r\nTransfer-Encoding: chunked", HeadFault.contentLength),
            ("Transfer-Encoding: chunked\r\ncontent-length: 0", .contentLength),
            ("Content-Length: 5\r\nContent-Length: 0", .contentLength),
            ("Content-Length: 0\r\nContent-Length: 5", .contentLength),
            ("Content-Length: 5\r\nContent-Length: 5", .contentLength),
            ("Transfer-Encoding: xchunked", .transferCoding), ("Transfer-Encoding: gzip, chunked", .transferCoding),
            ("Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked", .transferCoding),
            ("Transfer-Encoding: chunked, chunked", .transferCoding), ("Transfer-Encoding: identity", .transferCoding),
            ("Transfer-Encoding:", .transferCoding), ("Transfer-Encoding: chunked ", .transferCoding),
            ("Transfer-Encoding: \u{B}chunked", .fieldValue),
        ])
    func length(lines: String, fault: HeadFault) async throws {
        try await expectRefused("POST /2 HTTP/1.1\r\nHost: a\r\n\(lines)\r\n\r\n", for: fault)
    }

    @Test(
        "A length that is no number never reaches anybody",
        arguments: ["+5", "5, 5", "0x5", "-1", "", "5 5", "999999999999999999999999999999", "5;", "٥", "5 ", "5\t"])
    func noNumber(length: String) async throws {
        let witness = Witness()
        try await withServer(responder: witness) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("POST /2 HTTP/1.1\r\nHost: a\r\nContent-Length: \(length)\r\n\r\nhello")
            let answer = String(decoding: try await peer.readToEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 413 "))
        }
        #expect(witness.targets.value == [])
    }

    @Test("HTTP/1.0 has no transfer coding")
    func codingInHTTP10() async throws {
        try await expectRefused(
            "POST /2 HTTP/1.0\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n", for: .transferCodingInHTTP10)
    }

    @Test("A hundred fields are taken, and not one more", arguments: [100, 101, 200])
    func count(fields: Int) async throws {
        let rest = (1..<fields).map { "X-\($0): y\r\n" }.joined()
        let request = "GET /2 HTTP/1.1\r\nHost: a\r\n\(rest)\r\n"
        if fields > 100 { return try await expectRefused(request, for: .tooManyFields) }
        let witness = Witness()
        try await withServer(responder: witness) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send(request)
            #expect(try await peer.response().text == "/2")
        }
    }

    @Test("What a responder takes for malformed by its head is its connection's last")
    func malformed() async throws {
        let responder = Answers { .answer(.text("", status: $0.target == "/1" ? 400 : 200)) }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try await peer.response()
            #expect(answer.status == 400 && answer.headers["Connection"] == "close")
            #expect(try await peer.readToEnd() == [])
        }
    }

    @Test("Upgrades are not taken up", arguments: ["h2c\r\nHTTP2-Settings: AAMAAABkAAQAAP__", "websocket", "TLS/1.0"])
    func upgrade(to protocols: String) async throws {
        let witness = Witness()
        try await withServer(responder: witness) { server in
            let peer = try RawConnection(port: server.port)
            for target in ["/1", "/2"] {
                try await peer.send(
                    "GET \(target) HTTP/1.1\r\nHost: a\r\nConnection: Upgrade, HTTP2-Settings\r\nUpgrade: \(protocols)\r\n\r\n"
                )
                let answer = try await peer.response()
                #expect(answer.status == 200 && answer.text == target)
                #expect(answer.headers["Upgrade"] == nil)
            }
        }
    }
}
