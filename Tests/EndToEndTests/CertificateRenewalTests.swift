import Foundation
import Glibc
import PaginatordTesting
import Testing

/// The service's own certificate, from a file that changes while it runs.
@Suite(.timeLimit(.minutes(10)))
struct CertificateRenewalTests {
    /// Runs a program of the system and gives back its exit status.
    private func run(_ arguments: String...) async throws -> Int32 {
        let program = try RunningProgram(arguments, executable: URL(fileURLWithPath: "/usr/bin/env"))
        return try await program.exitStatus()
    }

    private func makeIdentity(_ name: String, in folder: OwnFolder) async throws {
        let status = try await run(
            "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
            "30",
            "-keyout", folder.path("\(name).key"), "-out", folder.path("\(name).pem"), "-subj", "/CN=\(name)",
            "-addext",
            "subjectAltName=IP:127.0.0.1")
        try #require(status == 0)
    }

    /// Puts the files of that name in the place of those that the service reads.
    private func install(certificate: String, key: String, in folder: OwnFolder) throws {
        for (source, target) in [("\(certificate).pem", "certificate.pem"), ("\(key).key", "key.pem")] {
            let data = try Data(contentsOf: URL(fileURLWithPath: folder.path(source)))
            try data.write(to: URL(fileURLWithPath: folder.path(target)), options: .atomic)
        }
    }

    @Test("SIGHUP renews the certificate; one that will not do is named in the log, and the former stays in use")
    func renewal() async throws {
        let folder = try OwnFolder()
        for name in ["first", "second"] { try await makeIdentity(name, in: folder) }
        try install(certificate: "first", key: "first", in: folder)
        let text = "{ tls: { certificate: 'certificate.pem', key: 'key.pem' }, listen: ['127.0.0.1:0'] }"
        try text.write(toFile: folder.path("c.json5"), atomically: true, encoding: .utf8)
        let program = try RunningProgram(["serve", "--demo", "--config", folder.path("c.json5")])
        let url = try await program.listeningURL() + "/livez"
        func isTrusted(_ name: String) async throws -> Bool {
            try await run("curl", "-sf", "-o", "/dev/null", "--cacert", folder.path("\(name).pem"), url) == 0
        }
        #expect(try await isTrusted("first"))

        try install(certificate: "second", key: "second", in: folder)
        program.signal(SIGHUP)
        try await eventually("the certificate is renewed") { program.standardError.contains("setting-renewed") }
        #expect(try await isTrusted("second"))
        #expect(try await !isTrusted("first"))

        try install(certificate: "first", key: "second", in: folder)
        program.signal(SIGHUP)
        try await eventually("the certificate is refused") { program.standardError.contains("setting-not-renewed") }
        #expect(program.standardError.contains("key.pem does not belong to the certificate"))
        #expect(try await isTrusted("second"))
        #expect(try await program.stop() == 0)
    }
}
