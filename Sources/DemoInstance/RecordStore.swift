internal import SQLite

/// The instance's records in SQLite, in memory.
struct RecordStore: Sendable {
    private let connection: SQLiteConnection

    /// Makes the tables, their rows and their indexes.
    /// - Throws: `SQLiteError`, for one where memory does not suffice.
    init(_ tables: [StoredRows]) async throws(SQLiteError) {
        connection = try await SQLiteConnection.open(.memory)
        for table in tables {
            try await connection.run { (database) throws(SQLiteError) in try Self.create(table, in: database) }
        }
        try await connection.run { (database) throws(SQLiteError) in
            // The planner has to know how selective the indexes are.
            try database.execute("PRAGMA analysis_limit = 1000")
            try database.execute("ANALYZE")
        }
    }

    /// One page of a list.
    struct Page: Sendable {
        /// How many records match in all; `nil` where they were not to be counted.
        var total: Int?
        /// The body `{"result":[…]}`.
        var body: [UInt8]
        /// The number of rows in it.
        var rowCount: Int
    }

    /// Counts and reads a list.
    ///
    /// - Parameters:
    ///   - counts: whether to count.
    ///   - template: how to write the rows; `nil` for none, where only the head is wanted.
    /// - Throws: `SQLiteError`.
    func page(_ plan: ListPlan, counts: Bool, template: RowTemplate?) async throws(SQLiteError) -> Page {
        try await connection.run { (database) throws(SQLiteError) in
            var page = Page(total: nil, body: Array(#"{"result":["#.utf8), rowCount: 0)
            if counts {
                page.total = try database.first(plan.count.text, plan.count.values) { Int($0.integer(at: 0)) }
            }
            var rows: [Int64] = []
            try database.query(plan.page.text, plan.page.values) { rows.append($0.integer(at: 0)) }
            page.rowCount = rows.count
            if let template {
                page.body.reserveCapacity(64 + rows.count * 2048)
                for row in rows {
                    if page.body.last == 0x7D { page.body.append(0x2C) }
                    try Self.write(row, template, database, to: &page.body)
                }
                page.body += "]}".utf8
            }
            return page
        }
    }

    /// The body `{"result":{…}}` of one record; `nil` where the table has none with that `sys_id`.
    /// - Throws: `SQLiteError`.
    func record(
        sysID: String, of table: TableSchema, template: RowTemplate
    ) async throws(SQLiteError) -> [UInt8]? {
        try await connection.run { (database) throws(SQLiteError) in
            let row = try database.first("SELECT id FROM \(table.storage) WHERE sys_id = ?", [.text(sysID)]) {
                $0.integer(at: 0)
            }
            guard let row else { return nil }
            var body = Array(#"{"result":"#.utf8)
            try Self.write(row, template, database, to: &body)
            return body + [0x7D]
        }
    }

    private static func write(
        _ row: Int64, _ template: RowTemplate, _ database: SQLiteDatabase, to bytes: inout [UInt8]
    ) throws(SQLiteError) {
        let values = template.select.values + [.integer(row)]
        try database.query(template.select.text, values) { template.write($0, to: &bytes) }
    }

    private static func create(_ table: StoredRows, in database: SQLiteDatabase) throws(SQLiteError) {
        let name = table.schema.storage
        let columns = table.schema.fields.compactMap { field in
            if case .column = field.content { field } else { nil }
        }
        let definitions = columns.map { "\"\($0.name)\" \($0.type.isText ? "TEXT COLLATE NOCASE" : "INTEGER")" }
        let list = (["id INTEGER PRIMARY KEY"] + definitions).joined(separator: ", ")
        // Nothing here outlives the process, so no journal is kept.
        try database.execute("PRAGMA journal_mode = OFF")
        try database.execute("CREATE TABLE \(name) (\(list))")
        let marks = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
        let insert = "INSERT INTO \(name) VALUES (\(marks))"
        try database.transaction { () throws(SQLiteError) in
            for row in stride(from: 1, through: table.count, by: 1) {
                try database.execute(insert, table.values(row))
            }
        }
        try database.execute("CREATE UNIQUE INDEX \(name)_sys_id ON \(name) (sys_id)")
        for index in table.indexes {
            let columns = index.map { "\"\($0)\"" }.joined(separator: ", ")
            try database.execute("CREATE INDEX \(name)_by_\(index.joined(separator: "_")) ON \(name) (\(columns))")
        }
    }
}
