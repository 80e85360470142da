public import Pagination

extension Rows {
    /// Rows of one block from each row's JSON text, set apart by `separator`.
    public init(texts: [String], separator: String = ",") {
        guard !texts.isEmpty else {
            self.init()
            return
        }
        var bytes: [UInt8] = []
        var extents: [Range<Int>] = []
        for text in texts {
            if !bytes.isEmpty { bytes += separator.utf8 }
            extents.append(bytes.count..<bytes.count + text.utf8.count)
            bytes += text.utf8
        }
        self.init([Block(text: bytes[...], extents: extents)])
    }

    /// Each row's JSON text.
    public var texts: [String] {
        objects.map { String(decoding: $0, as: UTF8.self) }
    }
}

extension RowsDigest {
    /// A digest that is equal for equal rows only, as far as a test can tell (FNV-1a, twice); `nil` for no rows.
    public init?(of texts: [String]) {
        guard !texts.isEmpty else { return nil }
        var (high, low): (UInt64, UInt64) = (0xcbf2_9ce4_8422_2325, 0x8422_2325_cbf2_9ce4)
        for byte in texts.joined(separator: "\n").utf8 {
            high = (high ^ UInt64(byte)) &* 0x100_0000_01b3
            low = (low &* 0x100_0000_01b3) ^ UInt64(byte)
        }
        self.init(high: high, low: low)
    }
}

extension PageAnswer {
    /// An answer with these rows and their digest.
    public init(texts: [String], total: Int?, nextOffset: Int? = nil) {
        self.init(
            rows: Rows(texts: texts), total: total, nextOffset: nextOffset, digest: RowsDigest(of: texts))
    }
}
