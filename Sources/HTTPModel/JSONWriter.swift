/// Writes JSON text, member by member, into bytes. The caller keeps objects and arrays balanced.
public struct JSONWriter {
    /// What has been written.
    public private(set) var bytes: [UInt8] = []
    private var needsComma = false
    private let escapesInvisible: Bool

    /// Makes a writer with room for that many bytes.
    ///
    /// - Parameter escapesInvisible: whether characters beyond ASCII that steer a terminal, turn the direction of text or
    ///   break a line (Unicode categories Cc, Cf, Zl and Zp) are escaped as well; readers of the JSON see no difference.
    public init(capacity: Int = 512, escapesInvisible: Bool = false) {
        self.escapesInvisible = escapesInvisible
        bytes.reserveCapacity(capacity)
    }

    /// Begins an object whose end is written by other means.
    public mutating func beginObject() {
        open(0x7B)
    }

    /// Writes an object; its members are written by the closure.
    public mutating func object(_ members: (inout JSONWriter) -> Void) {
        open(0x7B)
        members(&self)
        close(0x7D)
    }

    /// Writes an array; its elements are written by the closure.
    public mutating func array(_ elements: (inout JSONWriter) -> Void) {
        open(0x5B)
        elements(&self)
        close(0x5D)
    }

    /// Writes a member's name; its value has to follow.
    public mutating func name(_ name: String) {
        string(name)
        bytes.append(0x3A)
        needsComma = false
    }

    /// Writes a string, or null.
    public mutating func value(_ value: String?) {
        if let value { string(value) } else { literal("null") }
    }

    /// Writes an integer, or null.
    public mutating func value(_ value: Int?) {
        if let value { literal(String(value)) } else { literal("null") }
    }

    /// Writes a number; one that JSON does not have (NaN, infinity) becomes null.
    public mutating func value(_ value: Double) {
        literal(value.isFinite ? String(value) : "null")
    }

    /// Writes a Boolean.
    public mutating func value(_ value: Bool) {
        literal(value ? "true" : "false")
    }

    /// Writes any JSON value.
    public mutating func value(_ value: JSONValue) {
        switch value {
        case .null: literal("null")
        case .bool(let value): self.value(value)
        case .integer(let value): self.value(value)
        case .number(let value): self.value(value)
        case .string(let value): self.value(value)
        case .array(let elements): array { writer in elements.forEach { writer.value($0) } }
        case .object(let members):
            object { writer in
                for (name, value) in members.sorted(by: { $0.key < $1.key }) {
                    writer.name(name)
                    writer.value(value)
                }
            }
        case .written(let text):
            separate()
            bytes += text
            needsComma = true
        }
    }

    /// Writes a member with its value.
    public mutating func member(_ name: String, _ value: String?) {
        self.name(name)
        self.value(value)
    }

    /// Writes a member with its value.
    public mutating func member(_ name: String, _ value: Int?) {
        self.name(name)
        self.value(value)
    }

    /// Writes a member with its value.
    public mutating func member(_ name: String, _ value: Bool) {
        self.name(name)
        self.value(value)
    }

    private mutating func open(_ bracket: UInt8) {
        separate()
        bytes.append(bracket)
        needsComma = false
    }

    private mutating func close(_ bracket: UInt8) {
        bytes.append(bracket)
        needsComma = true
    }

    private mutating func separate() {
        if needsComma { bytes.append(0x2C) }
    }

    private mutating func literal(_ text: String) {
        separate()
        bytes.append(contentsOf: text.utf8)
        needsComma = true
    }

    private mutating func string(_ text: String) {
        separate()
        bytes.append(0x22)
        if escapesInvisible {
            for scalar in text.unicodeScalars {
                if isInvisible(scalar) {
                    for unit in scalar.utf16 { appendEscape(unit) }
                } else {
                    appendEscaped(scalar.utf8)
                }
            }
        } else if text.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x22 && $0 != 0x5C && $0 != 0x7F }) {
            bytes.append(contentsOf: text.utf8)
        } else {
            appendEscaped(text.utf8)
        }
        bytes.append(0x22)
        needsComma = true
    }

    private mutating func appendEscaped(_ text: some Sequence<UInt8>) {
        for byte in text {
            switch byte {
            case 0x22, 0x5C: bytes += [0x5C, byte]
            case 0x0A: bytes += [0x5C, 0x6E]
            case 0x0D: bytes += [0x5C, 0x72]
            case 0x09: bytes += [0x5C, 0x74]
            case 0..<0x20, 0x7F: appendEscape(UInt16(byte))
            default: bytes.append(byte)
            }
        }
    }

    private mutating func appendEscape(_ unit: UInt16) {
        bytes += [0x5C, 0x75]
        for shift in [12, 8, 4, 0] {
            bytes.append(hexadecimalDigit(UInt8(truncatingIfNeeded: unit >> UInt16(shift)) & 15))
        }
    }
}

private func isInvisible(_ scalar: Unicode.Scalar) -> Bool {
    guard !scalar.isASCII else { return false }
    switch scalar.properties.generalCategory {
    case .control, .format, .lineSeparator, .paragraphSeparator: return true
    default: return false
    }
}

/// The lower-case hexadecimal digit of a value 0…15, in ASCII.
public func hexadecimalDigit(_ value: UInt8) -> UInt8 {
    value < 10 ? 0x30 + value : 0x57 + value
}
