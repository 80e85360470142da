import Foundation
import Testing

@testable import paginatord

struct TLSConfigurationTests {
    private static let text = "{ tls: { certificate: 'c.pem', key: 'k.pem' } }"

    @Test("A key of another certificate, one with a password, and files that only look like PEM are told apart")
    func faults() throws {
        let (first, second) = (try Identity(), try Identity())
        let broken = "-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n"
        func problems(_ certificate: String, _ key: String) -> [String] {
            ConfigurationTests.problems(Self.text, files: ["c.pem": certificate, "k.pem": key])
        }
        #expect(problems(first.certificate, first.key) == [])
        #expect(problems(first.certificate, second.key) == ["tls.key: k.pem does not belong to the certificate"])
        #expect(
            problems(first.certificate, try first.locked()) == [
                "tls.key: k.pem is protected by a password; expected a key without one"
            ])
        #expect(
            problems(broken, first.key).first?.hasPrefix("tls.certificate: c.pem cannot be read as a certificate: ")
                == true)
        let brokenKey = broken.replacing("CERTIFICATE", with: "PRIVATE KEY")
        #expect(
            problems(first.certificate, brokenKey).first?.hasPrefix("tls.key: k.pem cannot be read as a private key: ")
                == true)
    }

    @Test(
        "A certificate that is not valid now, or not much longer, is accepted with a warning",
        arguments: [
            (-1, "is not valid yet"), (1, nil), (24, "expires within a week"), (31, "has expired"),
        ] as [(Int, String?)])
    func validity(day: Int, warning: String?) throws {
        let folder = try TemporaryFolder()
        let identity = try Identity(days: 30)
        let files = TLSConfiguration.Files(
            certificate: try folder.write(identity.certificate, to: "c.pem"),
            key: try folder.write(identity.key, to: "k.pem"))
        let configuration = try TLSConfiguration(reading: files)
        let now = Int(Date().timeIntervalSince1970)
        let found = configuration.warning(at: now + day * 86_400)
        #expect(found == warning.map { "tls.certificate: \(files.certificate) \($0)" })
    }

    @Test("The warning is one of the configuration's")
    func configurationWarning() throws {
        let identity = try Identity(days: 1)
        let configuration = try ConfigurationTests.read(
            Self.text, files: ["c.pem": identity.certificate, "k.pem": identity.key])
        #expect(configuration.warnings.count == 1)
        #expect(configuration.warnings.first?.hasSuffix("expires within a week") == true)
    }

    @Test("An admin listener is one address", arguments: ["{ admin: {} }", "{ admin: { listen: ['127.0.0.1:1'] } }"])
    func admin(text: String) {
        #expect(ConfigurationTests.problems(text).first?.hasPrefix("admin.listen: ") == true)
    }
}
