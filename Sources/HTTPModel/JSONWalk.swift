/// Walks over a JSON or JSON5 text by its grammar and stops at the first fault.
///
/// It makes no values: reading is simdjson's and Foundation's, this only says where a text went wrong and which names stand
/// out. JSON is that of RFC 8259; JSON5 is what Foundation reads of it, which has neither the escapes `\0`, `\v` and `\x00`
/// nor white space beyond ASCII.
struct JSONWalk {
    /// Where the walk stopped, and why.
    struct Stop: Error {
        /// The byte that is wrong.
        var offset: Int
        /// What is wrong with it.
        var message: String
    }

    /// How much a text may hold.
    struct Limits {
        /// The deepest nesting; by default what Foundation reads.
        var depth = 512
        /// The most values, inner ones and names among them.
        var values = Int.max
    }

    /// What a walk notes on its way; it decodes no more than it needs for that.
    enum Noting {
        /// Nothing but the first fault.
        case nothing
        /// Names that repeat in one object, at any depth.
        case repeatedNames
        /// Members of the root with integers that 64 bits do not hold.
        case wideIntegers
    }

    /// A step into a container.
    private enum Step {
        case member(String)
        case element(Int)

        var name: String {
            switch self {
            case .member(let name): name
            case .element(let index): String(index)
            }
        }
    }

    /// The repeated members so far: the byte where the name begins and the path to it.
    private(set) var repeated: [(offset: Int, path: [String])] = []
    /// The root's members so far that are or hold integers that neither `Int` nor `UInt` can hold.
    private(set) var wide: [String] = []
    private let bytes: [UInt8]
    private let json5: Bool
    private let limits: Limits
    private let noting: Noting
    private var index = 0
    private var count = 0
    private var path: [Step] = []

    /// Begins a walk.
    ///
    /// - Parameter limits: what is a fault if it is exceeded.
    init(_ bytes: [UInt8], json5: Bool = false, limits: Limits, noting: Noting) {
        self.bytes = bytes
        self.json5 = json5
        self.limits = limits
        self.noting = noting
    }

    /// Walks over the whole text.
    mutating func document() throws(Stop) {
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { index = 3 }
        try space()
        try value()
        try space()
        guard index == bytes.count else { throw expected("the end of the text") }
    }

    private var byte: UInt8? {
        index < bytes.count ? bytes[index] : nil
    }

    private mutating func take(_ wanted: UInt8) -> Bool {
        guard byte == wanted else { return false }
        index += 1
        return true
    }

    private func stop(at offset: Int, _ message: String) -> Stop {
        Stop(offset: offset, message: message)
    }

    private func expected(_ wanted: String) -> Stop {
        stop(at: index, "expected \(wanted) but found \(found())")
    }

    // MARK: - Values

    private mutating func value() throws(Stop) {
        try countOne()
        switch byte {
        case 0x7B: try object()
        case 0x5B: try array()
        case 0x22: _ = try string(decoded: false)
        case 0x27 where json5: _ = try string(decoded: false)
        default: try word()
        }
    }

    private mutating func object() throws(Stop) {
        try checkDepth()
        var names: Set<String> = []
        let notesName = noting == .repeatedNames || noting == .wideIntegers && path.isEmpty
        var isFirst = true
        index += 1
        try space()
        if take(0x7D) { return }
        while true {
            let start = index
            let name = try memberName(isFirst: isFirst, decoded: notesName)
            isFirst = false
            path.append(.member(name))
            if noting == .repeatedNames, !names.insert(name).inserted { repeated.append((start, path.map(\.name))) }
            try space()
            guard take(0x3A) else { throw expected(":") }
            try space()
            try value()
            path.removeLast()
            try space()
            if take(0x7D) { return }
            guard take(0x2C) else { throw expected(", or }") }
            try space()
            if json5, take(0x7D) { return }
        }
    }

    private mutating func array() throws(Stop) {
        try checkDepth()
        index += 1
        try space()
        if take(0x5D) { return }
        var count = 0
        while true {
            path.append(.element(count))
            try value()
            path.removeLast()
            count += 1
            try space()
            if take(0x5D) { return }
            guard take(0x2C) else { throw expected(", or ]") }
            try space()
            if json5, take(0x5D) { return }
        }
    }

    private mutating func countOne() throws(Stop) {
        count += 1
        if count > limits.values { throw stop(at: index, "more than \(limits.values) names and values") }
    }

    private func checkDepth() throws(Stop) {
        // The path is as long as the nesting is deep.
        if path.count >= limits.depth { throw stop(at: index, "nested deeper than \(limits.depth) levels") }
    }

    private mutating func memberName(isFirst: Bool, decoded: Bool) throws(Stop) -> String {
        try countOne()
        if byte == 0x22 || (json5 && byte == 0x27) { return try string(decoded: decoded) }
        guard json5 else {
            throw expected(isFirst ? "a name in double quotation marks or }" : "a name in double quotation marks")
        }
        let start = index
        var name: [UInt8] = []
        while let byte, isNamePart(byte) || byte == 0x5C {
            if byte == 0x5C {
                guard index + 1 < bytes.count, bytes[index + 1] == 0x75 else { throw expected("a name") }
                name += try escapedScalar().utf8
            } else {
                name.append(byte)
                index += 1
            }
        }
        guard let first = name.first, !(0x30...0x39).contains(first) else {
            index = start
            throw expected("a name or }")
        }
        return String(decoding: name, as: UTF8.self)
    }

    /// Walks over a literal or a number, which end where neither letter, digit, sign nor point follows.
    private mutating func word() throws(Stop) {
        let start = index
        while let byte, isNamePart(byte) || byte == 0x2B || byte == 0x2D || byte == 0x2E { index += 1 }
        let word = bytes[start..<index]
        if isLiteral(word) { return }
        if JSONNumberGrammar(json5: json5).accepts(word) {
            if noting == .wideIntegers, word.count > 18 { noteInteger(word) }
            return
        }
        index = start
        guard let first = word.first else { throw expected("a value") }
        let looksLikeNumber = (0x30...0x39).contains(first) || [0x2B, 0x2D, 0x2E].contains(first)
        throw looksLikeNumber
            ? stop(at: start, "\(found()) is no number") : expected("a value (texts stand in quotation marks)")
    }

    private func isLiteral(_ word: ArraySlice<UInt8>) -> Bool {
        switch word.first {
        case 0x74: word.elementsEqual("true".utf8)
        case 0x66: word.elementsEqual("false".utf8)
        case 0x6E: word.elementsEqual("null".utf8)
        default: false
        }
    }

    private mutating func noteInteger(_ word: ArraySlice<UInt8>) {
        let text = String(decoding: word, as: UTF8.self)
        guard word.dropFirst().allSatisfy({ (0x30...0x39).contains($0) }), Int(text) == nil, UInt(text) == nil,
            case .member(let name)? = path.first, wide.last != name
        else { return }
        wide.append(name)
    }

    // MARK: - Strings

    /// Walks over a string and returns it with its escapes decoded, or nothing where that is not wanted.
    private mutating func string(decoded: Bool) throws(Stop) -> String {
        let start = index
        let quote = bytes[index]
        var text: [UInt8] = []
        index += 1
        while let byte {
            switch byte {
            case quote:
                index += 1
                return String(decoding: text, as: UTF8.self)
            case 0x5C: try escape(into: &text)
            case 0x0A, 0x0D:
                throw stop(at: start, "the string that begins here has no closing quotation mark on its line")
            case 0..<0x20: throw stop(at: index, "\(found()) has to be escaped in a string")
            default:
                let plain = index
                repeat { index += 1 } while index < bytes.count && isPlain(bytes[index])
                if decoded { text += bytes[plain..<index] }
            }
        }
        throw stop(at: start, "the string that begins here has no closing quotation mark")
    }

    private mutating func escape(into text: inout [UInt8]) throws(Stop) {
        let start = index
        guard start + 1 < bytes.count else {
            index += 1
            return
        }
        let kind = bytes[start + 1]
        switch kind {
        case 0x75:
            text += try escapedScalar().utf8
            return
        case 0x22, 0x2F, 0x5C: text.append(kind)
        case 0x62: text.append(0x08)
        case 0x66: text.append(0x0C)
        case 0x6E: text.append(0x0A)
        case 0x72: text.append(0x0D)
        case 0x74: text.append(0x09)
        case 0x27 where json5: text.append(kind)
        case 0x78 where json5:
            index += 2
            let value = try hexadecimalDigits(2, of: start)
            if value == 0 { throw stop(at: start, "U+0000 cannot stand here") }
            text += Unicode.Scalar(UInt8(truncatingIfNeeded: value)).utf8
            return
        case 0x0A where json5: break
        case 0x0D where json5 && bytes[(start + 2)...].first == 0x0A: index += 1
        default: throw stop(at: start, "\\ begins no escape here; a backslash itself is \\\\")
        }
        index += 2
    }

    /// Walks over `\uXXXX`, or over two of them that make one scalar.
    private mutating func escapedScalar() throws(Stop) -> Unicode.Scalar {
        let start = index
        index += 2
        var value = try hexadecimalDigits(4, of: start)
        if (0xD800...0xDBFF).contains(value), bytes[index...].starts(with: [0x5C, 0x75]) {
            index += 2
            let low = try hexadecimalDigits(4, of: start)
            guard (0xDC00...0xDFFF).contains(low) else { throw stop(at: start, "half of a surrogate pair") }
            value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
        }
        // Foundation refuses it in JSON5, without saying where.
        if json5, value == 0 { throw stop(at: start, "U+0000 cannot stand here") }
        guard let scalar = Unicode.Scalar(value) else { throw stop(at: start, "half of a surrogate pair") }
        return scalar
    }

    private mutating func hexadecimalDigits(_ count: Int, of escape: Int) throws(Stop) -> UInt32 {
        var value: UInt32 = 0
        for _ in 0..<count {
            guard let digit = byte.flatMap(hexadecimalValue) else {
                throw stop(at: escape, "expected \(count) hexadecimal digits in this escape")
            }
            value = value << 4 | UInt32(digit)
            index += 1
        }
        return value
    }

    // MARK: - Between the tokens

    private mutating func space() throws(Stop) {
        while let byte {
            switch byte {
            case 0x20, 0x09, 0x0A, 0x0D: index += 1
            case 0x0B...0x0C where json5: index += 1
            case 0x2F where json5: try comment()
            default: return
            }
        }
    }

    private mutating func comment() throws(Stop) {
        let start = index
        index += 1
        if take(0x2F) {
            while let byte, byte != 0x0A, byte != 0x0D {
                if byte == 0 { throw expected("a comment") }
                index += 1
            }
        } else if take(0x2A) {
            while let byte {
                if byte == 0 { throw expected("a comment") }
                index += 1
                if byte == 0x2A, take(0x2F) { return }
            }
            throw stop(at: start, "the comment that begins here does not end")
        } else {
            throw stop(at: start, "expected // or /* but found a single /")
        }
    }

    // MARK: - What stands there

    /// What a person sees at the present place: a word, a character, or the code of one that cannot be seen.
    private func found() -> String {
        guard let byte else { return "the end of the text" }
        let word = bytes[index...].prefix { isNamePart($0) || $0 == 0x2B || $0 == 0x2D || $0 == 0x2E }.prefix(24)
        if !word.isEmpty, word.allSatisfy({ $0 < 0x80 }) { return String(decoding: word, as: UTF8.self) }
        if byte == 0x22 || byte == 0x27 { return "a string" }
        if byte > 0x20, byte < 0x7F { return String(decoding: [byte], as: UTF8.self) }
        let scalar = String(decoding: bytes[index...].prefix(4), as: UTF8.self).unicodeScalars.first?.value ?? 0
        let digits = String(scalar, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}

/// Whether a byte stands for itself in a string, whatever quotation marks it has.
private func isPlain(_ byte: UInt8) -> Bool {
    byte >= 0x20 && byte != 0x22 && byte != 0x27 && byte != 0x5C
}

/// Whether a byte can be part of a name without quotation marks; every byte above ASCII can.
private func isNamePart(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x24, 0x5F, 0x80...: true
    default: false
    }
}
