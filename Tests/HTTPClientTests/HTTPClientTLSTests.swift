import Foundation
import HTTPModel
import Testing

@testable import HTTPClient

@Suite("An HTTPClient over TLS", .timeLimit(.minutes(10)), .serialized)
struct HTTPClientTLSTests {
    /// A private authority, a server's certificate for 127.0.0.1 and a client's, made anew for each test.
    private final class Authority {
        let directory: URL

        init() throws {
            directory = FileManager.default.temporaryDirectory.appendingPathComponent("tls-\(UUID().uuidString)")
            try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
            try openssl(
                "req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 2 -keyout ca.key -out ca.pem -subj /CN=Test"
            )
            try "subjectAltName=IP:127.0.0.1\n".write(
                to: directory.appendingPathComponent("san"), atomically: false, encoding: .utf8)
            for name in ["server", "client"] {
                try openssl(
                    "req -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -keyout \(name).key -out \(name).csr -subj /CN=\(name)"
                )
                try openssl(
                    "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile san -out \(name).pem"
                )
            }
        }

        deinit { try? FileManager.default.removeItem(at: directory) }

        func path(_ name: String) -> String { directory.appendingPathComponent(name).path }

        private func openssl(_ arguments: String) throws {
            try run(["openssl"] + arguments.split(separator: " ").map(String.init), in: directory)
        }
    }

    /// A TLS server in Python that answers every request with the number of its connection; ended with the test.
    private final class Server {
        let port: Int
        private let process = Process()

        init(_ authority: Authority, asksForCertificate: Bool = false) throws {
            let script = """
                import contextlib, socket, ssl
                context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
                context.load_cert_chain('server.pem', 'server.key')
                if \(asksForCertificate ? "True" : "False"):
                    context.verify_mode = ssl.CERT_REQUIRED
                    context.load_verify_locations('ca.pem')
                listener = socket.create_server(('127.0.0.1', 0))
                print(listener.getsockname()[1], flush=True)
                number = 0
                while True:
                    connection, _ = listener.accept()
                    number += 1
                    connection = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
                    try:
                        connection.do_handshake()
                        while connection.recv(65536):
                            connection.sendall(b'HTTP/1.1 200 OK\\r\\nContent-Length: 1\\r\\n\\r\\n%d' % number)
                    except OSError:
                        # Read to the end, or a reset would overtake the alert that says why.
                        with contextlib.suppress(OSError):
                            connection = socket.socket(fileno=connection.detach())
                            connection.shutdown(socket.SHUT_WR)
                            while connection.recv(65536):
                                pass
                    connection.close()
                """
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = ["python3", "-c", script]
            process.currentDirectoryURL = authority.directory
            let output = Pipe()
            process.standardOutput = output
            process.standardError = FileHandle.nullDevice
            try process.run()
            let line = String(decoding: output.fileHandleForReading.availableData, as: UTF8.self)
            port = try #require(Int(line.filter(\.isNumber)))
        }

        deinit {
            // Not SIGTERM: a thread of the test may have it blocked, and its child then too.
            kill(process.processIdentifier, SIGKILL)
            process.waitUntilExit()
        }
    }

    private func configuration(_ authority: Authority?, identity: Bool = false) -> HTTPClientConfiguration {
        HTTPClientConfiguration(
            certificateAuthorityFile: authority?.path("ca.pem"),
            identity: identity
                ? authority.map { .init(certificateFile: $0.path("client.pem"), keyFile: $0.path("client.key")) } : nil,
            proxy: .direct)
    }

    @Test("A private authority's certificate is accepted where that authority is configured, and the connection kept")
    func accepted() async throws {
        let authority = try Authority()
        let server = try Server(authority)
        try await withClient(configuration(authority)) { client, _ in
            for _ in 0..<3 { #expect(await client.text(of: "https://127.0.0.1:\(server.port)/") == "1") }
        }
    }

    @Test("It is refused where the authority is not configured, and for another name")
    func refused() async throws {
        let authority = try Authority()
        let server = try Server(authority)
        try await withClient(configuration(nil)) { client, _ in
            let error = await client.error(of: OutgoingRequest(url: "https://127.0.0.1:\(server.port)/"))
            #expect(Kind(error) == .tlsFailed)
            #expect("\(error as Any)".contains("certificate"))
        }
        try await withClient(configuration(authority)) { client, _ in
            #expect(await client.kind(of: OutgoingRequest(url: "https://localhost:\(server.port)/")) == .tlsFailed)
        }
    }

    @Test("A server that asks for a client's certificate gets the configured one; without one TLS fails")
    func clientCertificate() async throws {
        let authority = try Authority()
        let server = try Server(authority, asksForCertificate: true)
        let request = OutgoingRequest(url: "https://127.0.0.1:\(server.port)/")
        try await withClient(configuration(authority)) { client, _ in
            #expect(await client.kind(of: request) == .tlsFailed)
        }
        try await withClient(configuration(authority, identity: true)) { client, _ in
            #expect(await client.kind(of: request) == .success)
        }
    }

    @Test("Files that cannot be read and servers that speak no TLS are TLS failures")
    func unusable() async throws {
        let authority = try Authority()
        let server = try Server(authority)
        let url = "https://127.0.0.1:\(server.port)/"
        let missing = authority.path("missing.pem")
        let configurations = [
            HTTPClientConfiguration(certificateAuthorityFile: missing, proxy: .direct),
            HTTPClientConfiguration(identity: .init(certificateFile: missing, keyFile: missing), proxy: .direct),
        ]
        for configuration in configurations {
            try await withClient(configuration) { client, _ in
                #expect(await client.kind(of: OutgoingRequest(url: url)) == .tlsFailed)
            }
        }
        try await withServer(script: { connection in
            connection.write("HTTP/1.1 400 Bad Request\r\n\r\n")
            connection.waitForEnd()
        }) { plain, client in
            #expect(await client.kind(of: OutgoingRequest(url: "https://127.0.0.1:\(plain.port)/")) == .tlsFailed)
        }
    }
}
