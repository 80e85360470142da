import Foundation
import PaginatordTesting
import Testing

/// Other people's clients of the Table API, from PyPI, reading from `paginatord demo-instance` over TLS.
///
/// What they should get is computed in the scripts of Tests/PublicClients, from all records and without the instance's
/// query language.
struct PublicClientTests {
    @Test(
        "Every record, filter and order that a public client asks for is what a plain computation gives",
        .timeLimit(.minutes(10)), arguments: ["pysnc", "pysnow", "aiosnow"])
    func reads(client: String) async throws {
        let identity = try await Identity()
        let instance = try RunningProgram(
            [
                "demo-instance", "--listen", "127.0.0.1:0", "--certificate", identity.certificate, "--key",
                identity.key,
                "--username", "reader", "--password-env", "PASSWORD", "--oauth-client", "application",
                "--oauth-secret-env", "SECRET",
            ], environment: ["PASSWORD": "correct horse", "SECRET": "secret"])
        let url = try await instance.listeningURL()
        #expect(url.hasPrefix("https://127.0.0.1:"))
        let script = try await PythonScript.run(
            "PublicClients/\(client)_reads.py",
            environment: [
                "INSTANCE_URL": url, "INSTANCE_USER": "reader", "INSTANCE_PASSWORD": "correct horse",
                "INSTANCE_CLIENT": "application", "INSTANCE_SECRET": "secret", "SSL_CERT_FILE": identity.certificate,
                "REQUESTS_CA_BUNDLE": identity.certificate,
            ])
        #expect(script.status == 0, "\(script.said)")
        #expect(script.said.contains(#/Ran [1-9]\d* tests/#), "\(script.said)")
        #expect(try await instance.stop() == 0)
    }
}

/// A certificate for this machine, which signs itself, in a temporary folder.
final class Identity {
    let certificate: String
    let key: String
    private let folder: URL

    init() async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("paginatord-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        certificate = folder.appendingPathComponent("certificate.pem").path
        key = folder.appendingPathComponent("key.pem").path
        let made = try await OtherProgram.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
                "-days",
                "2", "-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1,DNS:localhost", "-keyout", key,
                "-out", certificate,
            ])
        guard made.status == 0 else { throw RunningProgram.ProgramFailure(text: made.said) }
    }

    deinit {
        try? FileManager.default.removeItem(at: folder)
    }
}

/// Runs a Python script of the tests, with what Tests/PublicClients/prepare has got from PyPI.
enum PythonScript {
    private static let tests = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    private static let python = tests.deletingLastPathComponent().appendingPathComponent(
        ".build/public-clients/bin/python")

    /// Runs it and gives back its exit status with all that it said.
    ///
    /// - Parameter path: from the folder of all tests.
    static func run(_ path: String, environment: [String: String]) async throws -> (status: Int32, said: String) {
        try #require(
            FileManager.default.isExecutableFile(atPath: python.path),
            "there is no \(python.path): run make test, or Tests/PublicClients/prepare")
        return try await OtherProgram.run(
            python, ["-W", "ignore", tests.appendingPathComponent(path).path],
            environment: environment.merging(["PYTHONDONTWRITEBYTECODE": "1", "PYTHONUTF8": "1"]) { $1 })
    }
}

/// Runs a program to its end.
enum OtherProgram {
    /// Runs it and gives back its exit status with all that it said. It is ended when the task is cancelled.
    static func run(
        _ executable: URL, _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (status: Int32, said: String) {
        let process = Process()
        process.executableURL = executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("PAGINATORD_") && !$0.key.lowercased().hasSuffix("_proxy") }
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        let file = FileManager.default.temporaryDirectory.appendingPathComponent("paginatord-\(UUID().uuidString)")
        _ = FileManager.default.createFile(atPath: file.path, contents: nil)
        defer { try? FileManager.default.removeItem(at: file) }
        let handle = try FileHandle(forWritingTo: file)
        process.standardOutput = handle
        process.standardError = handle
        let (ends, end) = AsyncStream.makeStream(of: Void.self)
        process.terminationHandler = { _ in end.finish() }
        try process.run()
        for await _ in ends {}
        if process.isRunning {
            process.terminate()
            throw CancellationError()
        }
        return (process.terminationStatus, String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
}
