import Pagination
import PaginatordTesting
import RecordFormats
import Testing

/// Rows as an instance's answer would hold them, in blocks of the given sizes.
func rows(_ texts: [String], blocks sizes: [Int] = [.max], between: String = ",") -> Rows {
    var rest = texts[...]
    var rows = Rows()
    for size in sizes + [.max] where !rest.isEmpty {
        // Something in front: a block's text is a part of a longer one.
        var text = Array("{\"result\":[".utf8)
        let start = text.count
        var extents: [Range<Int>] = []
        for row in rest.prefix(size) {
            if !extents.isEmpty { text += Array(between.utf8) }
            extents.append(text.count..<text.count + row.utf8.count)
            text += Array(row.utf8)
        }
        rest = rest.dropFirst(size)
        rows.append(Rows([Rows.Block(text: text[start...], extents: extents)]))
    }
    return rows
}

/// The whole text of some batches.
func text(_ encoder: RecordEncoder, _ batches: [Rows]) throws -> String {
    var encoder = encoder
    var bytes = encoder.head
    for batch in batches {
        for piece in try encoder.pieces(of: batch) { bytes += piece }
    }
    return String(decoding: bytes + encoder.tail, as: UTF8.self)
}

struct RecordEncoderTests {
    @Test(
        "A value becomes a cell",
        arguments: [
            (#""""#, "", ""), ("null", "", ""), (#""x""#, "x", "x"), (#""a b""#, "a b", "a b"),
            (#""a,b""#, #""a,b""#, #""a,b""#), (#""say \"hi\"""#, #""say ""hi""""#, #""say ""hi""""#),
            (#""a\nb""#, "\"a\nb\"", "\"a\nb\""), (#""a\r\nb""#, "\"a\r\nb\"", "\"a\r\nb\""),
            (#""\"""#, #""""""#, #""""""#),
            (#""caf\u00e9 \ud83d\ude00""#, "café 😀", "café 😀"), (#""\u0000\u0001""#, "\0\u{1}", "\0\u{1}"),
            (#""a\tb""#, "a\tb", "a\tb"), (#""\/\\""#, "/\\", "/\\"), (#""\u2028""#, "\u{2028}", "\u{2028}"),
            (#""=1+1""#, "=1+1", "'=1+1"), (#""+1""#, "+1", "'+1"), (#""-""#, "-", "'-"), (#""@a""#, "@a", "'@a"),
            (#""\ta""#, "\ta", "'\ta"), (#""\r=""#, "\"\r=\"", "\"'\r=\""), (#""=a,b""#, #""=a,b""#, #""'=a,b""#),
            (#"" =1""#, " =1", " =1"), (#""a=1""#, "a=1", "a=1"), (#""'=1""#, "'=1", "'=1"),
            (#""\n=1""#, "\"\n=1\"", "\"\n=1\""),
            ("5", "5", "5"), ("-5", "-5", "'-5"), ("1.50e+2", "1.50e+2", "1.50e+2"), ("0", "0", "0"),
            ("18446744073709551615", "18446744073709551615", "18446744073709551615"), ("true", "true", "true"),
            ("false", "false", "false"), ("[]", "[]", "[]"), ("{}", "{}", "{}"), ("[ 1 ]", "[ 1 ]", "[ 1 ]"),
            (
                #"{"link":"https://a/b","value":"c"}"#, #""{""link"":""https://a/b"",""value"":""c""}""#,
                #""{""link"":""https://a/b"",""value"":""c""}""#
            ),
            ("{\"a\":\n[]}", "\"{\"\"a\"\":\n[]}\"", "\"{\"\"a\"\":\n[]}\""),
        ])
    func cells(value: String, plain: String, guarded: String) throws {
        for (guards, expected) in [(false, plain), (true, guarded)] {
            for (before, behind) in [("", ""), (" \n", "\t"), ("\t", " \r\n")] {
                let row = #"{"a":1,"b":\#(before)\#(value)\#(behind),"c":[{"b":2}]\#(behind)}"#
                let encoder = RecordEncoder(.csv, fields: ["a", "b"], guardsCells: guards)
                #expect(try text(encoder, [rows([row])]) == "a,b\r\n1,\(expected)\r\n")
                let last = #"{"a":1,"b":\#(before)\#(value)\#(behind)}"#
                #expect(try text(encoder, [rows([last])]) == "a,b\r\n1,\(expected)\r\n")
            }
        }
    }

    @Test("Columns stand in the order of the fields, whatever the rows' order, and what is absent is empty")
    func columns() throws {
        let encoder = RecordEncoder(.csv, fields: ["c", "a", "b.d"])
        let batch = rows([
            #"{"a":"1","b.d":"2","c":"3"}"#, #"{"c":"3","zz":{"a":"no"},"a":"1","b.d":"2"}"#, #"{"b.d":"2"}"#, "{}",
            #"{"\u0061":"1","B.D":"no","a ":"no"}"#, #"{"a":"first","a":"second","c":null,"c":"3"}"#,
        ])
        #expect(
            try text(encoder, [batch])
                == "c,a,b.d\r\n3,1,2\r\n3,1,2\r\n,,2\r\n,,\r\n,1,\r\n3,first,\r\n")
    }

    @Test("A single empty cell is quoted, since an empty line is no record")
    func singleColumn() throws {
        let batch = rows([#"{"a":""}"#, "{}", #"{"a":"x"}"#, #"{"a":null}"#])
        #expect(try text(RecordEncoder(.csv, fields: ["a"]), [batch]) == "a\r\n\"\"\r\n\"\"\r\nx\r\n\"\"\r\n")
    }

    @Test(
        "A batch may have any number of blocks, and there may be any number of batches",
        arguments: RecordFormat.allCases)
    func blocks(format: RecordFormat) throws {
        let texts = (0..<10).map { "{\"a\":\($0)}" }
        let expected =
            switch format {
            case .ndjson: texts.map { $0 + "\n" }.joined()
            case .csv: "a\r\n" + (0..<10).map { "\($0)\r\n" }.joined()
            case .json: "[" + texts.joined(separator: ",") + "]"
            }
        let encoder = RecordEncoder(format, fields: ["a"])
        for sizes in [[10], [1, 2, 3, 4], [9, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]] {
            #expect(try text(encoder, [rows(texts, blocks: sizes)]) == expected)
            #expect(try text(encoder, rows(texts, blocks: sizes).blocks.map { Rows([$0]) }) == expected)
        }
        let empty = ["ndjson": "", "csv": "a\r\n", "json": "[]"][format.rawValue]
        #expect(try text(encoder, []) == empty)
        #expect(try text(encoder, [Rows()]) == empty)
    }

    @Test("What failed stands in the last line, where the format has one")
    func failure() {
        let report = Array(#"{"page":3}"#.utf8)
        #expect(RecordEncoder(.ndjson).failure(report) == Array("{\"$error\":{\"page\":3}}\n".utf8))
        #expect(RecordEncoder(.csv, fields: ["a"]).failure(report) == Array("# error: {\"page\":3}\r\n".utf8))
        #expect(RecordEncoder(.json).failure(report).isEmpty)
    }

    @Test("A row that is no object is refused", arguments: ["[]", "{", "{}}", "1", "", #"{"a":}"#])
    func unreadable(row: String) {
        var encoder = RecordEncoder(.csv, fields: ["a"])
        #expect(throws: RecordEncoderError.unreadable) { try encoder.pieces(of: rows(["{}", row])) }
    }

    @Test(
        "A file's ending stands for a format",
        arguments: [
            ("a.csv", RecordFormat.csv), ("/tmp/b.x/A.CSV", .csv), ("a.ndjson", .ndjson), ("a.jsonl", .ndjson),
            ("a.csv.json", .json), ("csv", nil), ("a.csv.gz", nil), ("a.", nil), ("", nil), (".csv", .csv),
        ])
    func endings(name: String, format: RecordFormat?) {
        #expect(RecordFormat(fileName: name) == format)
    }

    @Test("What an independent reader makes of any cells is what stood in the rows", arguments: 0..<50 as Range<UInt64>)
    func roundTrip(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let alphabet: [Character] = [
            "a", "é", "😀", "\"", ",", "\r", "\n", "\r\n", " ", "\t", "=", "'", "\\", "/", "\u{7F}", "#",
        ]
        let fields = (0..<Int.random(in: 1...5, using: &random)).map { "f\($0)" }
        var table: [[String]] = []
        for _ in 0..<Int.random(in: 0...40, using: &random) {
            table.append(
                fields.map { _ in
                    String(
                        (0..<Int.random(in: 0...6, using: &random)).compactMap { _ in
                            alphabet.randomElement(using: &random)
                        })
                })
        }
        let texts = table.map { cells in
            let members = zip(fields, cells).map { "\"\($0)\":\(escaped($1, &random))" }.shuffled(using: &random)
            return "{" + members.joined(separator: ",") + "}"
        }
        let batch = rows(texts, blocks: [3, 7, 1], between: " ,\n")
        let csv = try text(RecordEncoder(.csv, fields: fields), [batch])
        #expect(CommaSeparatedReader.read(csv) == [fields] + table)
    }

    /// A JSON string, each character escaped in one of the ways that there are.
    private func escaped(_ text: String, _ random: inout SeededGenerator) -> String {
        var escaped = "\""
        for unit in text.utf16 {
            let mustEscape = unit < 0x20 || unit == 0x22 || unit == 0x5C || 0xD800...0xDFFF ~= unit
            if mustEscape || Int.random(in: 0..<4, using: &random) == 0 {
                let digits = String(unit, radix: 16)
                escaped += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            } else {
                escaped += String(decoding: [unit], as: UTF16.self)
            }
        }
        return escaped + "\""
    }
}

/// Reads comma-separated values by the grammar of RFC 4180 §2, on its own.
enum CommaSeparatedReader {
    /// The records; `nil` where the text is none by that grammar.
    static func read(_ text: String) -> [[String]]? {
        var records: [[String]] = []
        var rest = Array(text.unicodeScalars)[...]
        while !rest.isEmpty {
            var record: [String] = []
            while true {
                guard let field = takeField(&rest) else { return nil }
                record.append(field)
                if rest.first == "," {
                    rest.removeFirst()
                } else if rest.starts(with: ["\r", "\n"]) {
                    rest.removeFirst(2)
                    break
                } else {
                    return nil
                }
            }
            records.append(record)
        }
        return records
    }

    private static func takeField(_ rest: inout ArraySlice<Unicode.Scalar>) -> String? {
        var field = String.UnicodeScalarView()
        guard rest.first == "\"" else {
            while let scalar = rest.first, scalar != ",", scalar != "\r", scalar != "\n" {
                guard scalar != "\"" else { return nil }
                field.append(rest.removeFirst())
            }
            return String(field)
        }
        rest.removeFirst()
        while let scalar = rest.popFirst() {
            guard scalar == "\"" else {
                field.append(scalar)
                continue
            }
            guard rest.first == "\"" else { return String(field) }
            field.append(rest.removeFirst())
        }
        return nil
    }
}
