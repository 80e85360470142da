import Testing

@testable import HTTPModel

struct ResponderTests {
    private struct Fixed: Responder {
        var respond: @Sendable (Request) async -> Response = { request in
            let lines = request.head.headers.fields.map { "\($0.name): \($0.value)\n" }.joined()
            let text = "\(request.head.method) \(request.head.target)\n\(lines)"
            return Response(
                status: 201, headers: ["X": "y"], body: .pieces([Array(text.utf8)[...], request.body[...]]))
        }

        func receive(_ head: RequestHead) -> Reception {
            if head.target == "/now" { return .answer(Response(status: 202)) }
            return .body(limit: 4, tooLarge: { Response(status: 413) }, respond: respond)
        }
    }

    @Test(
        "A responder is asked in two steps", arguments: [("/now", 9, 202), ("/", 4, 201), ("/", 5, 413), ("/", 0, 201)])
    func steps(target: String, size: Int, status: Int) async {
        let request = Request(RequestHead(method: "GET", target: target), body: Array(repeating: 0x61, count: size))
        #expect(await Fixed().respond(to: request).status == status)
    }

    @Test(
        "A transport without a network names the host and sends the target",
        arguments: [
            ("http://h:1/a?b=%41#c", "h:1", "/a?b=%41"), ("https://h", "h", "/"), ("http://h?b", "h", "/?b"),
        ])
    func transport(url: String, host: String, target: String) async throws {
        let request = OutgoingRequest(method: "POST", url: url, headers: ["Host": "x", "A": "b"], body: [0x7A])
        let response = try await ResponderTransport(Fixed()).send(request)
        #expect(response.status == 201 && response.headers["X"] == "y")
        #expect(String(decoding: response.body, as: UTF8.self) == "POST \(target)\nA: b\nHost: \(host)\nz")
    }

    @Test("A URL of another scheme is refused", arguments: ["ftp://h/", "/a", "", "HTTP//h"])
    func scheme(url: String) async {
        await #expect(throws: TransportError.invalidRequest("not an http or https URL")) {
            try await ResponderTransport(Fixed()).send(OutgoingRequest(url: url))
        }
    }

    @Test("A body is bounded, streamed or not", arguments: [(8, nil), (7, TransportError.bodyTooLarge(limit: 7))])
    func limit(limit: Int, error: TransportError?) async throws {
        let bodies: [ResponseBody] = [
            .pieces([Array("abcd".utf8)[...], Array("efgh".utf8)[...]]),
            .stream { writer in
                try await writer.write(Array("abcd".utf8)[...])
                try await writer.write(Array("efgh".utf8)[...])
            },
        ]
        for body in bodies {
            let transport = ResponderTransport(Fixed { _ in Response(status: 200, body: body) })
            let request = OutgoingRequest(url: "http://h/", maxBodyBytes: limit)
            if let error {
                await #expect(throws: error) { try await transport.send(request) }
            } else {
                #expect(try await transport.send(request).body == Array("abcdefgh".utf8))
            }
        }
    }

    @Test("A stream that breaks off is incomplete")
    func brokenStream() async {
        let broken = Fixed { _ in
            Response(
                status: 206,
                body: .stream { writer in
                    try await writer.write([0x61])
                    throw BodyWriterError.closed
                })
        }
        await #expect(throws: TransportError.bodyIncomplete("the answer ended early", status: 206)) {
            try await ResponderTransport(broken).send(OutgoingRequest(url: "http://h/"))
        }
    }

    @Test("Where there is no answer the transport says so")
    func noAnswer() async {
        await #expect(throws: TransportError.noResponse("the connection was closed without an answer")) {
            try await ResponderTransport(Fixed { _ in .noAnswer }).send(OutgoingRequest(url: "http://h/"))
        }
    }
}
