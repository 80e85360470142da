import Foundation
import Testing

@testable import SQLite

@Suite("A database")
struct SQLiteDatabaseTests {
    private func makeDatabase(
        _ location: SQLiteLocation = .memory, capacity: Int = 4
    ) throws(SQLiteError) -> SQLiteDatabase {
        let database = SQLiteDatabase(statementCapacity: capacity)
        try database.open(location, busyTimeout: .zero)
        return database
    }

    private func integers(_ database: SQLiteDatabase, _ sql: String) throws(SQLiteError) -> [Int64] {
        var values: [Int64] = []
        try database.query(sql) { values.append($0.integer(at: 0)) }
        return values
    }

    @Test("undoes a transaction whose work throws, and keeps one that returns")
    func transactions() throws {
        let database = try makeDatabase()
        try database.execute("CREATE TABLE t (n INTEGER UNIQUE)")
        try database.transaction { () throws(SQLiteError) in try database.execute("INSERT INTO t VALUES (1)") }
        let error = #expect(throws: SQLiteError.self) {
            try database.transaction { () throws(SQLiteError) in
                try database.execute("INSERT INTO t VALUES (2)")
                try database.execute("INSERT INTO t VALUES (1)")
            }
        }
        #expect(error?.kind == .constraint)
        #expect(try integers(database, "SELECT n FROM t") == [1])
        try database.transaction { () throws(SQLiteError) in try database.execute("INSERT INTO t VALUES (3)") }
        #expect(try integers(database, "SELECT n FROM t ORDER BY n") == [1, 3])
    }

    @Test("runs one statement for each list of parameters, and stops at the first that fails")
    func manyRuns() throws {
        let database = try makeDatabase()
        try database.execute("CREATE TABLE t (n INTEGER UNIQUE)")
        try database.execute("INSERT INTO t VALUES (?)", times: 0) { _ in [.null] }
        try database.execute("INSERT INTO t VALUES (?)", times: 100) { [.integer(Int64($0))] }
        #expect(try integers(database, "SELECT n FROM t ORDER BY n") == Array(0..<100))
        let error = #expect(throws: SQLiteError.self) {
            try database.execute("INSERT INTO t VALUES (?)", times: 5) { [.integer($0 == 2 ? 7 : Int64(200 + $0))] }
        }
        #expect(error?.kind == .constraint)
        #expect(try integers(database, "SELECT n FROM t WHERE n >= 100 ORDER BY n") == [200, 201])
        // The statement can be used again.
        try database.execute("INSERT INTO t VALUES (?)", [.integer(300)])
    }

    @Test("counts the rows that a statement changed")
    func changes() throws {
        let database = try makeDatabase()
        try database.execute("CREATE TABLE t (n)")
        #expect(try database.execute("INSERT INTO t VALUES (1), (2), (3)") == 3)
        #expect(try database.execute("UPDATE t SET n = 0 WHERE n > ?", [.integer(1)]) == 2)
        #expect(try database.execute("SELECT n FROM t") == 0)
    }

    @Test("keeps the application's version in the file")
    func userVersion() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let first = try makeDatabase(.file(path))
        #expect(try first.userVersion() == 0)
        try first.setUserVersion(-7)
        first.close()
        #expect(try makeDatabase(.readOnlyFile(path)).userVersion() == -7)
    }

    @Test("runs one statement inside another of the same text, with few or no statements kept", arguments: [0, 1, 4])
    func nested(capacity: Int) throws {
        let database = try makeDatabase(capacity: capacity)
        try database.execute("CREATE TABLE t (n)")
        try database.execute("INSERT INTO t VALUES (1), (2)")
        var pairs: [[Int64]] = []
        try database.query("SELECT n FROM t ORDER BY n") { (outer) throws(SQLiteError) in
            let left = outer.integer(at: 0)
            try database.query("SELECT n FROM t ORDER BY n") { pairs.append([left, $0.integer(at: 0)]) }
            for other in 0..<6 { _ = try database.first("SELECT \(other)") { $0.integer(at: 0) } }
        }
        #expect(pairs == [[1, 1], [1, 2], [2, 1], [2, 2]])
    }

    @Test("does not carry a parameter's value over to the next run")
    func freshParameters() throws {
        let database = try makeDatabase()
        #expect(try database.first("SELECT ?", [.integer(5)]) { $0.integer(at: 0) } == 5)
        let error = #expect(throws: SQLiteError.self) { try database.execute("SELECT ?", []) }
        #expect(error?.code == 25)
        #expect(try database.first("SELECT ?", [.null]) { $0.isNull(at: 0) } == true)
    }

    @Test("refuses what is not exactly one statement", arguments: ["", "-- nothing", "SELECT 1; SELECT 2", "SELEC 1"])
    func oneStatement(sql: String) throws {
        let database = try makeDatabase()
        let error = #expect(throws: SQLiteError.self) { try database.execute(sql) }
        #expect(error?.kind == .other)
    }

    @Test("names the failures that a caller may want to tell apart")
    func errorKinds() throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a.db"
        let first = try makeDatabase(.file(path))
        try first.execute("CREATE TABLE t (v)")

        let readOnly = try makeDatabase(.readOnlyFile(path))
        #expect(#expect(throws: SQLiteError.self) { try readOnly.execute("DELETE FROM t") }?.kind == .readOnly)

        try first.execute("BEGIN IMMEDIATE")
        let second = try makeDatabase(.file(path))
        #expect(#expect(throws: SQLiteError.self) { try second.execute("DELETE FROM t") }?.kind == .busy)
        try first.execute("ROLLBACK")

        try first.execute("PRAGMA max_page_count = 3")
        let full = #expect(throws: SQLiteError.self) {
            try first.transaction { () throws(SQLiteError) in
                try first.execute("INSERT INTO t VALUES (zeroblob(100000))")
            }
        }
        #expect(full?.kind == .full)
        // The failed transaction is over: another can begin.
        try first.transaction { () throws(SQLiteError) in try first.execute("INSERT INTO t VALUES (1)") }

        #expect(throws: SQLiteError.self) { try makeDatabase(.file(folder.path + "/none/a.db")) }
        #expect(
            #expect(throws: SQLiteError.self) { try makeDatabase(.readOnlyFile(folder.path + "/none.db")) }?.kind
                == .cannotOpen)

        try Data(repeating: 0x41, count: 4096).write(to: URL(fileURLWithPath: folder.path + "/text.db"))
        let text = try makeDatabase(.file(folder.path + "/text.db"))
        #expect(#expect(throws: SQLiteError.self) { try text.userVersion() }?.kind == .notADatabase)
    }
}
