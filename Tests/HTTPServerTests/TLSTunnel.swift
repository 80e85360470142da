import Foundation
import HTTPModel
import PaginatordTesting
import Testing

@testable import HTTPServer

/// Makes a certificate for this machine and gives the closure the identity with the certificate's file.
func withIdentity(_ body: (HTTPServerConfiguration.TLS, String) async throws -> Void) async throws {
    try await withTemporaryDirectory { directory in
        let (key, certificate) = (directory + "/key.pem", directory + "/certificate.pem")
        let made = try await run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
            "-keyout", key, "-out", certificate, "-days", "2", "-subj", "/CN=localhost", "-addext",
            "subjectAltName=DNS:localhost,IP:127.0.0.1")
        try #require(made.status == 0, "\(made.output)")
        let identity = HTTPServerConfiguration.TLS(
            certificateChain: try String(contentsOfFile: certificate, encoding: .utf8),
            key: try String(contentsOfFile: key, encoding: .utf8))
        try await body(identity, certificate)
    }
}

/// Lets connections that speak bytes reach a port with TLS: each through an openssl of its own, which reads only as fast as
/// the test does.
final class TLSTunnel {
    private let port: UInt16
    private let path: String
    private let listener: BoundListener
    private var programs: [Process] = []

    /// Makes a tunnel to a port of this machine, whose near end is in that directory.
    init(to port: UInt16, in directory: String) throws {
        self.port = port
        path = directory + "/tunnel"
        listener = try BoundListener(.unix(path: path))
    }

    /// Opens a connection; the far end is not awaited.
    func connect() throws -> RawConnection {
        let near = try RawConnection(path: path)
        let listening = try listener.duplicate()
        let far = FileHandle(fileDescriptor: accept(listening, nil, nil), closeOnDealloc: true)
        close(listening)
        // Another program that had it, too, would keep the connection open.
        _ = fcntl(far.fileDescriptor, F_SETFD, FD_CLOEXEC)
        let program = Process()
        program.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        program.arguments = ["openssl", "s_client", "-quiet", "-connect", "127.0.0.1:\(port)"]
        program.standardInput = far
        program.standardOutput = far
        program.standardError = FileHandle.nullDevice
        try program.run()
        // With openssl's end the connection's has come.
        try far.close()
        programs.append(program)
        return near
    }

    deinit {
        for program in programs where program.isRunning {
            kill(program.processIdentifier, SIGKILL)
            program.waitUntilExit()
        }
    }
}
