import HTTPModel

/// The host and port of an authority.
struct Host: Equatable, Sendable {
    /// The name in lower case without a final dot, or the address; an IPv6 address with its brackets.
    var name: String
    /// The port, `nil` where none is named.
    var port: Int?

    /// Takes an authority apart. `nil` for one that is empty, carries user information, or is no host at all.
    init?(_ authority: String) {
        var name = authority[...]
        if let colon = authority.utf8.lastIndex(of: 0x3A), !authority.hasSuffix("]") {
            let digits = authority[authority.utf8.index(after: colon)...]
            guard digits.isDecimal, let port = Int(digits), port <= 65535 else { return nil }
            self.port = port
            name = authority[..<colon]
        }
        if name.hasPrefix("[") {
            guard name.hasSuffix("]"), isIPv6(name.dropFirst().dropLast()) else { return nil }
        } else {
            if name.hasSuffix(".") { name = name.dropLast() }
            guard isName(name) else { return nil }
        }
        self.name = name.lowercased()
    }

    /// Whether nobody else can have this name point here: a loopback name or an IP address.
    var isOurs: Bool {
        isLoopback || name.hasPrefix("[") || isIPv4(name)
    }

    /// Whether it can only be this machine.
    var isLoopback: Bool {
        name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]"
            || (name.hasPrefix("127.") && isIPv4(name))
    }
}

private func isName(_ name: Substring) -> Bool {
    let labels = name.split(separator: ".", omittingEmptySubsequences: false)
    return name.utf8.count <= 253
        && labels.allSatisfy { label in
            1...63 ~= label.utf8.count
                && label.utf8.allSatisfy { byte in
                    switch byte {
                    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: true
                    default: false
                    }
                }
        }
}

private func isIPv4(_ text: some StringProtocol) -> Bool {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    return parts.count == 4
        && parts.allSatisfy { part in
            1...3 ~= part.utf8.count && part.isDecimal && Int(part).map { $0 < 256 } == true
                && (part.utf8.count == 1 || !part.hasPrefix("0"))
        }
}

/// Eight groups, of which `::` may stand for a run of zeros; the last two may be written as IPv4 (RFC 4291 §2.2).
private func isIPv6(_ text: Substring) -> Bool {
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    var groups = halves.flatMap { $0.isEmpty ? [] : $0.split(separator: ":", omittingEmptySubsequences: false) }
    var count = groups.count
    if let last = groups.last, isIPv4(last), text.hasSuffix(last) {
        groups.removeLast()
        count += 1
    }
    guard halves.count == 1 ? count == 8 : halves.count == 2 && count < 8 else { return false }
    return groups.allSatisfy { 1...4 ~= $0.utf8.count && $0.utf8.allSatisfy { hexadecimalValue($0) != nil } }
}
