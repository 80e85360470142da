import PaginatordTesting

/// The visible characters of ASCII.
let visible = String(decoding: 0x21...0x7E as ClosedRange<UInt8>, as: UTF8.self)

extension SeededGenerator {
    /// One of them, of which there is at least one.
    mutating func one<Element>(of list: [Element]) -> Element {
        list[Int.random(in: list.indices, using: &self)]
    }

    /// Them in another order.
    mutating func shuffled<Element>(_ list: [Element]) -> [Element] {
        list.shuffled(using: &self)
    }

    /// So many of these characters.
    mutating func text(of characters: String, _ count: ClosedRange<Int>) -> String {
        let characters = Array(characters)
        return String((0..<Int.random(in: count, using: &self)).map { _ in one(of: characters) })
    }

    /// A text with another one somewhere in it.
    mutating func inserted(_ other: String, into text: String) -> String {
        var scalars = Array(text.unicodeScalars)
        scalars.insert(contentsOf: other.unicodeScalars, at: Int.random(in: 0...scalars.count, using: &self))
        var result = String.UnicodeScalarView()
        result.append(contentsOf: scalars)
        return String(result)
    }

    /// A text with one character more, less, or in place of another one.
    mutating func edited(_ text: String, _ characters: String) -> String {
        var result = Array(text)
        repeat {
            result = Array(text)
            let place = Int.random(in: result.indices, using: &self)
            switch Int.random(in: 0..<3, using: &self) {
            case 0: result.insert(one(of: Array(characters)), at: place)
            case 1: result[place] = one(of: Array(characters))
            default: result.remove(at: place)
            }
        } while String(result) == text
        return String(result)
    }

    /// A text in small letters with some of them capital, at least one where it begins with a letter.
    mutating func recased(_ text: String) -> String {
        text.prefix(1).uppercased()
            + text.dropFirst().map { Bool.random(using: &self) ? $0.uppercased() : $0.lowercased() }.joined()
    }

    /// So many numbers of an IPv4 address.
    mutating func address(_ count: Int) -> String {
        (0..<count).map { _ in String(UInt8.random(in: 0...255, using: &self)) }.joined(separator: ".")
    }

    /// An IPv6 address of no machine, in brackets.
    mutating func longAddress() -> String {
        "[2001:db8:\(String(UInt16.random(in: 0...(.max), using: &self), radix: 16))::\(text(of: "123abc", 1...4))]"
    }

    /// A colon and a port, or nothing.
    mutating func port() -> String {
        Bool.random(using: &self) ? ":\(UInt16.random(in: 1...(.max), using: &self))" : ""
    }

    /// A JSON string, some of it in escapes.
    mutating func json(_ text: String) -> String {
        let parts = text.unicodeScalars.map { scalar in
            guard scalar.value < 0x20 || scalar == "\"" || scalar == "\\" || Int.random(in: 0..<5, using: &self) == 0
            else { return String(scalar) }
            return String(scalar).utf16.map { "\\u" + String(0x10000 + Int($0), radix: 16).dropFirst() }.joined()
        }
        return "\"\(parts.joined())\""
    }

    /// Some of what a browser says of a request, but that.
    mutating func fetchLines(without name: String) -> [String] {
        [
            "Sec-Fetch-Site: \(one(of: ["same-origin", "none", "same-site", "cross-site"]))",
            "Sec-Fetch-Mode: \(one(of: ["cors", "same-origin", "navigate", "websocket"]))",
            "Sec-Fetch-Dest: \(one(of: ["empty", "document", "iframe", "image"]))",
        ].filter { !$0.hasPrefix("Sec-Fetch-\(name):") && Bool.random(using: &self) }
    }

    /// An origin that is neither listed nor the service's own, most often nearly so.
    mutating func foreignOrigin(_ port: UInt16) -> String {
        let own = "http://localhost:\(port)"
        let base = one(of: Deployment.origins + [own])
        let parts = base.split(separator: "://", maxSplits: 1)
        let (scheme, authority) = (String(parts[0]), String(parts[1]))
        switch Int.random(in: 0..<8, using: &self) {
        case 0: return "\(scheme)://\(text(of: "abcwx-", 1...9)).\(authority)"
        case 1:
            return base
                + one(of: [".evil.example", "evil", "@evil.example", "/", "/x", "?", "#", "%00", ":", "..", "1/"])
        case 2:
            return "\(one(of: ["ftp", "ws", "wss", "file", "HTTP", "Https", "null", "", scheme + "x"]))://\(authority)"
        case 3: return "\(scheme)://\(text(of: "abc", 1...5))\(one(of: ["@", ":x@", "%40", "."]))\(authority)"
        case 4: return base == own ? "https://localhost:\(port)" : base + ":\(one(of: ["80", "443", "8443", "0", "x"]))"
        case 5: return recased(one(of: Deployment.origins))
        case 6:
            return "\(one(of: ["http", "https", "chrome-extension", "moz-extension"]))://\(text(of: "abcxyz-", 1...20))"
                + one(of: ["", ".example", ".localhost", ".app.example"]) + self.port()
        default:
            let origin = edited(one(of: Deployment.origins), visible + "éа")
            return Deployment.origins.contains(origin) ? origin + "x" : origin
        }
    }
}

/// Every byte but the unreserved ones as an escape.
func percentEncoded(_ text: String) -> String {
    text.utf8.map { byte in
        switch byte {
        case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2D, 0x2E, 0x5F, 0x7E: String(UnicodeScalar(byte))
        default: "%" + String(0x100 + Int(byte), radix: 16).dropFirst()
        }
    }.joined()
}
