public import Pagination

/// Writes records down, batch by batch, in the order in which they come.
///
/// A whole text is `head`, the pieces of all batches, and `tail`. One that has to end early ends with `failure`, from which
/// a reader sees that it is not whole; an array is then left open.
public struct RecordEncoder: Sendable {
    /// How records are written down.
    public let format: RecordFormat
    private let table: CommaSeparatedTable
    private var isFirst = true

    /// Makes an encoder.
    ///
    /// - Parameters:
    ///   - fields: the columns of `csv`, each once, at least one; the others write records as they came.
    ///   - guardsCells: whether `csv` puts an apostrophe in front of what a spreadsheet would take for a formula.
    public init(_ format: RecordFormat, fields: [String] = [], guardsCells: Bool = false) {
        self.format = format
        table = CommaSeparatedTable(fields: fields, guardsCells: guardsCells)
    }

    /// What stands in front of the first record.
    public var head: [UInt8] {
        switch format {
        case .ndjson: []
        case .csv: table.header
        case .json: [0x5B]
        }
    }

    /// What stands behind the last record.
    public var tail: [UInt8] {
        format == .json ? [0x5D] : []
    }

    /// The text of further records.
    ///
    /// - Throws: `RecordEncoderError`.
    public mutating func pieces(of rows: Rows) throws(RecordEncoderError) -> [ArraySlice<UInt8>] {
        var pieces: [ArraySlice<UInt8>] = []
        for block in rows.blocks {
            switch format {
            case .ndjson: pieces.append(lines(of: block)[...])
            case .csv: pieces.append(try table.lines(of: block)[...])
            case .json:
                if !isFirst { pieces.append([0x2C]) }
                pieces.append(block.text)
            }
            isFirst = false
        }
        return pieces
    }

    /// What stands behind the last record of a text that is not whole.
    ///
    /// - Parameter report: what went wrong and where to go on, as a JSON object without line breaks.
    public func failure(_ report: [UInt8]) -> [UInt8] {
        switch format {
        case .ndjson: Array(#"{"$error":"#.utf8) + report + [0x7D, 0x0A]
        case .csv: Array("# error: ".utf8) + report + [0x0D, 0x0A]
        case .json: []
        }
    }
}

/// Why records cannot be written down.
public enum RecordEncoderError: Error, Equatable {
    /// There was no memory to read them, or one of them is no JSON object; none that came from an instance is.
    case unreadable
}

/// Line breaks stand between the tokens of JSON only, never within one; as spaces they do not end the line.
private func lines(of block: Rows.Block) -> [UInt8] {
    var lines: [UInt8] = []
    lines.reserveCapacity(block.text.count + 1)
    for extent in block.extents {
        let start = lines.count
        lines += block.text[extent]
        for index in start..<lines.count where lines[index] == 0x0A || lines[index] == 0x0D { lines[index] = 0x20 }
        lines.append(0x0A)
    }
    return lines
}
