import Glibc
import HTTPServer
import TableAPI

/// Certificate and key of the service itself.
struct TLSConfiguration: Sendable {
    /// The certificate with its intermediates, as PEM.
    var certificateChain: String
    /// The private key, as PEM.
    var key: Secret
    /// The files that both come from.
    var files: Files

    /// Where certificate and key are kept.
    struct Files: Sendable {
        /// The path of the certificate.
        var certificate: String
        /// The path of the key.
        var key: String
    }

    /// Both in the server's terms.
    var identity: HTTPServerConfiguration.TLS {
        HTTPServerConfiguration.TLS(certificateChain: certificateChain, key: key.revealed)
    }
}

extension TLSConfiguration {
    /// Reads both files.
    ///
    /// - Throws: `TLSConfigurationFault` with everything that is wrong.
    init(reading files: Files) throws(TLSConfigurationFault) {
        var fault = TLSConfigurationFault()
        let certificateChain = fault.text(of: \.certificate, at: files.certificate, .certificate)
        let key = fault.text(of: \.key, at: files.key, .privateKey)
        guard let certificateChain, let key else { throw fault }
        self.init(certificateChain: certificateChain, key: Secret(key), files: files)
        do {
            _ = try identity.validity()
        } catch {
            if error.isOfCertificate {
                fault.certificate = "\(printable(files.certificate)) \(error)"
            } else {
                fault.key = "\(printable(files.key)) \(error)"
            }
            throw fault
        }
    }

    /// What is to be said of a certificate that will not do now, or not much longer; `nil` for a good one.
    func warning(at seconds: Int) -> String? {
        guard let validity = try? identity.validity() else { return nil }
        let name = "tls.certificate: \(printable(files.certificate))"
        if validity.ends < seconds { return "\(name) has expired" }
        if validity.begins > seconds { return "\(name) is not valid yet" }
        return validity.ends < seconds + 7 * 86_400 ? "\(name) expires within a week" : nil
    }
}

/// Why the service cannot have its certificate and key: what is wrong with each, where something is.
struct TLSConfigurationFault: Error, CustomStringConvertible {
    /// What is wrong with `tls.certificate`.
    var certificate: String?
    /// What is wrong with `tls.key`.
    var key: String?

    /// One line for a person.
    var description: String {
        [certificate.map { "tls.certificate: \($0)" }, key.map { "tls.key: \($0)" }].compactMap { $0 }
            .joined(separator: "; ")
    }

    fileprivate mutating func text(
        of part: WritableKeyPath<TLSConfigurationFault, String?>, at path: String, _ label: PEMLabel
    ) -> String? {
        do throws(FileError) {
            return try label.text(at: path)
        } catch {
            self[keyPath: part] = error.reason
            return nil
        }
    }
}

extension TLSConfiguration {
    /// Takes `tls`; `nil` where there is none.
    init?(in root: inout ConfigurationSection) {
        var section = root.section("tls")
        defer { section.finish() }
        let certificate = section.file("certificate")
        let key = section.file("key")
        switch (certificate, key) {
        case (nil, nil):
            if root.has("tls"), section.names.isEmpty { section.complain("certificate", "not set") }
            return nil
        case (nil, _?):
            if !section.has("certificate") { section.complain("certificate", "not set, though there is a key") }
            return nil
        case (_?, nil):
            if !section.has("key") { section.complain("key", "not set, though there is a certificate") }
            return nil
        case (let certificate?, let key?):
            do throws(TLSConfigurationFault) {
                try self.init(reading: Files(certificate: certificate, key: key))
            } catch {
                if let detail = error.certificate { section.complain("certificate", detail) }
                if let detail = error.key { section.complain("key", detail) }
                return nil
            }
            if let warning = warning(at: time(nil)) { section.reading.warn(warning) }
        }
    }
}
