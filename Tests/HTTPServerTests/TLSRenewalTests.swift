import EventLoops
import Foundation
import HTTPModel
import PaginatordTesting
import Testing

@testable import HTTPServer

@Suite(.timeLimit(.minutes(10))) struct TLSRenewalTests {
    private typealias TLS = HTTPServerConfiguration.TLS

    /// Makes an identity of its own and gives it with the file of its certificate.
    private func identity(_ name: String, in directory: String) async throws -> (TLS, certificate: String) {
        let (key, certificate) = ("\(directory)/\(name).key", "\(directory)/\(name).pem")
        let made = try await run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout",
            key, "-out", certificate, "-days", "2", "-subj", "/CN=\(name)", "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1")
        try #require(made.status == 0, "\(made.output)")
        let tls = TLS(
            certificateChain: try String(contentsOfFile: certificate, encoding: .utf8),
            key: try String(contentsOfFile: key, encoding: .utf8))
        return (tls, certificate)
    }

    private func configuration(_ tls: TLS) -> HTTPServerConfiguration {
        .patient { $0.tls = tls }
    }

    @Test("New connections get the new certificate, open ones go on with theirs, and its daemons end with them")
    func renewal() async throws {
        try await withTemporaryDirectory { directory in
            let (first, firstFile) = try await identity("first", in: directory)
            let (second, secondFile) = try await identity("second", in: directory)
            try await withServer(
                loops: 2, configuration: configuration(first), responder: Answers.whole { .text($0.head.target) }
            ) { server in
                let url = "https://127.0.0.1:\(server.port)"
                let open = try TLSPeer(port: server.port, trusting: firstFile)
                #expect(try await open.get("/1").hasSuffix("/1"))
                for _ in 0..<5 { try await server.server.renewTLS(second) }
                #expect(try await run("curl", "-sS", "--cacert", secondFile, "\(url)/new") == (0, "/new"))
                // 60: the certificate is not the one that was to be trusted.
                #expect(try await run("curl", "-s", "--cacert", firstFile, url).status == 60)
                #expect(try await open.get("/2").hasSuffix("/2"))
                // One daemon more for the open connection; those in between had none.
                #expect(await eventually { server.server.daemonCount == 3 })
                open.close()
                #expect(await eventually { server.server.daemonCount == 2 })
            }
        }
    }

    @Test("Under load nobody loses a connection or an answer")
    func load() async throws {
        try await withTemporaryDirectory { directory in
            let (first, _) = try await identity("first", in: directory)
            let (second, _) = try await identity("second", in: directory)
            let responder = Answers.whole { request in
                if request.head.target.hasSuffix("7") { await Task.detached { await Task.yield() }.value }
                return .text("ok")
            }
            try await withServer(loops: 2, configuration: configuration(first), responder: responder) { server in
                let url = "https://127.0.0.1:\(server.port)"
                let (isOver, renewals) = (Box(false), Box(0))
                async let renewing: Void = {
                    while !isOver.value, !Task.isCancelled {
                        try await server.server.renewTLS(renewals.value.isMultiple(of: 2) ? second : first)
                        renewals.change { $0 += 1 }
                    }
                }()
                let begin = ContinuousClock.now
                repeat {
                    let answers = try await withThrowingTaskGroup(of: String.self) { group in
                        // Two that open a connection for each request, and two that keep theirs.
                        for closing in [["-HConnection: close"], ["-HConnection: close"], [], []] {
                            let count = closing.isEmpty ? 1000 : 100
                            group.addTask {
                                try await run(["curl", "-sSk"] + closing + ["\(url)/[1-\(count)]"]).output
                            }
                        }
                        return try await group.reduce("", +)
                    }
                    #expect(answers == String(repeating: "ok", count: 2200))
                    // The load may end before the renewing has had its turns.
                } while renewals.value <= 3 && begin.duration(to: .now) < .seconds(60)
                isOver.change { $0 = true }
                #expect(renewals.value > 3)
                try await renewing
                #expect(await eventually { server.server.connectionCount == 0 })
            }
        }
    }

    @Test("An identity that will not do changes nothing")
    func refused() async throws {
        try await withTemporaryDirectory { directory in
            let (first, file) = try await identity("first", in: directory)
            let (second, _) = try await identity("second", in: directory)
            let wrong = [
                TLS(certificateChain: "nothing", key: second.key),
                TLS(certificateChain: first.certificateChain, key: ""),
                TLS(certificateChain: first.certificateChain, key: second.key),
            ]
            try await withServer(
                configuration: configuration(first), responder: Answers.whole { _ in .text("ok") }
            ) { server in
                for identity in wrong {
                    await #expect(throws: HTTPServerError.self) { try await server.server.renewTLS(identity) }
                    let url = "https://127.0.0.1:\(server.port)/"
                    let answer = try await run("curl", "-sS", "--cacert", file, url)
                    #expect(answer == (0, "ok"))
                }
                #expect(server.server.daemonCount == 1)
            }
        }
    }

    @Test("A server without TLS, and one that has stopped, have nothing to renew")
    func nothing() async throws {
        try await withTemporaryDirectory { directory in
            let (identity, _) = try await identity("first", in: directory)
            try await withServer(responder: Answers.whole { _ in .text("ok") }) { server in
                try await server.server.renewTLS(identity)
                let peer = try RawConnection(port: server.port)
                try await peer.send("GET / HTTP/1.1\r\nHost: a\r\n\r\n")
                #expect(try await peer.response().text == "ok")
            }
            try await withServer(
                configuration: configuration(identity), responder: Answers.whole { _ in .text("ok") }
            ) { server in
                await server.server.stop(grace: .zero)
                try await server.server.renewTLS(identity)
                #expect(server.server.daemonCount == 0)
            }
        }
    }

    @Test("A renewal in the middle of a stop leaves nothing behind", arguments: 0..<10)
    func duringStop(delay: Int) async throws {
        try await withTemporaryDirectory { directory in
            let (first, file) = try await identity("first", in: directory)
            try await withServer(
                loops: 2, configuration: configuration(first), responder: Answers.whole { .text($0.head.target) }
            ) { server in
                let open = try TLSPeer(port: server.port, trusting: file)
                #expect(try await open.get("/1").hasSuffix("/1"))
                async let renewing: Void = server.server.renewTLS(first)
                for _ in 0..<delay * 20 { await Task.yield() }
                await server.server.stop(grace: .seconds(5))
                try await renewing
                #expect(server.server.connectionCount == 0 && server.server.daemonCount == 0)
                open.close()
            }
        }
    }

    @Test("What is wrong with an identity is told apart")
    func validity() async throws {
        try await withTemporaryDirectory { directory in
            let (first, _) = try await identity("first", in: directory)
            let (second, _) = try await identity("second", in: directory)
            let validity = try first.validity()
            #expect(validity.ends - validity.begins == 2 * 86_400)
            #expect(throws: TLSIdentityFault.keyOfAnother) {
                try TLS(certificateChain: first.certificateChain, key: second.key).validity()
            }
            for arguments in [["-aes256"], ["-traditional", "-aes256"]] {
                let file = directory + "/locked.key"
                let made = try await run(
                    ["openssl", "rsa", "-in", try await rsaKey(in: directory), "-passout", "pass:x", "-out", file]
                        + arguments)
                try #require(made.status == 0, "\(made.output)")
                let locked = try String(contentsOfFile: file, encoding: .utf8)
                #expect(throws: TLSIdentityFault.keyHasPassword) {
                    try TLS(certificateChain: first.certificateChain, key: locked).validity()
                }
            }
            for (chain, key, isOfCertificate) in [("", first.key, true), (first.certificateChain, "x", false)] {
                let fault = #expect(throws: TLSIdentityFault.self) {
                    try TLS(certificateChain: chain, key: key).validity()
                }
                #expect(fault?.isOfCertificate == isOfCertificate)
            }
        }
    }

    private func rsaKey(in directory: String) async throws -> String {
        let file = directory + "/rsa.key"
        let made = try await run("openssl", "genrsa", "-out", file, "2048")
        try #require(made.status == 0, "\(made.output)")
        return file
    }
}

/// A connection over TLS that stays open: openssl as a process of its own, which is told what to send.
private final class TLSPeer {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    init(port: UInt16, trusting file: String) throws {
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "openssl", "s_client", "-quiet", "-verify_return_error", "-CAfile", file, "-connect", "127.0.0.1:\(port)",
        ]
        process.standardInput = input
        process.standardOutput = output
        process.standardError = FileHandle.nullDevice
        try process.run()
    }

    /// Sends a request and gives back what comes up to the end of a body that ends as its target does.
    func get(_ target: String) async throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data("GET \(target) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
        let handle = output.fileHandleForReading
        return await withCheckedContinuation { done in
            DispatchQueue(label: "peer").async {
                var text = ""
                while !text.hasSuffix("\r\n\r\n\(target)") {
                    let data = handle.availableData
                    if data.isEmpty { break }
                    text += String(decoding: data, as: UTF8.self)
                }
                done.resume(returning: text)
            }
        }
    }

    func close() {
        guard process.isRunning else { return }
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    deinit {
        close()
    }
}
