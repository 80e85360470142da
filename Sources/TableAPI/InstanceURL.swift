import HTTPModel

/// Where an instance answers: `https` with a host, and maybe a port and a path; `http` only on this machine.
///
/// A user name in a URL would end up in logs, and a query or fragment would swallow what is appended; none is allowed.
public struct InstanceURL: Sendable, Equatable, CustomStringConvertible {
    /// The URL without a slash at its end.
    public let description: String
    /// The host, in lower case; an IPv6 literal in its brackets.
    let host: String
    /// Whether the host is this machine by its name or literal.
    public let isLoopback: Bool

    /// Checks a URL.
    ///
    /// - Throws: `InstanceError.invalidURL`.
    public init(_ text: String) throws(InstanceError) {
        guard
            let scheme = ["https://", "http://"].first(where: { equalIgnoringCase($0, String(text.prefix($0.count))) })
        else { throw .invalidURL("the URL must begin with https://") }
        let rest = text.dropFirst(scheme.count)
        let authority = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
        var path = rest.dropFirst(authority.count)
        while path.hasSuffix("/") { path = path.dropLast() }
        guard path.utf8.allSatisfy(isPathByte), percentDecoded(path) != nil else {
            throw .invalidURL("the URL may have a path, but no query, no fragment and no other characters")
        }
        guard let (host, port) = hostAndPort(of: authority) else {
            throw .invalidURL("the URL must name a host, with a port from 1 to 65535 or none, and no user")
        }
        self.host = host
        isLoopback = isLoopbackHost(host)
        guard scheme == "https://" || isLoopback else {
            throw .invalidURL("http is allowed only to this machine; use https")
        }
        description = scheme + host + (port.map { ":\($0)" } ?? "") + path
    }
}

private func isPathByte(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E, 0x2F, 0x25: true
    default: false
    }
}

private func hostAndPort(of authority: Substring) -> (host: String, port: Int?)? {
    let isLiteral = authority.hasPrefix("[")
    let end = isLiteral ? authority.firstIndex(of: "]").map(authority.index(after:)) : authority.firstIndex(of: ":")
    let host = String(authority[..<(end ?? authority.endIndex)]).lowercased()
    let rest = authority[(end ?? authority.endIndex)...]
    guard isLiteral ? isAddressLiteral(host) : isHostName(host) else { return nil }
    if rest.isEmpty { return (host, nil) }
    let digits = rest.dropFirst()
    guard rest.first == ":", digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = Int(digits),
        1...65535 ~= port
    else { return nil }
    return (host, port)
}

/// Not a full check of an address, but nothing that could change what the URL means gets through.
private func isAddressLiteral(_ host: String) -> Bool {
    let inner = host.dropFirst().dropLast()
    return host.hasSuffix("]") && inner.utf8.contains(0x3A)
        && inner.utf8.allSatisfy { hexadecimalValue($0) != nil || $0 == 0x3A || $0 == 0x2E }
}

private func isHostName(_ host: String) -> Bool {
    host.utf8.count <= 253
        && host.split(separator: ".", omittingEmptySubsequences: false).allSatisfy { label in
            !label.isEmpty
                && label.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x7A ~= $0 || $0 == 0x2D || $0 == 0x5F }
        }
}

private func isLoopbackHost(_ host: String) -> Bool {
    if host == "localhost" || host.hasSuffix(".localhost") || host == "[::1]" { return true }
    let octets = host.split(separator: ".", omittingEmptySubsequences: false).map { UInt8($0) }
    return octets.count == 4 && octets[0] == 127 && octets.allSatisfy { $0 != nil }
}
