/// What stands around every encoded part: the format's version in front, a checksum of all before it behind.
///
/// The version comes first and is looked at first, so that a later format may do all else differently.
enum Seal {
    /// The format that is written, and the only one that is read.
    static let version = 1
    private static let checksumSize = 8

    /// Appends the checksum of what was written so far.
    static func close(_ writer: inout ByteWriter) {
        let sum = checksum(writer.bytes[...])
        for shift in 0..<checksumSize {
            writer.byte(UInt8(truncatingIfNeeded: sum >> UInt64(8 * shift)))
        }
    }

    /// A reader of what stands between version and checksum.
    ///
    /// - Throws: `SessionEncodingError` where it is not the version that is read here, or the checksum is another.
    static func open(_ bytes: [UInt8]) throws(SessionEncodingError) -> ByteReader {
        guard let first = bytes.first else { throw .damaged("nothing is there") }
        guard first <= version else { throw .newer(version: Int(first)) }
        guard first == version, bytes.count > checksumSize else { throw .damaged("it has no known format") }
        let end = bytes.count - checksumSize
        let stored = bytes[end...].reversed().reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        guard stored == checksum(bytes[..<end]) else { throw .damaged("its checksum is another") }
        return ByteReader(bytes[1..<end])
    }

    /// A sum that another text of the same length practically never has; of no use against somebody who wants that. Each
    /// step is invertible, so one changed word always changes it.
    private static func checksum(_ bytes: ArraySlice<UInt8>) -> UInt64 {
        let prime: UInt64 = 0x9E37_79B9_7F4A_7C15
        let span = bytes.span
        var sum = UInt64(span.count) &* prime
        var index = 0
        while index + 8 <= span.count {
            var word = UInt64(span[index]) | UInt64(span[index + 1]) << 8
            word |= UInt64(span[index + 2]) << 16 | UInt64(span[index + 3]) << 24
            word |= UInt64(span[index + 4]) << 32 | UInt64(span[index + 5]) << 40
            word |= UInt64(span[index + 6]) << 48 | UInt64(span[index + 7]) << 56
            sum = (sum ^ word) &* prime
            sum ^= sum >> 32
            index += 8
        }
        while index < span.count {
            sum = (sum ^ UInt64(span[index])) &* prime
            sum ^= sum >> 32
            index += 1
        }
        return sum
    }
}
