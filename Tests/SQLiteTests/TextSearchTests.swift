import Testing

@testable import SQLite

@Suite("text_contains")
struct TextSearchTests {
    private static let texts: [String?] = [
        "", "a", "A", "aab", "AaBaab", "The printer is slow", "slo slow", "SLOW", "é", "É", "naïve", "无法打印", "無法",
        "[K]{k}", "@`", "\u{212A}", "ſlow", "100%_\\", "😀😁", nil, "12", "x" + String(repeating: "ab", count: 500) + "c",
    ]
    private static let parts = [
        "", "a", "B", "aab", "slow", "SlOw", "printer is slow?", "é", "É", "ï", "法", "无法打印", "k", "K", "[", "{", "@",
        "`", "%", "_", "\\", "😁", "1", "abc", "bab", String(repeating: "ba", count: 400) + "bc", "z",
    ]

    @Test("finds what LIKE finds, in every row of one run and in the next", arguments: parts)
    func agreement(part: String) throws {
        let database = SQLiteDatabase(statementCapacity: 4)
        try database.open(.memory, busyTimeout: .zero)
        try database.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, text TEXT)")
        for text in Self.texts {
            try database.execute("INSERT INTO t (text) VALUES (?)", [text.map { .text($0) } ?? .null])
        }
        var pattern = ""
        for character in part.unicodeScalars {
            if "%_\\".unicodeScalars.contains(character) { pattern += "\\" }
            pattern.unicodeScalars.append(character)
        }
        func answers(_ sql: String, _ operand: String) throws -> [SQLiteValue] {
            var answers: [SQLiteValue] = []
            try database.query("SELECT \(sql) FROM t ORDER BY id", [.text(operand)]) { answers.append($0.value(at: 0)) }
            return answers
        }
        let expected = try answers("text LIKE ? ESCAPE '\\'", "%\(pattern)%")
        #expect(try answers("text_contains(text, ?)", part) == expected)
        _ = try answers("text_contains(text, ?)", "\(part)?")
        #expect(try answers("text_contains(text, ?)", part) == expected)
        #expect(expected.count == Self.texts.count && expected.contains(.null))
    }

    @Test("takes a part that differs from row to row, and one that is NULL")
    func columns() throws {
        let database = SQLiteDatabase(statementCapacity: 4)
        try database.open(.memory, busyTimeout: .zero)
        let rows = "(VALUES ('printer', 'INT'), ('printer', 'x'), ('a', NULL), (12, 2))"
        var answers: [SQLiteValue] = []
        try database.query("SELECT text_contains(column1, column2) FROM \(rows)") { answers.append($0.value(at: 0)) }
        #expect(answers == [.integer(1), .integer(0), .null, .integer(1)])
    }
}
