/// Rows as bytes, exactly as the source sent them.
///
/// They are kept in blocks: one block is the text between the brackets of one JSON array, so that a page can be sent
/// without touching its rows and two halves of a window can be joined without copying either.
public struct Rows: Sendable, Equatable {
    /// Neighbouring rows in one piece of text.
    public struct Block: Sendable, Equatable {
        /// From the first row's `{` to the last row's `}`, with whatever stands between the rows.
        public var text: ArraySlice<UInt8>
        /// Where each row stands, as indices of `text`. Never empty.
        public var extents: [Range<Int>]

        /// Makes a block; `extents` must be in order, within `text`, and not empty.
        public init(text: ArraySlice<UInt8>, extents: [Range<Int>]) {
            self.text = text
            self.extents = extents
        }
    }

    /// The blocks, in order.
    public private(set) var blocks: [Block]

    /// Makes rows of blocks.
    public init(_ blocks: [Block] = []) {
        self.blocks = blocks
    }

    /// The number of rows.
    public var count: Int {
        blocks.reduce(0) { $0 + $1.extents.count }
    }

    /// Whether there are none.
    public var isEmpty: Bool {
        blocks.isEmpty
    }

    /// The number of bytes of their text.
    public var byteCount: Int {
        blocks.reduce(0) { $0 + $1.text.count }
    }

    /// Each row's JSON object.
    public var objects: some Sequence<ArraySlice<UInt8>> {
        blocks.lazy.flatMap { block in block.extents.lazy.map { block.text[$0] } }
    }

    /// The same rows, divided into neighbouring ones of about that many bytes each, or of one larger row. Nothing is copied.
    public func parts(byteCount limit: Int) -> some Sequence<Rows> {
        blocks.lazy.flatMap { block in
            sequence(state: 0) { (first: inout Int) -> Rows? in
                guard first < block.extents.count else { return nil }
                let start = block.extents[first].lowerBound
                let rest = block.extents[(first + 1)...]
                let end = rest.firstIndex { $0.upperBound - start > limit } ?? block.extents.endIndex
                defer { first = end }
                return Rows([
                    Block(
                        text: block.text[start..<block.extents[end - 1].upperBound],
                        extents: Array(block.extents[first..<end]))
                ])
            }
        }
    }

    /// Adds the rows of the window behind this one.
    public mutating func append(_ rows: Rows) {
        blocks += rows.blocks
    }
}
