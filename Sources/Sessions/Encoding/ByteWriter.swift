/// Writes values as bytes, as `ByteReader` reads them.
package struct ByteWriter {
    /// What was written so far.
    package private(set) var bytes: [UInt8]

    /// Begins with nothing written.
    ///
    /// - Parameter capacity: how many bytes are expected.
    package init(capacity: Int = 0) {
        bytes = []
        bytes.reserveCapacity(capacity)
    }

    /// Writes one byte.
    package mutating func byte(_ value: UInt8) {
        bytes.append(value)
    }

    /// Writes a number ≥ 0: seven bits to a byte, the lowest first, the eighth says that more follow.
    package mutating func number(_ value: Int) {
        var rest = UInt(bitPattern: value)
        while rest > 0x7F {
            bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        bytes.append(UInt8(truncatingIfNeeded: rest))
    }

    /// Writes 64 bits, the lowest byte first.
    package mutating func word(_ value: UInt64) {
        for shift in 0..<8 { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * shift))) }
    }

    /// Writes a text: its number of bytes, then itself in UTF-8.
    package mutating func text(_ value: String) {
        number(value.utf8.count)
        bytes.append(contentsOf: value.utf8)
    }

    /// Writes bytes as they are.
    package mutating func append(_ value: ArraySlice<UInt8>) {
        bytes.append(contentsOf: value)
    }

    /// Writes up to eight yes-or-no values as one byte, the first as the lowest bit.
    package mutating func flags(_ values: Bool...) {
        byte(values.enumerated().reduce(0) { $0 | ($1.element ? 1 : 0) << UInt8($1.offset) })
    }
}
