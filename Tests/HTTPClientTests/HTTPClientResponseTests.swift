import HTTPModel
import Testing

@testable import HTTPClient

@Suite("What an HTTPClient makes of answers", .timeLimit(.minutes(10)))
struct HTTPClientResponseTests {
    private func send(
        _ answer: [UInt8], method: String = "GET", limit: Int = 1 << 20, endsConnection: Bool = true
    ) async throws -> Result<IncomingResponse, TransportError> {
        var result: Result<IncomingResponse, TransportError> = .failure(.cancelled)
        try await withServer(script: { connection in
            connection.readRequest()
            connection.write(answer)
            if !endsConnection { connection.waitForEnd() }
        }) { server, client in
            let request = OutgoingRequest(
                method: method, url: server.url + "/secret?secret=1", timeout: .seconds(600), maxBodyBytes: limit)
            do throws(TransportError) {
                result = .success(try await client.send(request))
            } catch {
                #expect(!"\(error)".contains("secret"))
                result = .failure(error)
            }
        }
        return result
    }

    private func kind(_ answer: [UInt8], limit: Int = 1 << 20, endsConnection: Bool = true) async throws -> Kind {
        switch try await send(answer, limit: limit, endsConnection: endsConnection) {
        case .success: .success
        case .failure(let error): Kind(error)
        }
    }

    @Test("Header lines keep their order, spelling and repetitions, without the space around values")
    func headers() async throws {
        let answer =
            "HTTP/1.1 200 OK\r\nSet-Cookie: a=1\r\nx-b:\t 2 \r\nSet-Cookie: c=3\r\nLink: <u>; rel=\"next\"\r\n"
            + "X-Empty:\r\nContent-Length: 2\r\n\r\nok"
        let response = try await send(Array(answer.utf8)).get()
        #expect(
            response.headers == [
                "Set-Cookie": "a=1", "x-b": "2", "Set-Cookie": "c=3", "Link": "<u>; rel=\"next\"", "X-Empty": "",
                "Content-Length": "2",
            ])
        #expect(response.body == Array("ok".utf8))
    }

    @Test("A chunked body is put together; its trailers are no header lines")
    func chunked() async throws {
        let answer =
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2;x=y\r\nde\r\n0\r\nX-Late: 1\r\n\r\n"
        let response = try await send(Array(answer.utf8), endsConnection: false).get()
        #expect(response.body == Array("abcde".utf8))
        #expect(response.headers["X-Late"] == nil)
    }

    @Test("A body without a length ends with the connection")
    func untilEnd() async throws {
        #expect(try await send(Array("HTTP/1.1 200 OK\r\n\r\nabc".utf8)).get().body == Array("abc".utf8))
    }

    @Test("Interim responses leave nothing behind")
    func interim() async throws {
        let answer =
            "HTTP/1.1 100 Continue\r\nX-A: 1\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n"
            + "HTTP/1.1 201 Created\r\nX-B: 2\r\nContent-Length: 0\r\n\r\n"
        let response = try await send(Array(answer.utf8), endsConnection: false).get()
        #expect(response.status == 201)
        #expect(response.headers == ["X-B": "2", "Content-Length": "0"])
    }

    @Test("An answer to HEAD has headers only, whatever length it announces", arguments: [3, 1 << 40])
    func head(_ length: Int) async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n"
        let response = try await send(Array(answer.utf8), method: "HEAD", endsConnection: false).get()
        #expect(response.headers["Content-Length"] == String(length))
        #expect(response.body.isEmpty)
    }

    @Test(
        "Every status is an answer, redirects and errors included",
        arguments: [204, 301, 302, 304, 307, 401, 404, 429, 500, 503])
    func statuses(_ status: Int) async throws {
        let answer =
            "HTTP/1.1 \(status) X\r\nLocation: http://127.0.0.1:1/\r\nWWW-Authenticate: Basic\r\nContent-Length: 0\r\n\r\n"
        let response = try await send(Array(answer.utf8), endsConnection: false).get()
        #expect(response.status == status)
        #expect(response.headers["Location"] == "http://127.0.0.1:1/")
    }

    @Test("A gzip body is decoded")
    func gzip() async throws {
        let body = try gzipped("b'paginated' * 10000")
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        let response = try await send(Array(head.utf8) + body).get()
        #expect(response.body == Array(String(repeating: "paginated", count: 10000).utf8))
    }

    @Test("A compressed bomb is stopped by the limit on decompressed bytes")
    func bomb() async throws {
        let body = try gzipped("bytes(64 << 20)")
        #expect(body.count < 100_000)
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        let bytes = Array(head.utf8) + body
        #expect(try await kind(bytes, limit: 100_000) == .bodyTooLarge(limit: 100_000))
        #expect(try await kind(bytes, limit: 64 << 20) == .success)
        #expect(try await kind(bytes, limit: (64 << 20) - 1) == .bodyTooLarge(limit: (64 << 20) - 1))
    }

    @Test("The limit holds for declared, chunked and endless bodies, to the byte", arguments: [1, 1000, 100_000])
    func limits(_ size: Int) async throws {
        let body = String(repeating: "a", count: size)
        let answers = [
            "HTTP/1.1 200 OK\r\nContent-Length: \(size)\r\n\r\n\(body)",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n\(String(size, radix: 16))\r\n\(body)\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\n\r\n\(body)",
        ]
        for answer in answers {
            #expect(try await kind(Array(answer.utf8), limit: size) == .success)
            #expect(try await kind(Array(answer.utf8), limit: size - 1) == .bodyTooLarge(limit: size - 1))
        }
    }

    @Test("A body that is announced too large is refused with its first byte")
    func declaredTooLarge() async throws {
        let answer = "HTTP/1.1 200 OK\r\nContent-Length: 5000000000\r\n\r\na"
        #expect(try await kind(Array(answer.utf8), limit: 10, endsConnection: false) == .bodyTooLarge(limit: 10))
    }

    @Test(
        "A body that is cut or broken is incomplete",
        arguments: [
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nabc",
            "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nab",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n0\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\nabc\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabcdef\r\n0\r\n\r\n",
            "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 9\r\n\r\nnot gzip!",
            "HTTP/1.1 200 OK\r\nContent-Encoding: unheard-of\r\nContent-Length: 1\r\n\r\na",
        ])
    func incomplete(_ answer: String) async throws {
        #expect(try await kind(Array(answer.utf8)) == .bodyIncomplete)
    }

    @Test("A gzip body that is damaged is incomplete", arguments: [30, -8, -4])
    func gzipDamaged(_ offset: Int) async throws {
        var body = try gzipped("b'paginated' * 10000")
        body[offset < 0 ? body.count + offset : offset] ^= 0x55
        let head = "HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: \(body.count)\r\n\r\n"
        #expect(try await kind(Array(head.utf8) + body) == .bodyIncomplete)
    }

    @Test(
        "What is no whole header of HTTP is no answer",
        arguments: [
            "",
            "HTT",
            "HTTP/1.1 200 OK\r\n",
            "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n",
            "HTTP/1.1 200 OK\r\nContent-Le",
            "HTTP/1.1 100 Continue\r\n\r\n",
            "SSH-2.0-OpenSSH_9.2\r\n",
            "<html>an old server's page</html>",
            "\u{16}\u{3}\u{1}\u{0}",
            "HTTP/1.1 2x0 OK\r\n\r\n",
            "HTTP/7.3 200 OK\r\n\r\n",
        ])
    func noResponse(_ answer: String) async throws {
        #expect(try await kind(Array(answer.utf8)) == .noResponse)
    }

    @Test("A header of more than the permitted size is refused")
    func hugeHeader() async throws {
        let line = "X-Fill: " + String(repeating: "a", count: 8000) + "\r\n"
        let answer = "HTTP/1.1 200 OK\r\n" + String(repeating: line, count: 30) + "Content-Length: 0\r\n\r\n"
        #expect(try await kind(Array(answer.utf8)) == .noResponse)
    }
}
