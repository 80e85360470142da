/// A request target taken apart without being decoded: routes are decided on its raw segments (RFC 9112 §3.2).
public struct RequestTarget: Sendable, Equatable {
    /// The authority of an absolute target (`http://host/…`), `nil` for a target that begins with `/`.
    public var authority: String?
    /// The path as sent, beginning with `/`.
    public var path: String
    /// The part behind the first `?` as sent; `nil` where there is no `?`.
    public var query: String?

    /// Takes a target apart. `nil` for one that is neither an absolute path nor an absolute http(s) URL, or that holds
    /// anything but visible ASCII characters, a fragment, a percent sign without two hexadecimal digits, or a NUL. Nor may
    /// its path hold what others take for another path (RFC 3986 §6.2.2): segments `.` and `..`, a backslash, and a dot, a
    /// slash or a backslash in an escape.
    public init?(_ raw: String) {
        guard isWellFormed(raw.utf8) else { return nil }
        var target = raw[...]
        if raw.utf8.first != 0x2F {
            guard let (authority, rest) = authorityAndTarget(ofURL: raw) else { return nil }
            self.authority = authority
            target = rest[...]
        }
        guard let mark = target.utf8.firstIndex(of: 0x3F) else {
            guard hasOneReading(target.utf8) else { return nil }
            path = String(target)
            return
        }
        guard hasOneReading(target[..<mark].utf8) else { return nil }
        path = String(target[..<mark])
        query = String(target[target.utf8.index(after: mark)...])
    }

    /// The query's parameters in order, names and values percent-decoded, `+` read as a space. Empty pieces (`&&`) are
    /// skipped. `nil` where a name or a value is not UTF-8 or holds a NUL.
    public func parameters() -> [(name: String, value: String)]? {
        guard let query else { return [] }
        var parameters: [(name: String, value: String)] = []
        for piece in query.split(separator: "&") {
            let parts = piece.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            guard let name = percentDecoded(parts[0], plusIsSpace: true),
                let value = percentDecoded(parts.count > 1 ? parts[1] : "", plusIsSpace: true)
            else { return nil }
            parameters.append((name, value))
        }
        return parameters
    }
}

private func isWellFormed(_ target: String.UTF8View) -> Bool {
    var digitsDue = 0
    var value: UInt8 = 0
    for byte in target {
        guard byte > 0x20, byte < 0x7F, byte != 0x23 else { return false }
        if digitsDue > 0 {
            guard let digit = hexadecimalValue(byte) else { return false }
            value = value << 4 | digit
            digitsDue -= 1
            if digitsDue == 0, value == 0 { return false }
        } else if byte == 0x25 {
            digitsDue = 2
        }
    }
    return digitsDue == 0
}

/// Whether nobody makes another path of this one, whose escapes are well-formed.
private func hasOneReading(_ path: Substring.UTF8View) -> Bool {
    var isSuspect = false
    for byte in path where byte == 0x25 || byte == 0x2E || byte == 0x5C { isSuspect = true }
    // Hardly any path has one of the three.
    guard isSuspect else { return true }
    for segment in path.split(separator: 0x2F) {
        if segment.elementsEqual([0x2E]) || segment.elementsEqual([0x2E, 0x2E]) || segment.contains(0x5C) {
            return false
        }
        for (index, byte) in zip(segment.indices, segment) where byte == 0x25 {
            let digits = segment[index...].dropFirst().prefix(2).map { $0 & 0xDF }
            // %2E, %2F and %5C; clearing that bit turns digits into 0x10 to 0x19, and leaves capital letters.
            if [[0x12, 0x45], [0x12, 0x46], [0x15, 0x43]].contains(digits) { return false }
        }
    }
    return true
}

/// The value of an ASCII hexadecimal digit.
public func hexadecimalValue(_ digit: UInt8) -> UInt8? {
    switch digit {
    case 0x30...0x39: digit - 0x30
    case 0x41...0x46: digit - 0x37
    case 0x61...0x66: digit - 0x57
    default: nil
    }
}

/// Decodes percent escapes (RFC 3986 §2.1). `nil` for a broken escape, a NUL, or bytes that are no UTF-8.
public func percentDecoded(_ text: some StringProtocol, plusIsSpace: Bool = false) -> String? {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(text.utf8.count)
    var rest = text.utf8.makeIterator()
    while let byte = rest.next() {
        switch byte {
        case 0x25:
            guard let high = rest.next().flatMap(hexadecimalValue), let low = rest.next().flatMap(hexadecimalValue)
            else { return nil }
            bytes.append(high << 4 | low)
        case 0x2B where plusIsSpace: bytes.append(0x20)
        default: bytes.append(byte)
        }
    }
    guard !bytes.contains(0) else { return nil }
    return String(validating: bytes, as: UTF8.self)
}

/// Appends a text with every byte but the unreserved ones (RFC 3986 §2.3) percent-encoded, `+` included.
public func appendPercentEncoded(_ text: some StringProtocol, to bytes: inout [UInt8]) {
    for byte in text.utf8 {
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: bytes.append(byte)
        default: bytes += [0x25, upperHexadecimalDigit(byte >> 4), upperHexadecimalDigit(byte & 15)]
        }
    }
}

private func upperHexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x37 + value
}
