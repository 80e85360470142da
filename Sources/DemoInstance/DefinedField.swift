internal import SQLite

/// A field and how its value is read from a record; `nil` for `sys_id` and for constants.
struct DefinedField<Record>: Sendable {
    /// The field.
    let field: Field
    /// Reads the value to be stored.
    let read: (@Sendable (Record) -> SQLiteValue)?

    /// The key that every table has.
    static var sysID: DefinedField {
        DefinedField(field: Field(name: "sys_id", type: .string, content: .column), read: nil)
    }

    /// A field that always has the value of another one.
    static func same(_ name: String, as other: String, _ type: FieldType) -> DefinedField {
        DefinedField(field: Field(name: name, type: type, content: .columnOf(other)), read: nil)
    }

    /// A field with the same value in every record.
    static func constant(_ name: String, _ type: FieldType, _ value: SQLiteValue) -> DefinedField {
        DefinedField(field: Field(name: name, type: type, content: .constant(value)), read: nil)
    }

    /// Fields that are empty in every record.
    static func empty(_ names: String..., type: FieldType = .string) -> [DefinedField] {
        names.map { constant($0, type, .null) }
    }

    /// A text; the empty one is kept as NULL.
    static func string(
        _ name: String, _ type: FieldType = .string, _ read: @escaping @Sendable (Record) -> String
    ) -> DefinedField {
        stored(name, type) { record in
            let text = read(record)
            return text.isEmpty ? .null : .text(text)
        }
    }

    /// A number, a moment or the row number of another record; `nil` for none.
    static func integer(
        _ name: String, _ type: FieldType = .integer, _ read: @escaping @Sendable (Record) -> Int?
    ) -> DefinedField {
        stored(name, type) { record in read(record).map { .integer(Int64($0)) } ?? .null }
    }

    /// A truth value.
    static func boolean(_ name: String, _ read: @escaping @Sendable (Record) -> Bool) -> DefinedField {
        stored(name, .boolean) { .integer(read($0) ? 1 : 0) }
    }

    private static func stored(
        _ name: String, _ type: FieldType, _ read: @escaping @Sendable (Record) -> SQLiteValue
    ) -> DefinedField {
        DefinedField(field: Field(name: name, type: type, content: .column), read: read)
    }
}
