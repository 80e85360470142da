/// One address to listen on.
struct Listener: Sendable, Hashable {
    /// Where.
    var address: BindAddress
    /// Whether the service may do without it, should the machine lack its address family: nobody named it.
    var isOptional = false

    /// What is written of addresses in messages.
    static let expected = "an address such as 127.0.0.1:8080, [::1]:8080, :8080, unix:/run/paginatord.sock or fd:3"

    /// Both loopback addresses on one port.
    static func loopback(port: UInt16) -> [Listener] {
        [
            Listener(address: .tcp(host: "127.0.0.1", port: port), isOptional: true),
            Listener(address: .tcp(host: "::1", port: port), isOptional: true),
        ]
    }

    /// Reads one address as it is written on the command line and in a configuration.
    ///
    /// `:8080` means all addresses, which are those of IPv4 and, where the machine has it, of IPv6. `nil` for what is no
    /// address.
    static func parse(_ text: String) -> [Listener]? {
        if text.hasPrefix("unix:") {
            let path = String(text.dropFirst(5))
            // sun_path holds 108 bytes, a NUL among them (unix(7)).
            guard !path.isEmpty, path.utf8.count < 108, !path.utf8.contains(0) else { return nil }
            return [Listener(address: .unix(path: path))]
        }
        if text.hasPrefix("fd:") {
            guard let number = decimal(text.dropFirst(3)), let descriptor = Int32(exactly: number) else { return nil }
            return [Listener(address: .descriptor(descriptor))]
        }
        guard let colon = text.lastIndex(of: ":"), let number = decimal(text[text.index(after: colon)...]),
            let port = UInt16(exactly: number)
        else { return nil }
        let host = text[..<colon]
        if host.isEmpty {
            return [
                Listener(address: .tcp(host: "0.0.0.0", port: port)),
                Listener(address: .tcp(host: "::", port: port), isOptional: true),
            ]
        }
        if host.hasPrefix("["), host.hasSuffix("]") {
            let literal = host.dropFirst().dropLast()
            guard literal.utf8.contains(0x3A), literal.utf8.allSatisfy(isAddressByte) else { return nil }
            return [Listener(address: .tcp(host: String(literal), port: port))]
        }
        guard host.utf8.allSatisfy(isNameByte) else { return nil }
        return [Listener(address: .tcp(host: String(host), port: port))]
    }
}

/// A number of ASCII digits only: no sign, no white space.
func decimal(_ text: some StringProtocol) -> Int? {
    text.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int(text) : nil
}

/// A byte of an IPv6 literal, which may name a zone (`fe80::1%eth0`).
private func isAddressByte(_ byte: UInt8) -> Bool {
    byte == 0x3A || byte == 0x25 || isNameByte(byte)
}

private func isNameByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F: true
    default: false
    }
}
