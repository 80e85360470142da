/// Why a certificate and a key cannot be a server's identity.
public enum TLSIdentityFault: Error, Equatable, Sendable, CustomStringConvertible {
    /// The certificate cannot be read; the text is the TLS library's.
    case certificate(String)
    /// The key is protected by a password, which nobody is there to type.
    case keyHasPassword
    /// The key cannot be read; the text is the TLS library's.
    case key(String)
    /// The key belongs to another certificate.
    case keyOfAnother

    /// Whether the certificate is at fault, and not the key.
    public var isOfCertificate: Bool {
        if case .certificate = self { true } else { false }
    }

    /// What is wrong, for a person, to follow the name of what is at fault.
    public var description: String {
        switch self {
        case .certificate(let reason): "cannot be read as a certificate: \(reason)"
        case .keyHasPassword: "is protected by a password; expected a key without one"
        case .key(let reason): "cannot be read as a private key: \(reason)"
        case .keyOfAnother: "does not belong to the certificate"
        }
    }
}
