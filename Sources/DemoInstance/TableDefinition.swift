internal import SQLite

/// A table together with the rule that makes its records.
struct TableDefinition<Record>: Sendable {
    /// The table's name, also that of its storage.
    let name: String
    /// The field that stands for a record.
    let displayField: String
    /// The indexes, each a list of columns, as an instance has them.
    let indexes: [[String]]
    /// Makes the record of one row, from 1, out of random numbers that belong to that row.
    let record: @Sendable (_ row: Int, _ random: inout RandomSource) -> Record
    /// The fields with what a record has in them.
    let fields: [DefinedField<Record>]

    /// The table as queries see it.
    var schema: TableSchema {
        TableSchema(name: name, storage: name, displayField: displayField, fields: fields.map(\.field))
    }

    /// The rows for SQLite.
    func rows(count: Int) -> StoredRows {
        let schema = schema
        let readers = fields.compactMap(\.read)
        return StoredRows(schema: schema, count: count, indexes: indexes) { row in
            var random = RandomSource(table: schema.seed, row: row)
            let record = record(row, &random)
            var values: [SQLiteValue] = [
                .integer(Int64(row)), .text(SysID(table: schema.seed, row: row).text),
            ]
            values.reserveCapacity(readers.count + 2)
            for read in readers { values.append(read(record)) }
            return values
        }
    }
}

/// The rows of a table, made one by one.
struct StoredRows: Sendable {
    /// The table.
    let schema: TableSchema
    /// How many rows there are.
    let count: Int
    /// The indexes, each a list of columns.
    let indexes: [[String]]
    /// The values of one row, from 1: its number, its `sys_id`, then every further column in the schema's order.
    let values: @Sendable (_ row: Int) -> [SQLiteValue]
}

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

/// The fields that the platform keeps for every record.
struct Bookkeeping: Sendable {
    /// When it was made, in seconds since 1970.
    var createdOn: Int
    /// Who made it, by user name.
    var createdBy: String
    /// When it was changed last.
    var updatedOn: Int
    /// Who changed it last.
    var updatedBy: String
    /// How often it was changed.
    var changes: Int

    /// Makes the history of a record that was made at a moment and last changed at another.
    init(createdOn: Int, updatedOn: Int, random: inout RandomSource) {
        self.createdOn = createdOn
        self.updatedOn = updatedOn
        createdBy = random.pick(DemoTexts.accounts)
        updatedBy = random.pick(DemoTexts.accounts)
        changes = random.below(60)
    }

    /// The fields.
    static func fields<Record>(
        _ read: @escaping @Sendable (Record) -> Bookkeeping
    ) -> [DefinedField<Record>] {
        [
            .integer("sys_created_on", .dateTime) { read($0).createdOn },
            .string("sys_created_by") { read($0).createdBy },
            .integer("sys_updated_on", .dateTime) { read($0).updatedOn },
            .string("sys_updated_by") { read($0).updatedBy },
            .integer("sys_mod_count") { read($0).changes },
            .constant("sys_tags", .string, .null),
        ]
    }
}
