import HTTPModel
import Testing

@testable import HTTPClient

@Suite("How requests of an HTTPClient fail", .timeLimit(.minutes(10)))
struct HTTPClientFailureTests {
    @Test("A refused connection and an unknown name are failed connections", arguments: ["127.0.0.1", "name.invalid"])
    func noConnection(_ host: String) async throws {
        try await withClient { client, _ in
            let url = "http://\(host):\(closedPort())/path?secret=1"
            let error = await client.error(of: OutgoingRequest(url: url))
            #expect(Kind(error) == .connectionFailed)
            #expect("\(error as Any)".contains(host))
            #expect(!"\(error as Any)".contains("secret"))
        }
    }

    @Test("Connecting that takes too long is a failed connection")
    func connectTimeout() async throws {
        let configuration = HTTPClientConfiguration(connectTimeout: .milliseconds(50), proxy: .direct)
        try await withServer(configuration, script: { $0.waitForEnd() }) { server, client in
            // The handshake belongs to connecting, and this server leaves it unanswered.
            let url = "https://127.0.0.1:\(server.port)/"
            #expect(await client.kind(of: OutgoingRequest(url: url, timeout: .seconds(20))) == .connectionFailed)
        }
    }

    @Test(
        "The time for the whole transfer tells whether bytes had come",
        arguments: [
            ("", false), ("H", true), ("HTTP/1.1 200 OK\r\n", true),
            ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", true),
        ])
    func timeout(_ answer: String, _ receivedBytes: Bool) async throws {
        try await withServer(script: { connection in
            connection.readRequest()
            connection.write(answer)
            connection.waitForEnd()
        }) { server, client in
            let expected = Kind.timedOut(receivedBytes: receivedBytes)
            var kind = Kind.success
            // The time may be over before the bytes have come: then with more of it.
            for seconds in [1, 4, 16, 64] where kind != expected {
                kind = await client.kind(of: OutgoingRequest(url: server.url, timeout: .seconds(seconds)))
            }
            #expect(kind == expected)
            #expect(await eventually { server.open == 0 })
        }
    }

    @Test("No time at all is a timeout and nothing is sent")
    func noTime() async throws {
        try await withServer(script: { $0.waitForEnd() }) { server, client in
            #expect(
                await client.kind(of: OutgoingRequest(url: server.url, timeout: .zero))
                    == .timedOut(receivedBytes: false))
            #expect(server.accepted == 0)
        }
    }

    @Test(
        "A reset before the answer is no answer, after its header an incomplete body",
        arguments: [("", Kind.noResponse), ("HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nab", .bodyIncomplete)])
    func reset(_ answer: String, _ kind: Kind) async throws {
        try await withServer(script: { connection in
            connection.readRequest()
            connection.write(answer)
            // Sent as a second piece once the first has been taken, or it might overtake it.
            if !answer.isEmpty { connection.waitUntilAcknowledged() }
            connection.resetAtEnd()
        }) { server, client in
            #expect(await client.kind(of: OutgoingRequest(url: server.url)) == kind)
        }
    }

    @Test("A kept connection that its server closed meanwhile costs the next request nothing")
    func idleClosed() async throws {
        try await withServer(script: { connection in
            connection.readRequest()
            connection.answer(Array("\(connection.number)".utf8))
        }) { server, client in
            for number in 1...5 {
                #expect(await client.text(of: server.url) == "\(number)")
                #expect(await eventually { server.open == 0 })
            }
        }
    }

    @Test("A kept connection that its server closes on the next request is replaced unseen", arguments: [false, true])
    func closedOnReuse(_ byReset: Bool) async throws {
        try await withServer(script: { connection in
            connection.readRequest()
            connection.answer(Array("\(connection.number)".utf8))
            connection.readRequest()
            if byReset { connection.resetAtEnd() }
        }) { server, client in
            for number in 1...5 {
                #expect(await client.text(of: server.url) == "\(number)")
            }
            #expect(server.accepted == 5)
        }
    }

    @Test("A cut answer tells the status that its header had", arguments: [200, 206, 404, 429, 503])
    func cutStatus(status: Int) async throws {
        try await withServer(script: { connection in
            _ = connection.readRequest()
            connection.write("HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 \(status) X\r\nContent-Length: 5\r\n\r\nab")
        }) { server, client in
            guard case .bodyIncomplete(_, status)? = await client.error(of: OutgoingRequest(url: server.url)) else {
                Issue.record("another end")
                return
            }
        }
    }

    @Test("A transfer that failed does not spoil the next")
    func recovery() async throws {
        try await withServer(script: { connection in
            while let request = connection.readRequest() {
                if request.hasPrefix("GET /bad") {
                    connection.write("HTTP/1.1 200 OK\r\nContent-Length: 50\r\n\r\nsecret")
                    return
                }
                connection.answer(Array("good".utf8))
            }
        }) { server, client in
            for _ in 0..<3 {
                #expect(await client.kind(of: OutgoingRequest(url: server.url + "/bad")) == .bodyIncomplete)
                #expect(await client.text(of: server.url) == "good")
            }
        }
    }
}
