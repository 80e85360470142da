internal import SQLite

extension StoredRows {
    /// How many rows are made before they are stored, and while those before them are.
    private static let portion = 8192

    /// Makes the table, its rows, its indexes and its table of counts.
    /// - Throws: `SQLiteError`.
    func create(on connection: SQLiteConnection) async throws(SQLiteError) {
        try await connection.run { (database) throws(SQLiteError) in try createTables(in: database) }
        var counts: [[SQLiteValue]: Int] = [:]
        var rows = await portion(from: 1)
        while !rows.values.isEmpty {
            let end = rows.end
            async let following = portion(from: end)
            counts.merge(rows.counts) { $0 + $1 }
            let values = rows.values
            try await connection.run { (database) throws(SQLiteError) in try insert(values, in: database) }
            rows = await following
        }
        let total = counts
        try await connection.run { (database) throws(SQLiteError) in try finish(total, in: database) }
    }

    /// Some rows, and how many of them have each combination of the summary's columns.
    private struct Portion: Sendable {
        var values: [[SQLiteValue]] = []
        var counts: [[SQLiteValue]: Int] = [:]
        var end: Int
    }

    @concurrent private func portion(from start: Int) async -> Portion {
        let end = min(start + Self.portion, count + 1)
        var portion = Portion(end: end)
        portion.values.reserveCapacity(end - start)
        let summed = columns.enumerated().filter { schema.summary.contains($1.name) }.map { $0.offset + 1 }
        for id in start..<max(start, end) {
            let row = values(id)
            if !summed.isEmpty { portion.counts[summed.map { row[$0] }, default: 0] += 1 }
            portion.values.append(row)
        }
        return portion
    }

    private func createTables(in database: SQLiteDatabase) throws(SQLiteError) {
        // Nothing here outlives the process, so no journal is kept.
        try database.execute("PRAGMA journal_mode = OFF")
        let definitions = (["id INTEGER PRIMARY KEY"] + columns.map(definition)).joined(separator: ", ")
        try database.execute("CREATE TABLE \(schema.storage) (\(definitions))")
        if schema.isSortedBySysID { try createIdentifierIndex(in: database) }
    }

    private func insert(_ rows: [[SQLiteValue]], in database: SQLiteDatabase) throws(SQLiteError) {
        let marks = Array(repeating: "?", count: columns.count + 1).joined(separator: ", ")
        try database.transaction { () throws(SQLiteError) in
            try database.execute("INSERT INTO \(schema.storage) VALUES (\(marks))", times: rows.count) { rows[$0] }
        }
    }

    private func finish(_ counts: [[SQLiteValue]: Int], in database: SQLiteDatabase) throws(SQLiteError) {
        // Rows that come in the order of their sys_id are appended to its index; others are sorted at once.
        if !schema.isSortedBySysID { try createIdentifierIndex(in: database) }
        try chooseSorting(in: database)
        for index in schema.indexes {
            let names = index.map { "\"\($0)\"" }.joined(separator: ", ")
            try database.execute("CREATE INDEX \(schema.indexName(index)) ON \(schema.storage) (\(names))")
        }
        try database.execute("PRAGMA temp_store = MEMORY")
        guard !schema.summary.isEmpty else { return }
        let summed = columns.filter { schema.summary.contains($0.name) }
        let definitions = ["id INTEGER PRIMARY KEY"] + summed.map(definition) + ["records INTEGER"]
        try database.execute("CREATE TABLE \(schema.summaryStorage) (\(definitions.joined(separator: ", ")))")
        let rows = Array(counts)
        let marks = Array(repeating: "?", count: summed.count + 2).joined(separator: ", ")
        try database.transaction { () throws(SQLiteError) in
            try database.execute("INSERT INTO \(schema.summaryStorage) VALUES (\(marks))", times: rows.count) { row in
                [.integer(Int64(row + 1))] + rows[row].key + [.integer(Int64(rows[row].value))]
            }
        }
    }

    /// Large indexes are sorted in portions that go through unnamed temporary files, with the help of a second thread:
    /// that takes half as long as sorting them in memory as a whole. Where no such file can be made it is done in memory;
    /// that has to be found out before, as an index that fails half-way leaves the database broken without a journal.
    private func chooseSorting(in database: SQLiteDatabase) throws(SQLiteError) {
        try database.execute("PRAGMA temp_store = FILE")
        try database.execute("PRAGMA threads = 1")
        guard count > 50000 else { return }
        let probe =
            "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 40000) "
            + "SELECT x FROM n ORDER BY randomblob(100)"
        if (try? database.first(probe) { $0.integer(at: 0) }) == nil {
            try database.execute("PRAGMA temp_store = MEMORY")
        }
    }

    private func createIdentifierIndex(in database: SQLiteDatabase) throws(SQLiteError) {
        try database.execute("CREATE UNIQUE INDEX \(schema.storage)_sys_id ON \(schema.storage) (sys_id)")
    }

    /// The fields that are columns.
    private var columns: [Field] {
        schema.fields.filter { if case .column = $0.content { true } else { false } }
    }

    private func definition(_ field: Field) -> String {
        "\"\(field.name)\" \(field.type.isText ? "TEXT COLLATE NOCASE" : "INTEGER")"
    }
}
