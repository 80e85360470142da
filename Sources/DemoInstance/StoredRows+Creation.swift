internal import SQLite

extension StoredRows {
    /// Makes the table, its rows, its indexes and its table of counts.
    /// - Throws: `SQLiteError`.
    func create(in database: SQLiteDatabase) throws(SQLiteError) {
        let name = schema.storage
        let columns = schema.fields.filter { if case .column = $0.content { true } else { false } }
        let list = (["id INTEGER PRIMARY KEY"] + columns.map(definition)).joined(separator: ", ")
        // Nothing here outlives the process, so no journal is kept.
        try database.execute("PRAGMA journal_mode = OFF")
        try database.execute("CREATE TABLE \(name) (\(list))")
        let marks = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
        try database.transaction { () throws(SQLiteError) in
            try database.execute("INSERT INTO \(name) VALUES (\(marks))", times: count) { values($0 + 1) }
        }
        try database.execute("CREATE UNIQUE INDEX \(name)_sys_id ON \(name) (sys_id)")
        for index in schema.indexes {
            try database.execute("CREATE INDEX \(schema.indexName(index)) ON \(name) (\(quoted(index)))")
        }
        guard !schema.summary.isEmpty else { return }
        let summed = columns.filter { schema.summary.contains($0.name) }
        let definitions = ["id INTEGER PRIMARY KEY"] + summed.map(definition) + ["records INTEGER"]
        try database.execute("CREATE TABLE \(schema.summaryStorage) (\(definitions.joined(separator: ", ")))")
        let names = quoted(summed.map(\.name))
        try database.execute(
            "INSERT INTO \(schema.summaryStorage) (\(names), records) SELECT \(names), count(*) FROM \(name) GROUP BY \(names)")
    }

    private func definition(_ field: Field) -> String {
        "\"\(field.name)\" \(field.type.isText ? "TEXT COLLATE NOCASE" : "INTEGER")"
    }

    private func quoted(_ columns: [String]) -> String {
        columns.map { "\"\($0)\"" }.joined(separator: ", ")
    }
}
