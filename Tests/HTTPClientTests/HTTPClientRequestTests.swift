import HTTPModel
import Testing

@testable import HTTPClient

@Suite("What an HTTPClient sends", .timeLimit(.minutes(10)))
struct HTTPClientRequestTests {
    @Test("Method, target, headers in order and body go out as given, and little else")
    func request() async throws {
        try await withServer(script: { connection in
            while connection.readRequest() != nil { connection.answer([]) }
        }) { server, client in
            let url = server.url + "/a/../b?x=%41&y=a%20b"
            _ = try await client.send(
                OutgoingRequest(url: url, headers: ["X-One": "1", "x-two": "zwei ü", "X-Empty": ""]))
            _ = try await client.send(
                OutgoingRequest(method: "POST", url: url, headers: ["Content-Type": "a/b"], body: Array("käse".utf8)))
            _ = try await client.send(OutgoingRequest(method: "POST", url: url))
            _ = try await client.send(OutgoingRequest(method: "PATCH", url: url, body: [0x7B, 0x7D]))
            _ = try await client.send(OutgoingRequest(method: "DELETE", url: url))
            _ = try await client.send(OutgoingRequest(method: "HEAD", url: url))
            _ = try await client.send(OutgoingRequest(url: url, headers: ["User-Agent": "test/1", "Accept": "a/b"]))
            let common = "Host: 127.0.0.1:\(server.port)\r\n"
            let accept = "Accept: */*\r\nAccept-Encoding: gzip\r\n"
            let target = "/a/../b?x=%41&y=a%20b HTTP/1.1\r\n"
            #expect(
                server.requests == [
                    "GET \(target)\(common)\(accept)X-One: 1\r\nx-two: zwei ü\r\nX-Empty:\r\n\r\n",
                    "POST \(target)\(common)\(accept)Content-Type: a/b\r\nContent-Length: 5\r\n\r\nkäse",
                    "POST \(target)\(common)\(accept)Content-Length: 0\r\n\r\n",
                    "PATCH \(target)\(common)\(accept)Content-Length: 2\r\n\r\n{}",
                    "DELETE \(target)\(common)\(accept)\r\n",
                    "HEAD \(target)\(common)\(accept)\r\n",
                    "GET \(target)\(common)Accept-Encoding: gzip\r\nUser-Agent: test/1\r\nAccept: a/b\r\n\r\n",
                ])
            #expect(server.accepted == 1)
        }
    }

    @Test("A large body is sent whole, without waiting for permission")
    func largeBody() async throws {
        try await withServer(script: { connection in
            while connection.readRequest() != nil { connection.answer([]) }
        }) { server, client in
            let body = [UInt8](repeating: 0x61, count: 3 << 20)
            _ = try await client.send(OutgoingRequest(method: "PUT", url: server.url, body: body))
            let request = try #require(server.requests.first)
            #expect(!request.contains("Expect"))
            #expect(request.hasSuffix("\r\n\r\n" + String(repeating: "a", count: 3 << 20)))
        }
    }

    @Test(
        "What cannot be sent safely is refused and nothing is sent",
        arguments: [
            OutgoingRequest(url: "/", headers: ["X": "a\r\nY: b"]),
            OutgoingRequest(url: "/", headers: ["X": "a\nb"]),
            OutgoingRequest(url: "/", headers: ["X": "a\0b"]),
            OutgoingRequest(url: "/", headers: ["X\r\nY": "a"]),
            OutgoingRequest(url: "/", headers: ["X Y": "a"]),
            OutgoingRequest(url: "/", headers: ["X:": "a"]),
            OutgoingRequest(url: "/", headers: ["": "a"]),
            OutgoingRequest(url: "/", headers: ["host": "other"]),
            OutgoingRequest(url: "/", headers: ["Content-Length": "3"]),
            OutgoingRequest(url: "/", headers: ["transfer-encoding": "chunked"]),
            OutgoingRequest(method: "", url: "/"),
            OutgoingRequest(method: "GET / HTTP/1.1\r\n\r\nGET", url: "/"),
            OutgoingRequest(url: "/a b"),
            OutgoingRequest(url: "/a\r\nX: y"),
            OutgoingRequest(url: "/ü"),
            OutgoingRequest(url: "/\0"),
        ])
    func refused(_ request: OutgoingRequest) async throws {
        try await withServer(script: { $0.waitForEnd() }) { server, client in
            var request = request
            request.url = server.url + request.url
            #expect(await client.kind(of: request) == .invalidRequest)
            #expect(server.accepted == 0)
        }
    }

    @Test(
        "URLs that are not http or https are refused",
        arguments: [
            "file:///etc/passwd", "ftp://127.0.0.1/", "gopher://127.0.0.1/", "127.0.0.1", "", "http://", "https:///",
        ])
    func schemes(_ url: String) async throws {
        try await withClient { client, _ in
            #expect(await client.kind(of: OutgoingRequest(url: url)) == .invalidRequest)
        }
    }

    @Test("A URL with credentials is refused and its error does not repeat them")
    func credentials() async throws {
        try await withServer(script: { $0.waitForEnd() }) { server, client in
            let url = "http://user:secret@127.0.0.1:\(server.port)/"
            let error = await client.error(of: OutgoingRequest(url: url))
            #expect(Kind(error) == .invalidRequest)
            #expect(!"\(error as Any)".contains("secret"))
            #expect(server.accepted == 0)
        }
    }

    @Test("One connection serves requests one after the other")
    func reuse() async throws {
        try await withServer(script: { connection in
            while let request = connection.readRequest() { connection.answer(Array(request.prefix(6).utf8)) }
        }) { server, client in
            for number in 0..<20 {
                let response = try await client.send(OutgoingRequest(url: server.url + "/\(number % 10)"))
                #expect(response.body == Array("GET /\(number % 10)".utf8))
            }
            #expect(server.accepted == 1)
        }
    }

    @Test("Header lines of an earlier request do not leak into a later one")
    func noLeftovers() async throws {
        try await withServer(script: { connection in
            while connection.readRequest() != nil { connection.answer([]) }
        }) { server, client in
            _ = try await client.send(OutgoingRequest(url: server.url, headers: ["Authorization": "secret"]))
            _ = try await client.send(OutgoingRequest(method: "POST", url: server.url, body: [0x61]))
            _ = try await client.send(OutgoingRequest(url: server.url))
            #expect(server.requests.map { $0.contains("secret") } == [true, false, false])
            #expect(server.requests.last?.hasPrefix("GET / HTTP/1.1\r\n") == true)
            #expect(server.requests.last?.contains("Content-Length") == false)
        }
    }
}
