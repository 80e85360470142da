import Foundation
import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPServerResponseTests {
    @Test(
        "Each answer has one date: the responder's, or that of the moment",
        arguments: [nil, "Sun, 06 Nov 1994 08:49:37 GMT"])
    func date(given: String?) async throws {
        let form = DateFormatter()
        form.locale = Locale(identifier: "en_US_POSIX")
        form.timeZone = TimeZone(identifier: "GMT")
        form.dateFormat = "EEE, dd MMM yyyy HH:mm:ss 'GMT'"
        let responder = Answers { _ in
            .answer(Response(status: 200, headers: given.map { ["Date": $0] } ?? [:], body: .empty))
        }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            // Over the turn of a second, or of two.
            for _ in 0..<3 {
                let before = Date.now
                try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let dates = try await peer.response().headers.values(of: "Date")
                let date = try #require(dates.count == 1 ? dates.first : nil)
                if let given {
                    #expect(date == given)
                } else {
                    // The server reads another clock of the system, which may be a tick behind, in whole seconds.
                    let moment = try #require(form.date(from: date))
                    #expect(moment > before - 1.1 && moment <= Date.now && form.string(from: moment) == date)
                }
                try await Task.sleep(for: .milliseconds(700))
            }
        }
    }

    @Test(
        "Bodies of any number and size of pieces arrive byte for byte",
        arguments: [
            [], [0], [1], [0, 5, 0], [40, 16_000, 40], [40, 32 << 10, 40], [3, 100_000, 0, 1, 70_000, 3],
            [Int](repeating: 7, count: 3000), [Int](repeating: 1000, count: 2000), [4 << 20],
        ])
    func pieces(sizes: [Int]) async throws {
        // Slices from the middle of a pattern, so that their own bounds matter.
        let pattern = (0..<100_003).map { UInt8(truncatingIfNeeded: $0 &* 7 ^ $0 >> 8) }
        var whole: [UInt8] = []
        let pieces = sizes.map { size in
            var piece = pattern[(whole.count % 1000)...]
            while piece.count < size { piece += pattern }
            whole += piece.prefix(size)
            return piece.prefix(size)
        }
        let responder = Answers { _ in .answer(Response(status: 200, body: .pieces(pieces))) }
        try await withServer(responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            for _ in 0..<2 {
                try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                let answer = try await peer.response()
                #expect(answer.body == whole)
                #expect(answer.headers["Content-Length"] == String(sizes.reduce(0, +)))
            }
        }
    }

    @Test("HEAD gets the header of a body and none of its bytes", arguments: [10, 100_000])
    func head(size: Int) async throws {
        let body = [UInt8](repeating: 0x61, count: size)
        try await withServer(responder: Answers { _ in .answer(Response(status: 200, body: .bytes(body))) }) { server in
            let peer = try RawConnection(port: server.port)
            for _ in 0..<2 {
                try await peer.send("HEAD / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await peer.response(toHead: true).headers["Content-Length"] == String(size))
            }
        }
    }

    @Test("A status without a body gets none, and the connection goes on", arguments: [204, 304])
    func withoutBody(status: Int) async throws {
        try await withServer(responder: Answers { _ in .answer(Response(status: status)) }) { server in
            let peer = try RawConnection(port: server.port)
            for _ in 0..<2 {
                try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await peer.response().status == status)
            }
        }
    }

    @Test(
        "What cannot be sent as a header is made sendable or left out, and reported",
        arguments: [
            ("X-A", "one\r\nX-Evil: 1", "one  X-Evil: 1" as String?), ("X-A", "a\0b", "a b"),
            ("X-A", "tab\tstays", "tab\tstays"),
            ("X-A", "", nil), ("X A", "1", nil), ("Transfer-Encoding", "gzip", nil), ("Content-Length", "5", "2"),
            ("X-A", "\u{e9}", "\u{e9}"),
        ])
    func headers(name: String, value: String, sent: String?) async throws {
        let faults = Box<[String]>([])
        let configuration = HTTPServerConfiguration.patient {
            $0.onFault = { fault in faults.change { $0.append(fault) } }
        }
        let headers = HeaderFields([.init(name, value), .init("X-Last", "z")])
        let responder = Answers { _ in
            .answer(Response(status: 200, headers: headers, body: .bytes(Array("ok".utf8))))
        }
        try await withServer(configuration: configuration, responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            let answer = try await peer.response()
            #expect(answer.headers[name] == sent)
            #expect(answer.headers["X-Evil"] == nil)
            #expect(answer.headers["X-Last"] == "z")
            #expect(answer.text == "ok")
            #expect(faults.value.isEmpty == (value == sent))
        }
    }

    @Test("A status outside 200 to 599 becomes 500 and is reported", arguments: [0, 101, 600, -1])
    func oddStatus(status: Int) async throws {
        let faults = Box(0)
        let configuration = HTTPServerConfiguration.patient { $0.onFault = { _ in faults.change { $0 += 1 } } }
        let responder = Answers { _ in .answer(Response(status: status)) }
        try await withServer(configuration: configuration, responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await peer.response().status == 500)
            #expect(faults.value == 1)
        }
    }

    @Test(
        "Where there is to be no answer the peer gets no byte, on a connection that was used before too",
        arguments: ["GET /now", "GET /body", "POST /body", "HEAD /body", "GET /later", "POST /later"], [false, true])
    func noAnswer(line: String, isKept: Bool) async throws {
        let messages = Box<[String]>([])
        let configuration = HTTPServerConfiguration.patient {
            $0.log = { message in messages.change { $0.append(message) } }
            $0.onFault = { message in messages.change { $0.append(message) } }
        }
        let responder = Answers { head in
            switch head.target {
            case "/now": .answer(.noAnswer)
            case "/first": .answer(.text("first"))
            default:
                .body(limit: 100, tooLarge: { .text("", status: 413) }) { request in
                    // From another thread the answer comes when the connection has been suspended.
                    if head.target == "/later" { await Task.detached { await Task.yield() }.value }
                    return .noAnswer
                }
            }
        }
        try await withServer(configuration: configuration, responder: responder) { server in
            let peer = try RawConnection(port: server.port)
            if isKept {
                try await peer.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await peer.response().text == "first")
            }
            let body = line.hasPrefix("POST") ? "Content-Length: 4\r\n\r\nbody" : "\r\n"
            try await peer.send("\(line) HTTP/1.1\r\nHost: a\r\n\(body)")
            #expect(try await peer.readToEnd() == [])
            #expect(await eventually { server.server.connectionCount == 0 })
            let other = try RawConnection(port: server.port)
            try await other.send("GET /first HTTP/1.1\r\nHost: a\r\n\r\n")
            #expect(try await other.response().text == "first")
        }
        #expect(messages.value == [])
    }
}
