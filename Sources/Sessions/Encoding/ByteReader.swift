/// Reads values from bytes, as `ByteWriter` writes them; refuses whatever that would not have written.
package struct ByteReader {
    private var rest: ArraySlice<UInt8>

    /// Reads from the first byte on.
    package init(_ bytes: ArraySlice<UInt8>) {
        rest = bytes
    }

    /// How many bytes are left.
    package var count: Int { rest.count }

    /// Reads one byte.
    ///
    /// - Throws: `SessionEncodingError`.
    package mutating func byte() throws(SessionEncodingError) -> UInt8 {
        guard let value = rest.popFirst() else { throw .damaged("it ends early") }
        return value
    }

    /// Reads a number from 0 to the bound.
    ///
    /// - Throws: `SessionEncodingError`.
    package mutating func number(upTo bound: Int = .max) throws(SessionEncodingError) -> Int {
        var value: UInt = 0
        var shift: UInt = 0
        while true {
            let byte = try byte()
            // Nine bytes hold the 63 bits of the largest number; a last byte of 0 would be a second spelling.
            guard shift < 63, byte != 0 || shift == 0 else { throw .damaged("a number is malformed") }
            value |= UInt(byte & 0x7F) << shift
            shift += 7
            if byte & 0x80 == 0 { break }
        }
        guard value <= UInt(bound) else { throw .damaged("a number is too large") }
        return Int(value)
    }

    /// Reads 64 bits.
    ///
    /// - Throws: `SessionEncodingError`.
    package mutating func word() throws(SessionEncodingError) -> UInt64 {
        try slice(8).reversed().reduce(0) { $0 << 8 | UInt64($1) }
    }

    /// Reads a text.
    ///
    /// - Throws: `SessionEncodingError`.
    package mutating func text() throws(SessionEncodingError) -> String {
        let bytes = try slice(try number())
        guard let text = String(validating: bytes, as: UTF8.self) else { throw .damaged("a text is no UTF-8") }
        return text
    }

    /// Reads that many bytes, without copying them.
    ///
    /// - Throws: `SessionEncodingError`.
    package mutating func slice(_ count: Int) throws(SessionEncodingError) -> ArraySlice<UInt8> {
        guard count <= rest.count else { throw .damaged("it ends early") }
        defer { rest = rest.dropFirst(count) }
        return rest.prefix(count)
    }

    /// Reads yes-or-no values.
    ///
    /// - Parameter count: how many were written, at most 8.
    /// - Throws: `SessionEncodingError`; `unknownFields` where more of them are set.
    package mutating func flags(_ count: Int) throws(SessionEncodingError) -> [Bool] {
        let byte = try byte()
        guard count == 8 || byte >> UInt8(count) == 0 else { throw .unknownFields }
        return (0..<count).map { byte >> UInt8($0) & 1 == 1 }
    }

    /// Ends the reading.
    ///
    /// - Throws: `SessionEncodingError.unknownFields` where anything is left.
    package func end() throws(SessionEncodingError) {
        guard rest.isEmpty else { throw .unknownFields }
    }
}
