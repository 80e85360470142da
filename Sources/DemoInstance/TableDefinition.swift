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
    /// Whether SQLite keeps the records in the order of their `sys_id`; no other table may then refer to them. That
    /// makes every index one by `sys_id` too, without the identifiers' bytes in it.
    var isSortedBySysID = false
    /// The columns with few values by whose combinations records are counted in advance.
    var summary: [String] = []

    /// The table as queries see it.
    var schema: TableSchema {
        TableSchema(
            name: name, storage: name, displayField: displayField, fields: fields.map(\.field),
            isSortedBySysID: isSortedBySysID, indexes: indexes, summary: summary)
    }

    /// The rows for SQLite.
    func rows(count: Int) -> StoredRows {
        let schema = schema
        let readers = fields.compactMap(\.read)
        let order = isSortedBySysID ? SysID.order(table: schema.seed, count: count) : nil
        return StoredRows(schema: schema, count: count) { id in
            let row = order?[id - 1] ?? id
            var random = RandomSource(table: schema.seed, row: row)
            let record = record(row, &random)
            var values: [SQLiteValue] = [
                .integer(Int64(id)), .text(SysID(table: schema.seed, row: row).text),
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
    /// The values of one row, from 1: its number, its `sys_id`, then every further column in the schema's order.
    let values: @Sendable (_ id: Int) -> [SQLiteValue]
}
