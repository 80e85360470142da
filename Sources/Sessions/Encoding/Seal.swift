/// What stands around every encoded part: the format's version in front, a checksum of all before it behind.
///
/// The version comes first and is looked at first, so that a later format may do all else differently.
enum Seal {
    /// The format that is written, and the only one that is read.
    static let version = 1
    private static let checksumSize = 8

    /// Appends the checksum of what was written so far.
    static func close(_ writer: inout ByteWriter) {
        writer.word(checksum(writer.bytes[...]))
    }

    /// A reader of what stands between version and checksum.
    ///
    /// - Throws: `SessionEncodingError` where it is not the version that is read here, or the checksum is another.
    static func open(_ bytes: [UInt8]) throws(SessionEncodingError) -> ByteReader {
        guard let first = bytes.first else { throw .damaged("nothing is there") }
        guard first <= version else { throw .newer(version: Int(first)) }
        guard first == version, bytes.count > checksumSize else { throw .damaged("it has no known format") }
        let end = bytes.count - checksumSize
        var stored = ByteReader(bytes[end...])
        guard try stored.word() == checksum(bytes[..<end]) else { throw .damaged("its checksum is another") }
        return ByteReader(bytes[1..<end])
    }

    /// A sum that another text of the same length practically never has; of no use against somebody who wants that. Each
    /// step is invertible, so one changed word always changes it. Four sums side by side, since each step waits for the one
    /// before it.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        let span = bytes.span
        var sums = (UInt64(span.count), UInt64(1), UInt64(2), UInt64(3))
        var index = 0
        while index + 32 <= span.count {
            sums.0 = mixed(sums.0, word(span, index))
            sums.1 = mixed(sums.1, word(span, index + 8))
            sums.2 = mixed(sums.2, word(span, index + 16))
            sums.3 = mixed(sums.3, word(span, index + 24))
            index += 32
        }
        while index < span.count {
            sums.0 = mixed(sums.0, UInt64(span[index]))
            index += 1
        }
        return mixed(mixed(mixed(sums.0, sums.1), sums.2), sums.3)
    }

    private static func mixed(_ sum: UInt64, _ word: UInt64) -> UInt64 {
        let product = (sum ^ word) &* 0x9E37_79B9_7F4A_7C15
        return product ^ product >> 32
    }

    private static func word(_ span: Span<UInt8>, _ index: Int) -> UInt64 {
        var word = UInt64(span[index]) | UInt64(span[index + 1]) << 8
        word |= UInt64(span[index + 2]) << 16 | UInt64(span[index + 3]) << 24
        word |= UInt64(span[index + 4]) << 32 | UInt64(span[index + 5]) << 40
        return word | UInt64(span[index + 6]) << 48 | UInt64(span[index + 7]) << 56
    }
}
