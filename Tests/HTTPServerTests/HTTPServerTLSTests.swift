import EventLoops
import Foundation
import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct HTTPServerTLSTests {
    @Test("Over TLS small, large, streamed and suspended answers arrive whole")
    func answers() async throws {
        let large = [UInt8](repeating: 0x61, count: 500_000)
        let responder = Answers { head in
            switch head.target {
            case "/small": .answer(.text("\(head.connection)"))
            case "/large": .answer(Response(status: 200, body: .pieces([large[...], large[...]])))
            case "/stream":
                .answer(
                    Response(
                        status: 200,
                        body: .stream { writer in for _ in 0..<10 { try await writer.write(large[..<100_000]) } }))
            default:
                .body(limit: 100, tooLarge: { .text("", status: 413) }) { request in
                    await Task.detached {}.value
                    return .text(String(decoding: request.body, as: UTF8.self))
                }
            }
        }
        try await withIdentity { identity, certificate in
            try await withServer(configuration: .patient { $0.tls = identity }, responder: responder) { server in
                let url = "https://localhost:\(server.port)"
                #expect(server.listener.description == "https://127.0.0.1:\(server.port)")
                let small = try await run("curl", "-4sS", "--cacert", certificate, "\(url)/small", "\(url)/small")
                #expect(small == (0, "tlstls"))
                for path in ["/large", "/stream"] {
                    let answer = try await run(
                        "curl", "-4sS", "--cacert", certificate, "-o", "/dev/null", "-w", "%{size_download}", url + path
                    )
                    #expect(answer == (0, "1000000"))
                }
                let echo = try await run("curl", "-4sS", "--cacert", certificate, "-d", "body", "\(url)/echo")
                #expect(echo == (0, "body"))
            }
        }
    }

    @Test("Over TLS too a head is looked at as it came", arguments: HeadFaultTests.falseEnds + [""])
    func heads(request: String) async throws {
        let responder = Answers { .answer(.text($0.target)) }
        try await withIdentity { identity, certificate in
            try await withServer(configuration: .patient { $0.tls = identity }, responder: responder) { server in
                let sent = certificate + ".request"
                let sound = "GET /sound HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
                try (request + sound).write(toFile: sent, atomically: true, encoding: .utf8)
                let answer = try await run(
                    "sh", "-c", "openssl s_client -quiet -connect 127.0.0.1:\(server.port) <'\(sent)' 2>/dev/null")
                #expect(answer.output.hasPrefix(request.isEmpty ? "HTTP/1.1 200 " : "HTTP/1.1 400 "))
                #expect(answer.output.contains("/sound") == request.isEmpty)
                #expect(answer.output.components(separatedBy: "HTTP/1.1 ").count == 2)
            }
        }
    }

    @Test("Over TLS too there can be no answer at all", arguments: [false, true])
    func noAnswer(isSuspended: Bool) async throws {
        let responder = Answers.whole { _ in
            if isSuspended { await Task.detached { await Task.yield() }.value }
            return .noAnswer
        }
        try await withIdentity { identity, certificate in
            try await withServer(configuration: .patient { $0.tls = identity }, responder: responder) { server in
                let answer = try await run(
                    "curl", "-4s", "--cacert", certificate, "-w", "%{size_header} %{size_download}",
                    "https://localhost:\(server.port)/")
                // 52: the server has sent nothing.
                #expect(answer == (52, "0 0"))
            }
        }
    }

    @Test(
        "TLS 1.2 and 1.3 are spoken, 1.1 and plain HTTP are not",
        arguments: [("1.1", false), ("1.2", true), ("1.3", true)])
    func versions(version: String, isSpoken: Bool) async throws {
        try await withIdentity { identity, certificate in
            try await withServer(
                configuration: .patient { $0.tls = identity }, responder: Answers.whole { _ in .text("ok") }
            ) { server in
                let answer = try await run(
                    "curl", "-4sS", "--cacert", certificate, "--tlsv\(version)", "--tls-max", version, "--ciphers",
                    "DEFAULT@SECLEVEL=0", "https://localhost:\(server.port)/")
                #expect((answer == (0, "ok")) == isSpoken)
                let plain = try RawConnection(port: server.port)
                try await plain.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(!String(decoding: try await plain.readToEnd(), as: UTF8.self).contains("HTTP/1.1"))
            }
        }
    }

    @Test("Without a certificate, and with one that is none, the server does not start", arguments: [true, false])
    func cannotStart(isGiven: Bool) async throws {
        let group = try EventLoopGroup(count: 1)
        let listener = try BoundListener(.tcp(host: "127.0.0.1", port: 0), isTLS: true)
        let port = try #require(listener.port)
        var configuration = HTTPServerConfiguration()
        if isGiven { configuration.tls = .init(certificateChain: "no certificate", key: "no key") }
        let server = HTTPServer(
            listeners: [listener], configuration: configuration, responder: Answers.whole { _ in .text("") },
            group: group)
        let error = await #expect(throws: HTTPServerError.self) { try await server.start() }
        if case .cannotStart(let reason) = error {
            #expect(!reason.isEmpty)
        } else {
            Issue.record("\(String(describing: error))")
        }
        // The listener was closed with all its duplicates, so the port is free.
        _ = try BoundListener(.tcp(host: "127.0.0.1", port: port))
        await group.shutdown()
    }
}
