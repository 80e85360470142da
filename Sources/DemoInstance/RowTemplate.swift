internal import SQLite

/// Writes rows as JSON: the SQL that reads one record, and the pieces that its columns go between.
///
/// All that does not differ between rows is put together once, so a row costs little more than its own bytes.
struct RowTemplate: Sendable {
    /// Reads the columns of one record; its last parameter is the row number.
    let select: SQLFragment
    private let pieces: [RowPiece]

    /// Puts a template together for the records of a table. Unknown fields are left out, repeated ones come once.
    init(_ shape: RecordShape, of table: TableSchema, catalog: Catalog) {
        var builder = RowTemplateBuilder(shape: shape, scope: QueryScope(catalog: catalog, root: table))
        var seen: Set<String> = []
        for path in shape.fields ?? table.fields.map(\.name) where seen.insert(path).inserted {
            builder.add(path)
        }
        (select, pieces) = builder.finish()
    }

    /// Appends the record as one JSON object.
    func write(_ row: borrowing SQLiteRow, to bytes: inout [UInt8]) {
        for piece in pieces {
            switch piece {
            case .literal(let literal): bytes += literal
            case .value(let column, let form): form.appendQuoted(row, column, to: &bytes)
            case .reference(let column, let reference): reference.write(row, column, to: &bytes)
            }
        }
    }
}

/// A piece of a row's JSON.
enum RowPiece: Sendable {
    /// Bytes that are the same in every row.
    case literal([UInt8])
    /// A column as a string.
    case value(column: Int, ValueForm)
    /// A column as a reference object.
    case reference(column: Int, ReferenceObject)
}

/// The object that stands for a reference; the empty string, or one of empty strings, stands for none.
struct ReferenceObject: Sendable {
    /// How the column becomes the record's `sys_id`.
    var identifier: ValueForm
    /// What the link begins with, up to the `sys_id`; `nil` for no link.
    var link: [UInt8]?
    /// Whether the value, the display value or both are in it.
    var mode: DisplayMode
    /// The column with the display value and its form; `nil` where that is the `sys_id`.
    var display: (column: Int, form: ValueForm)?

    /// Appends the object.
    func write(_ row: borrowing SQLiteRow, _ column: Int, to bytes: inout [UInt8]) {
        guard !row.isNull(at: column) else {
            bytes += (mode == .both ? #"{"display_value":"","value":""}"# : #""""#).utf8
            return
        }
        var separator: UInt8 = 0x7B
        func begin(_ name: String, _ bytes: inout [UInt8]) {
            bytes += [separator, 0x22]
            bytes += name.utf8
            bytes += [0x22, 0x3A]
            separator = 0x2C
        }
        if mode != .values {
            begin("display_value", &bytes)
            if let display {
                display.form.appendQuoted(row, display.column, to: &bytes)
            } else {
                identifier.appendQuoted(row, column, to: &bytes)
            }
        }
        if let link {
            begin("link", &bytes)
            bytes.append(0x22)
            bytes += link
            identifier.append(row, column, to: &bytes)
            bytes.append(0x22)
        }
        if mode != .displayValues {
            begin("value", &bytes)
            identifier.appendQuoted(row, column, to: &bytes)
        }
        bytes.append(0x7D)
    }
}
