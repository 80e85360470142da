import TableAPI

/// Certificate and key of the service itself.
struct TLSConfiguration: Sendable {
    /// The certificate with its intermediates, as PEM.
    var certificateChain: String
    /// The private key, as PEM.
    var key: Secret
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
            let certificateText = section.pem("certificate", at: certificate, .certificate)
            let keyText = section.pem("key", at: key, .privateKey)
            guard let certificateText, let keyText else { return nil }
            certificateChain = certificateText
            self.key = Secret(keyText)
        }
    }
}

extension ConfigurationSection {
    /// The text of a PEM file.
    fileprivate func pem(_ name: String, at path: String, _ label: PEMLabel) -> String? {
        do throws(FileError) {
            return try label.text(at: path)
        } catch {
            complain(name, error.reason)
            return nil
        }
    }
}
