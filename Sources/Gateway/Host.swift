import HTTPModel

/// The host and port of an authority.
public struct Host: Equatable, Sendable {
    /// The name in lower case without a final dot, or the address; an IPv6 address with its brackets.
    public var name: String
    /// The port, `nil` where none is named.
    public var port: Int?

    /// Takes an authority apart. `nil` for one that is empty, carries user information, or is no host at all.
    public init?(_ authority: String) {
        var name = Substring(authority).utf8
        if let colon = name.lastIndex(of: 0x3A), name.last != 0x5D {
            guard let port = portNumber(name[colon...].dropFirst()) else { return nil }
            self.port = port
            name = name[..<colon]
        }
        if name.first == 0x5B {
            guard name.last == 0x5D, isIPv6(Substring(name.dropFirst().dropLast())) else { return nil }
        } else {
            if name.last == 0x2E { name = name.dropLast() }
            guard isName(name) else { return nil }
        }
        let spelt = String(Substring(name))
        self.name = name.contains { 0x41...0x5A ~= $0 } ? spelt.lowercased() : spelt
    }

    /// Whether nobody else can have this name point here: a loopback name or an IP address.
    public var isOurs: Bool {
        isLoopback || name.hasPrefix("[") || isIPv4(name)
    }

    /// Whether it can only be this machine.
    public var isLoopback: Bool {
        name == "localhost" || name.hasSuffix(".localhost") || name == "[::1]"
            || (name.hasPrefix("127.") && isIPv4(name))
    }
}

private func portNumber(_ digits: Substring.UTF8View) -> Int? {
    var number = 0
    for digit in digits {
        guard 0x30...0x39 ~= digit else { return nil }
        number = number * 10 + Int(digit - 0x30)
        guard number <= 65535 else { return nil }
    }
    return digits.isEmpty ? nil : number
}

/// Labels of 1 to 63 letters, digits, `-` and `_`, 253 bytes in all (RFC 1123 §2.1, and the underscore that is in use).
private func isName(_ name: Substring.UTF8View) -> Bool {
    var length = 0
    var labelLength = 0
    for byte in name {
        length += 1
        labelLength += 1
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x5F: guard labelLength <= 63 else { return false }
        case 0x2E where labelLength > 1: labelLength = 0
        default: return false
        }
    }
    return labelLength > 0 && length <= 253
}

/// Four numbers from 0 to 255 without leading zeros.
private func isIPv4(_ text: some StringProtocol) -> Bool {
    var numbers = 0
    var digits = 0
    var value = 0
    for byte in text.utf8 {
        switch byte {
        case 0x30...0x39:
            guard digits == 0 || value > 0 else { return false }
            value = value * 10 + Int(byte - 0x30)
            digits += 1
            guard value < 256 else { return false }
        case 0x2E:
            guard digits > 0 else { return false }
            numbers += 1
            (digits, value) = (0, 0)
        default: return false
        }
    }
    return numbers == 3 && digits > 0
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
