import CSimdJSON
package import Pagination

/// What some fields of rows hold, as text: strings unescaped, everything else as it stands in the row, and nothing for null
/// and for fields that a row does not have.
package struct RowCells: Sendable {
    /// The number of rows.
    package let rowCount: Int
    private let columnCount: Int
    /// All cells, one behind the other, row by row.
    private var text: [UInt8] = []
    private var ends = [0]

    /// Reads a block of rows.
    ///
    /// - Parameter fields: the fields, each once.
    /// - Throws: `RowCellsError`; not for rows that a `PageBody` found, unless there is no memory.
    package init(_ block: Rows.Block, fields: [String]) throws(RowCellsError) {
        rowCount = block.extents.count
        columnCount = fields.count
        text.reserveCapacity(block.text.count)
        ends.reserveCapacity(rowCount * columnCount + 1)
        let names = fields.joined().utf8.map { CChar(bitPattern: $0) }
        let outcome = withUnsafeTemporaryAllocation(of: csimdjson_text.self, capacity: 2 * max(1, fields.count)) {
            room in
            // Safe because nothing that the calls return or are given outlives the closures, and these neither suspend nor
            // read another text: the strings of a row are copied before the next row is read.
            names.withUnsafeBufferPointer { names in
                block.text.withUnsafeBufferPointer { bytes in
                    defer { csimdjson_finish() }
                    var end = 0
                    for (column, field) in fields.enumerated() {
                        let length = field.utf8.count
                        let start = names.baseAddress.map { $0 + end }
                        room.initializeElement(at: column, to: csimdjson_text(bytes: start, length: length))
                        end += length
                    }
                    for extent in block.extents {
                        let start = bytes.baseAddress.map { $0 + (extent.lowerBound - block.text.startIndex) }
                        let outcome = csimdjson_read_cells(
                            start, extent.count, room.baseAddress, columnCount,
                            room.baseAddress.map { $0 + columnCount })
                        guard outcome == .CSIMDJSON_VALUES else { return outcome }
                        for cell in room[columnCount..<2 * columnCount] { append(cell) }
                    }
                    return .CSIMDJSON_VALUES
                }
            }
        }
        switch outcome {
        case .CSIMDJSON_VALUES: break
        case .CSIMDJSON_OUT_OF_MEMORY: throw .noMemory
        case .CSIMDJSON_REFUSED, .CSIMDJSON_TOO_MANY: throw .unreadable
        }
    }

    /// The text of one cell.
    package subscript(row: Int, column: Int) -> ArraySlice<UInt8> {
        let cell = row * columnCount + column
        return text[ends[cell]..<ends[cell + 1]]
    }

    /// Safe because the cell's text stays until the next row is read, and is copied here.
    private mutating func append(_ cell: csimdjson_text) {
        if let start = cell.bytes { text += UnsafeRawBufferPointer(start: start, count: cell.length) }
        ends.append(text.count)
    }
}

/// Why the fields of rows cannot be read.
package enum RowCellsError: Error, Equatable {
    /// A row is no JSON object.
    case unreadable
    /// There was no memory to read a row.
    case noMemory
}
