import EventLoops
import Foundation
import Pagination
import TableAPI
import Testing

@testable import paginatord

/// An instance over TLS that asks for a client's certificate and answers with one row, which names its bearer. Its
/// authority is private, and all of it is made anew for each test.
private final class CertifyingInstance {
    let port: Int
    private let folder: TemporaryFolder
    private let process = Process()

    init() throws {
        folder = try TemporaryFolder()
        try folder.write("subjectAltName=IP:127.0.0.1\n", to: "san")
        let key = "-newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes"
        try openssl("req -x509 \(key) -days 2 -keyout ca.key -out ca.pem -subj /CN=Test", in: folder)
        for name in ["server", "reader"] {
            try openssl("req \(key) -keyout \(name).key -out \(name).csr -subj /CN=\(name)", in: folder)
            try openssl(
                "x509 -req -in \(name).csr -CA ca.pem -CAkey ca.key -CAcreateserial -days 2 -extfile san -out \(name).pem",
                in: folder
            )
        }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", Self.script]
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
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

    func path(_ name: String) -> String { "\(folder.path)/\(name)" }

    private static let script = """
        import contextlib, socket, ssl
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain('server.pem', 'server.key')
        context.verify_mode = ssl.CERT_REQUIRED
        context.load_verify_locations('ca.pem')
        listener = socket.create_server(('127.0.0.1', 0))
        print(listener.getsockname()[1], flush=True)
        while True:
            connection, _ = listener.accept()
            connection = context.wrap_socket(connection, server_side=True, do_handshake_on_connect=False)
            try:
                connection.do_handshake()
                name = connection.getpeercert()['subject'][0][0][1]
                body = b'{"result":[{"reader":"%s"}]}' % name.encode()
                while connection.recv(65536):
                    connection.sendall(b'HTTP/1.1 200 OK\\r\\nX-Total-Count: 1\\r\\nContent-Length: %d\\r\\n\\r\\n%s'
                                       % (len(body), body))
            except OSError:
                # Read to the end, or a reset would overtake the alert that says why.
                with contextlib.suppress(OSError):
                    connection = socket.socket(fileno=connection.detach())
                    connection.shutdown(socket.SHUT_WR)
                    while connection.recv(65536):
                        pass
            connection.close()
        """
}

struct CertificateTests {
    /// Reads one page the way the service does, with a configuration from a text.
    private func page(from instance: CertifyingInstance, auth: String) async throws -> PageAnswer {
        let text = """
            { instances: { default: { url: "https://127.0.0.1:\(instance.port)", proxy: null, auth: \(auth),
                certificateAuthority: "\(instance.path("ca.pem"))" } } }
            """
        let configuration = try #require(try ConfigurationTests.read(text, [:]).instances.first)
        let group = try EventLoopGroup(count: 1)
        let connection = InstanceConnection(configuration, cache: nil, group: group)
        let result: Result<PageAnswer, any Error>
        do {
            let source = try connection.service.source(of: "incident")
            result = .success(try await source.fetch(PageRequest(offset: 0, limit: 20)))
        } catch {
            result = .failure(error)
        }
        await connection.shutdown()
        await group.shutdown()
        return try result.get()
    }

    @Test("An instance with a private authority knows the service by its certificate")
    func certificate() async throws {
        let instance = try CertifyingInstance()
        let page = try await page(
            from: instance,
            auth: """
                { type: "certificate", certificate: "\(instance.path("reader.pem"))", key: "\(instance.path("reader.key"))" }
                """)
        #expect(page.rows.objects.map { String(decoding: $0, as: UTF8.self) } == [#"{"reader":"reader"}"#])
    }

    @Test("Without its certificate the service gets no answer, and says why")
    func without() async throws {
        let instance = try CertifyingInstance()
        let error = await #expect(throws: PageSourceError.self) {
            try await page(from: instance, auth: #"{ type: "none" }"#)
        }
        guard case .failed(nil, let reason) = error else {
            Issue.record("\(error as Any)")
            return
        }
        #expect(reason.hasPrefix("no secure connection to the instance: "))
    }
}
