/// The origin of a web page, as browsers write it in `Origin` (RFC 6454 §6.2): scheme, host, and the port where it is not the
/// scheme's own.
public struct WebOrigin: Equatable, Sendable, CustomStringConvertible {
    /// The only spelling that a browser uses.
    public let description: String

    /// Takes an origin that is written as no browser would write it, in capitals or with the scheme's own port, for the one
    /// that is meant. `nil` for what is none: a path, a user, `null`, `*`.
    public init?(_ text: String) {
        guard let colon = text.utf8.firstIndex(of: 0x3A), text[colon...].hasPrefix("://") else { return nil }
        let scheme = text[..<colon].lowercased()
        guard scheme.utf8.first.map({ 0x61...0x7A ~= $0 }) == true, scheme.utf8.allSatisfy(isSchemeByte),
            let host = Host(String(text[colon...].dropFirst(3)))
        else { return nil }
        let ownPort = ["http": 80, "https": 443][scheme]
        let port = host.port == ownPort ? nil : host.port
        description = "\(scheme)://\(host.name)" + (port.map { ":\($0)" } ?? "")
    }
}

private func isSchemeByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x61...0x7A, 0x2B, 0x2D, 0x2E: true
    default: false
    }
}
