import DemoInstance
import HTTPModel
import PaginatordTesting
import Testing

/// Where a request ends, and which one it is.
@Suite(.timeLimit(.minutes(10))) struct FramingCasesTests {
    @Test("20: A length beside chunks is refused, and what lies behind is nobody's request")
    func lengthAndChunks() async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            for (first, second) in [
                ("Content-Length: 6", "Transfer-Encoding: chunked"),
                ("Transfer-Encoding: chunked", "Content-Length: 6"),
            ] {
                let raw = service.request("POST", session + "/reset", [first, second]) + "0\r\n\r\nG"
                try await service.expectRefusal(raw, 400, "malformed-request", closes: true)
            }
        }
    }

    @Test("21: Two lengths are refused, also where they agree")
    func twoLengths() async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            for (first, second) in [("5", "0"), ("0", "5"), ("5", "5"), ("0", "0")] {
                let lines = ["Content-Length: \(first)", "Content-Length: \(second)"]
                try await service.expectRefusal(
                    service.request("POST", session + "/reset", lines), 400, "malformed-request", closes: true)
            }
        }
    }

    @Test(
        "22: A length that is no number ends the connection",
        arguments: ["+5", "5, 5", "0x5", "-5", "5 5", "", String(repeating: "9", count: 30)])
    func wrongLength(length: String) async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            let peer = try service.connect()
            let raw = service.request("POST", session + "/next", ["Content-Length: \(length)"])
            try await peer.send(raw + "hello" + service.request("GET", "/livez"))
            // libmicrohttpd's own answer, which has its head twice.
            let answer = String(decoding: try await peer.readToEnd(), as: UTF8.self)
            #expect(answer.hasPrefix("HTTP/1.1 400 ") || answer.hasPrefix("HTTP/1.1 413 "))
            #expect(!answer.contains(" 200 "))
            #expect(try await service.position(of: session) == 0)
        }
    }

    @Test("23: Any transfer coding but chunked, once, is refused at once")
    func codings() async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            for lines in [
                ["Transfer-Encoding: xchunked"], ["Transfer-Encoding: gzip, chunked"], ["Transfer-Encoding: identity"],
                ["Transfer-Encoding: chunked", "Transfer-Encoding: chunked"], ["Transfer-Encoding: chunked, chunked"],
                ["Transfer-Encoding: chunked;x=y"], ["Transfer-Encoding: \"chunked\""],
            ] {
                let raw = service.request("POST", session + "/reset", lines) + "0\r\n\r\n"
                try await service.expectRefusal(raw, 501, "not-implemented", closes: true)
            }
        }
    }

    @Test(
        "25: However chunks are written, nothing behind them is read",
        arguments: [
            "5;x=y\nhello\n0\n\n", "5\r\nhello\r\n0\r\n\r\n", "5;x=\"\r\n\"\r\nhello\r\n0\r\n\r\n",
            "005\r\nhello\r\n0\r\n\r\n",
            "5\r\nhelloX0\r\n\r\n", "5 \r\nhello\r\n0\r\n\r\n", "0x5\r\nhello\r\n0\r\n\r\n", "-5\r\nhello\r\n0\r\n\r\n",
            "ffffffffffffffff5\r\nhello\r\n0\r\n\r\n", "\r\n0\r\n\r\n", "0\r\nContent-Length: 5\r\n\r\n", "0\r\n\n",
            "zz\r\n",
        ])
    func chunks(body: String) async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            let peer = try service.connect()
            let raw = service.request("POST", session + "/reset", ["Transfer-Encoding: chunked"]) + body
            try await peer.send(raw + service.request("POST", session + "/next"))
            await peer.finishSending()
            let answers = String(decoding: try await peer.readToEnd(), as: UTF8.self)
            #expect(answers.matches(of: /HTTP\/1\.1 [0-9]/).count <= 1 || answers.hasPrefix("HTTP/1.1 4"), "\(answers)")
            #expect(!answers.contains("\"page\":1"))
            #expect(try await service.position(of: session) ?? 9 <= 1)
            #expect(service.instance.requests.isEmpty)
        }
    }

    @Test("27: A head of 40 kB is refused, and so is a target")
    func large() async throws {
        try await Deployment.run { service in
            let long = String(repeating: "x", count: 40 << 10)
            #expect(try await service.call("GET", "/livez", ["X-Long: \(long)"]).status == 431)
            #expect(try await service.call("GET", "/livez?\(long)").status == 414)
            // Here there is still room for an answer of ours.
            let less = String(repeating: "x", count: 33 << 10)
            try await service.expectRefusal(
                service.request("GET", "/livez", ["X-Long: \(less)"]), 431, "headers-too-large", closes: true)
            try await service.expectRefusal(service.request("GET", "/" + less), 414, "uri-too-long", closes: true)
        }
    }

    @Test("28: 200 small headers are refused")
    func manyHeaders() async throws {
        try await Deployment.run { service in
            let lines = (0..<200).map { "X-\($0): y" }
            try await service.expectRefusal(
                service.request("GET", "/livez", lines), 431, "headers-too-large", closes: true)
        }
    }

    @Test("29: A NUL in the target is refused, in an escape and as it is")
    func nul() async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            for target in [
                "/sessions/a%00b", session + "%00", session + "/next%00", session + "\0", "\0" + session, "/\0",
            ] {
                try await service.expectRefusal(
                    service.request("GET", target), 400, "malformed-request", closes: true)
            }
            try await service.expectRefusal(
                service.request("GET", "/livez", host: "localhost\0.evil.example"), 400, "malformed-request",
                closes: true)
        }
    }

    @Test("30: No second spelling of a path reaches a route")
    func spellings() async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            let targets = [
                "/sessions/..%2f..%2fmetrics", "/sessions/%2e%2e/livez", "/sessions/../livez", "/./livez", "//metrics",
                "//livez", "/livez/", "/livez;a=b", "/%6civez", "\(session)/%6eext", "\(session)/next/",
                "\(session)/next;a=b",
                "\(session)//next", "\(session)/./next", "\(session)%2fnext", "\(session)/x/../next", "/Livez",
                "/livez%20",
                "/livez%3f", "/livez%23", "/\\livez", "/sessions/%5c..%5clivez", "/%2flivez", "/livez/.", "/livez/%2e",
            ]
            for target in targets {
                for method in ["GET", "POST"] {
                    let answer = try await service.call(method, target)
                    #expect([400, 404].contains(answer.status), "\(method) \(target): \(answer.status)")
                    #expect(answer.headers["Content-Type"] == "application/problem+json")
                }
            }
            #expect(try await service.position(of: session) == 0)
            #expect(service.instance.requests.isEmpty)
        }
    }

    @Test("38: A body that is announced as too large is refused before it is asked for")
    func announced() async throws {
        try await Deployment.run { service in
            for length in [1 << 20 + 1, 1 << 40] {
                let lines = ["Content-Length: \(length)", "Expect: 100-continue", "Content-Type: application/json"]
                try await service.expectRefusal(
                    service.request("POST", "/sessions", lines), 413, "content-too-large", closes: true)
            }
        }
    }

    @Test(
        "46: A move takes POST and GET in capitals, and nothing else", arguments: ["next", "first", "previous", "last"])
    func methods(move: String) async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            for method in ["HEAD", "TRACE", "post", "PUT", "PATCH", "DELETE", "CONNECT", "get", "POSTX", "PROPFIND"] {
                let raw = service.request(method, "\(session)/\(move)")
                let answer = try await service.expectRefusal(raw, 405, "method-not-allowed")
                #expect(answer.headers["Allow"] == "GET, POST, OPTIONS")
                #expect(!answer.text.contains(Deployment.token))
            }
            #expect(try await service.position(of: session) == 0)
        }
    }

    @Test("50: Upgrades are not taken up, and HTTP/2 is not begun")
    func upgrade() async throws {
        try await Deployment.run { service in
            for upgrade in ["websocket", "h2c", "TLS/1.0, HTTP/1.1"] {
                let lines = [
                    "Connection: Upgrade, HTTP2-Settings", "Upgrade: \(upgrade)", "HTTP2-Settings: AAMAAABkAAQAAP__",
                    "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==", "Sec-WebSocket-Version: 13",
                ]
                let answer = try await service.call("GET", "/livez", lines)
                #expect(answer.status == 200 && answer.headers["Upgrade"] == nil)
            }
            for preface in ["PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", "GET /livez HTTP/2.0\r\nHost: localhost\r\n\r\n"] {
                let peer = try service.connect()
                try await peer.send(preface + service.request("GET", "/livez"))
                let answer = String(decoding: try await peer.readToEnd(), as: UTF8.self)
                #expect(answer.hasPrefix("HTTP/1.1 505 ") && !answer.contains(" 200 "))
            }
            for version in ["HTTP/1.2", "HTTP/1.9"] {
                let raw = "GET /livez \(version)\r\nHost: localhost\r\n\r\n"
                try await service.expectRefusal(raw, 505, "http-version-not-supported", closes: true)
            }
        }
    }
}
