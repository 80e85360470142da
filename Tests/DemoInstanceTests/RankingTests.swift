import SQLite
import Testing

@testable import DemoInstance

@Suite("Ranks")
struct RankingTests {
    @Test(
        "order rows as SQLite does, and leave those as they are that it finds equal",
        arguments: ["number", "text", "void"], [false, true])
    func order(column: String, isDescending: Bool) async throws {
        let connection = try await SQLiteConnection.open(.memory)
        try await connection.run { (database) throws(SQLiteError) in
            try database.execute(
                "CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER, text TEXT COLLATE NOCASE, void TEXT)")
            try database.execute(
                "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n WHERE x < 500) INSERT INTO t "
                    + "SELECT x, nullif(x * 37 % 23, 5), "
                    + "nullif(char(97 + x * 7 % 3 - 32 * (x % 2)) || char(233 + x % 2 * 32), 'bé'), NULL FROM n")
            let select = SQLFragment(text: "SELECT id, \(column) FROM t ORDER BY \(column)")
            let ranks = try Ranking.ranks(select, size: 500, database)
            let rows = (1...500).filter { $0 % 7 != 0 }.map { Int32($0) }
            var expected: [Int32] = []
            try database.query(
                "SELECT id FROM t WHERE id % 7 <> 0 ORDER BY \(column) \(isDescending ? "DESC" : "ASC"), id"
            ) { expected.append(Int32($0.integer(at: 0))) }
            #expect(expected.count == rows.count)
            #expect(Ranking(ranks, isDescending: isDescending).sorted(rows) == expected)
            #expect(Ranking(ranks, isDescending: isDescending).sorted([]) == [])
        }
    }

    @Test("order a table without rows")
    func empty() {
        #expect(Ranking([0], isDescending: true).sorted([]) == [])
    }
}
