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
            guard name.last == 0x5D, groupsOfIPv6(Substring(name.dropFirst().dropLast())) != nil else { return nil }
        } else {
            if name.last == 0x2E { name = name.dropLast() }
            guard isName(name) else { return nil }
        }
        let spelt = String(Substring(name))
        self.name = name.contains { 0x41...0x5A ~= $0 } ? spelt.lowercased() : spelt
    }

    /// Whether nobody else can have this name point here: a loopback name or an IP address, but for those that only stand for
    /// another one.
    public var isOurs: Bool {
        isLoopback || ((name.hasPrefix("[") || isIPv4(name)) && !standsForAnother)
    }

    /// Whether it is an address that no machine has and by which this machine is reached all the same: 0.0.0.0, `[::]` and IPv4
    /// addresses in IPv6 (RFC 4291 §2.5.2, §2.5.5; RFC 7915). Browsers do not count them among the loopback addresses, and say
    /// nothing of where a request to them comes from.
    private var standsForAnother: Bool {
        guard name.hasPrefix("[") else { return name.hasPrefix("0.") }
        guard let groups = groupsOfIPv6(name.dropFirst().dropLast()), groups[..<4].allSatisfy({ $0 == 0 }) else {
            return false
        }
        return groups[4...] != [0, 0, 0, 1]
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

private func isIPv4(_ text: some StringProtocol) -> Bool {
    addressOfIPv4(text) != nil
}

/// Four numbers from 0 to 255 without leading zeros, in one. Without memory of its own, since most requests name such a host.
private func addressOfIPv4(_ text: some StringProtocol) -> UInt32? {
    var address: UInt32 = 0
    var numbers = 0
    var digits = 0
    var value: UInt32 = 0
    for byte in text.utf8 {
        switch byte {
        case 0x30...0x39:
            guard digits == 0 || value > 0 else { return nil }
            value = value * 10 + UInt32(byte - 0x30)
            digits += 1
            guard value < 256 else { return nil }
        case 0x2E:
            guard digits > 0, numbers < 3 else { return nil }
            address = address << 8 | value
            numbers += 1
            (digits, value) = (0, 0)
        default: return nil
        }
    }
    return numbers == 3 && digits > 0 ? address << 8 | value : nil
}

/// Eight groups, of which `::` may stand for a run of zeros; the last two may be written as IPv4 (RFC 4291 §2.2).
private func groupsOfIPv6(_ text: Substring) -> [UInt16]? {
    let halves = text.split(separator: "::", omittingEmptySubsequences: false)
    guard halves.count <= 2 else { return nil }
    var read: [[UInt16]] = []
    for (number, half) in halves.enumerated() {
        var groups: [UInt16] = []
        let parts = half.isEmpty ? [] : half.split(separator: ":", omittingEmptySubsequences: false)
        for (index, part) in parts.enumerated() {
            if number == halves.count - 1, index == parts.count - 1, let address = addressOfIPv4(part) {
                groups += [UInt16(truncatingIfNeeded: address >> 16), UInt16(truncatingIfNeeded: address)]
            } else {
                guard 1...4 ~= part.utf8.count, part.utf8.allSatisfy({ hexadecimalValue($0) != nil }),
                    let group = UInt16(part, radix: 16)
                else { return nil }
                groups.append(group)
            }
        }
        read.append(groups)
    }
    let count = read.reduce(0) { $0 + $1.count }
    guard read.count == 2 else { return count == 8 ? read[0] : nil }
    guard count < 8 else { return nil }
    return read[0] + [UInt16](repeating: 0, count: 8 - count) + read[1]
}
