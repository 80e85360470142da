import Pagination
import SimdJSON

/// Writes records as comma-separated values in UTF-8 (RFC 4180), each line with CR and LF at its end.
///
/// A string is written as what it says, everything else as its JSON text, null and a field that is not there as nothing.
struct CommaSeparatedTable: Sendable {
    private let fields: [String]
    private let guardsCells: Bool

    /// Makes a table.
    ///
    /// - Parameters:
    ///   - fields: its columns.
    ///   - guardsCells: whether an apostrophe is put in front of a cell that a spreadsheet would take for a formula.
    init(fields: [String], guardsCells: Bool) {
        self.fields = fields
        self.guardsCells = guardsCells
    }

    /// The line of names.
    var header: [UInt8] {
        var line: [UInt8] = []
        for (column, field) in fields.enumerated() {
            if column > 0 { line.append(comma) }
            append(Array(field.utf8)[...], to: &line)
        }
        return line + lineBreak
    }

    /// A line for each row.
    ///
    /// - Throws: `RecordEncoderError`.
    func lines(of block: Rows.Block) throws(RecordEncoderError) -> [UInt8] {
        let cells: RowCells
        do {
            cells = try RowCells(block, fields: fields)
        } catch {
            throw .unreadable
        }
        var lines: [UInt8] = []
        lines.reserveCapacity(block.text.count)
        for row in 0..<cells.rowCount {
            for column in fields.indices {
                if column > 0 { lines.append(comma) }
                append(cells[row, column], to: &lines)
            }
            lines += lineBreak
        }
        return lines
    }

    private func append(_ cell: ArraySlice<UInt8>, to line: inout [UInt8]) {
        guard let first = cell.first else {
            // A line with nothing in it is no record to many readers.
            if fields.count == 1 { line += [quote, quote] }
            return
        }
        let isGuarded = guardsCells && beginsFormula(first)
        guard cell.contains(where: needsQuotes) else {
            if isGuarded { line.append(apostrophe) }
            line += cell
            return
        }
        line.append(quote)
        if isGuarded { line.append(apostrophe) }
        for byte in cell {
            if byte == quote { line.append(quote) }
            line.append(byte)
        }
        line.append(quote)
    }
}

private let quote: UInt8 = 0x22
private let apostrophe: UInt8 = 0x27
private let comma: UInt8 = 0x2C
private let lineBreak: [UInt8] = [0x0D, 0x0A]

private func needsQuotes(_ byte: UInt8) -> Bool {
    byte == quote || byte == comma || byte == 0x0A || byte == 0x0D
}

/// Whether a spreadsheet may take a cell that begins so for a formula.
private func beginsFormula(_ byte: UInt8) -> Bool {
    switch byte {
    case 0x3D, 0x2B, 0x2D, 0x40, 0x09, 0x0D: true
    default: false
    }
}
