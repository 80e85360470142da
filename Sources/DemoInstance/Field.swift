internal import SQLite

/// One column of a table as the Table API shows it.
struct Field: Sendable {
    /// Its name, such as `short_description`.
    let name: String
    /// What its values are and how SQLite keeps them.
    let type: FieldType
    /// Where its values come from.
    let content: FieldContent

    /// The column of SQLite that has the values; `nil` where there is none.
    var column: String? {
        switch content {
        case .column: name
        case .columnOf(let other): other
        case .constant: nil
        }
    }
}

/// Where a field's values come from.
enum FieldContent: Sendable {
    /// A column of the same name in SQLite. Empty values are NULL there.
    case column
    /// The column of another field, which always has the same value.
    case columnOf(String)
    /// The same value in every record; `.null` for a field that is always empty.
    case constant(SQLiteValue)
}

/// What a field's values are. In JSON each is a string.
enum FieldType: Sendable {
    /// A text; also identifiers such as `sys_id` and `number`.
    case string
    /// A text out of a list, kept as its value.
    case choice([String: String])
    /// An integer, kept as one.
    case integer
    /// An integer out of a list with labels, kept as one.
    case integerChoice([Int64: String])
    /// `true` or `false`, kept as 1 or 0.
    case boolean
    /// A moment, kept as seconds since 1970.
    case dateTime
    /// A day, kept as the second since 1970 at which it begins.
    case date
    /// A record of another table, kept as its row number.
    case reference(String)
    /// A record of a table that this instance does not have, kept as the text of its `sys_id`.
    case foreignReference(String)
}
