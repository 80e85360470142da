import Pagination

extension ByteWriter {
    /// Writes rows: for each block the length of its text, where the rows stand in it, and the text.
    mutating func rows(_ rows: Rows) {
        number(rows.blocks.count)
        for block in rows.blocks {
            number(block.text.count)
            number(block.extents.count)
            var end = block.text.startIndex
            for extent in block.extents {
                number(extent.lowerBound - end)
                number(extent.count)
                end = extent.upperBound
            }
            append(block.text)
        }
    }
}

extension ByteReader {
    /// Reads rows, whose text stays where it stands.
    ///
    /// - Throws: `SessionEncodingError`.
    mutating func rows() throws(SessionEncodingError) -> Rows {
        var blocks: [Rows.Block] = []
        // What is counted takes a byte each at least, so a false count is noticed before room is made for it.
        for _ in 0..<(try number(upTo: count)) {
            let textCount = try number(upTo: count)
            let extentCount = try number(upTo: count / 2)
            guard extentCount > 0 else { throw .damaged("a block has no rows") }
            var extents: [Range<Int>] = []
            extents.reserveCapacity(extentCount)
            var end = 0
            for _ in 0..<extentCount {
                let start = end + (try number(upTo: textCount - end))
                end = start + (try number(upTo: textCount - start))
                extents.append(start..<end)
            }
            let text = try slice(textCount)
            for index in extents.indices {
                extents[index] =
                    text.startIndex + extents[index].lowerBound..<text.startIndex + extents[index].upperBound
            }
            blocks.append(Rows.Block(text: text, extents: extents))
        }
        guard !blocks.isEmpty else { throw .damaged("there are no rows") }
        return Rows(blocks)
    }
}
