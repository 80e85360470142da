import SimdJSON
import PaginatordTesting
import Testing

@testable import HTTPModel

struct JSONFaultTests {
    @Test(
        "A fault of a JSON text is named with its place",
        arguments: [
            ("", "line 1, column 1: expected a value but found the end of the text"),
            ("{\n  \"a\": [1, 2},\n}", "line 2, column 13: expected , or ] but found }"),
            ("{\"a\": 1 [", "line 1, column 9: expected , or } but found ["),
            ("{\"a\" 1}", "line 1, column 6: expected : but found 1"),
            ("{\"a\": 1,}", "line 1, column 9: expected a name in double quotation marks but found }"),
            ("{a: 1}", "line 1, column 2: expected a name in double quotation marks or } but found a"),
            ("[1,]", "line 1, column 4: expected a value but found ]"),
            ("[1, tru]", "line 1, column 5: expected a value (texts stand in quotation marks) but found tru"),
            ("[01]", "line 1, column 2: 01 is no number"), ("[1.]", "line 1, column 2: 1. is no number"),
            ("[.5]", "line 1, column 2: .5 is no number"), ("[+1]", "line 1, column 2: +1 is no number"),
            ("[1e]", "line 1, column 2: 1e is no number"), ("[0x1F]", "line 1, column 2: 0x1F is no number"),
            ("[1e999]", "line 1, column 2: 1e999 is no number"), ("[-]", "line 1, column 2: - is no number"),
            ("[\"a]", "line 1, column 2: the string that begins here has no closing quotation mark"),
            (
                "[\"a\n\"]",
                "line 1, column 2: the string that begins here has no closing quotation mark on its line"
            ),
            ("[\"\u{1}\"]", "line 1, column 3: U+0001 has to be escaped in a string"),
            ("[\"é\\x\"]", "line 1, column 4: \\ begins no escape here; a backslash itself is \\\\"),
            ("[\"\\u12G4\"]", "line 1, column 3: expected 4 hexadecimal digits in this escape"),
            ("[\"\\udc00\"]", "line 1, column 3: half of a surrogate pair"),
            ("[\"\\ud800\\u0041\"]", "line 1, column 3: half of a surrogate pair"),
            ("['a']", "line 1, column 2: expected a value but found a string"),
            ("{} {}", "line 1, column 4: expected the end of the text but found {"),
            ("{}\r\n// x", "line 2, column 1: expected the end of the text but found /"),
            ("[\r\r\n\n😀]", "line 4, column 1: expected a value (texts stand in quotation marks) but found U+1F600"),
        ])
    func json(text: String, expected: String) {
        #expect(jsonFault(in: Array(text.utf8))?.description == expected)
        #expect(throws: JSONObjectError.self) { try JSONObject(Array(text.utf8)) }
    }

    @Test(
        "A fault of a JSON5 text is named with its place",
        arguments: [
            ("{\n  a: 1\n  b: 2\n}", "line 3, column 3: expected , or } but found b"),
            ("{a: 1,, b: 2}", "line 1, column 7: expected a name or } but found ,"),
            ("{1a: 2}", "line 1, column 2: expected a name or } but found 1a"),
            ("{a-b: 2}", "line 1, column 3: expected : but found -b"),
            ("{level: info}", "line 1, column 9: expected a value (texts stand in quotation marks) but found info"),
            ("{a: 15m}", "line 1, column 5: 15m is no number"),
            ("// one\n/* two\n", "line 2, column 1: the comment that begins here does not end"),
            ("/ one", "line 1, column 1: expected // or /* but found a single /"),
            ("{a: 'b\n'}", "line 1, column 5: the string that begins here has no closing quotation mark on its line"),
            ("{a: 'it's'}", "line 1, column 9: expected , or } but found s"),
            ("{a: ['\\v']}", "line 1, column 7: \\ begins no escape here; a backslash itself is \\\\"),
            ("{a: '\\x00'}", "line 1, column 6: U+0000 cannot stand here"),
            ("{a: 'b\\u0000'}", "line 1, column 7: U+0000 cannot stand here"),
            ("{a\\u0000: 1}", "line 1, column 3: U+0000 cannot stand here"),
            ("{a: 0e145}", "line 1, column 5: 0e145 is no number"),
            ("{a: [-0E1]}", "line 1, column 6: -0E1 is no number"),
            ("{a: 0x10000000000000000}", "line 1, column 5: 0x10000000000000000 is no number"),
            ("{a: 'b\tc'}", "line 1, column 7: U+0009 has to be escaped in a string"),
            ("{a: ['\\1']}", "line 1, column 7: \\ begins no escape here; a backslash itself is \\\\"),
            ("{a: '\\xg0'}", "line 1, column 6: expected 2 hexadecimal digits in this escape"),
        ])
    func json5(text: String, expected: String) {
        #expect(jsonFault(in: Array(text.utf8), json5: true)?.description == expected)
        #expect(throws: JSONSyntaxError(detail: expected)) { try JSONValue.parseJSON5(Array(text.utf8)) }
    }

    @Test("Bytes that are no UTF-8 are named with their place, and other encodings are refused")
    func encodings() {
        let broken = Array("{\n\"é".utf8) + [0xFF] + Array("\":1}".utf8)
        #expect(jsonFault(in: broken)?.description == "line 2, column 3: expected UTF-8 but found a byte that is none")
        let wide = "{\"a\":1}".utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8($0 >> 8)] }
        #expect(throws: JSONSyntaxError.self) { try JSONValue.parseJSON5(wide) }
        #expect(throws: JSONSyntaxError.self) { try JSONValue.parseJSON5([0xFF, 0xFE] + wide) }
    }

    @Test("A byte order mark takes no column")
    func byteOrderMark() {
        #expect(jsonFault(in: Array("\u{FEFF}[}".utf8))?.column == 2)
        #expect(jsonFault(in: Array("\u{FEFF}\n[}".utf8))?.column == 2)
    }

    @Test("Nesting is followed as deep as the parser goes, and no deeper", arguments: [512, 513, 100_000])
    func depth(levels: Int) {
        // Every second container is an object; each holds one name or element.
        let opening = (0..<levels).map { $0 % 2 == 0 ? "[" : "{a:" }.joined()
        let closing = (0..<levels).reversed().map { $0 % 2 == 0 ? "]" : "}" }.joined()
        let text = Array((opening + "1" + closing).utf8)
        let isRead = (try? JSONValue.parseJSON5(text)) != nil
        #expect(isRead == (jsonFault(in: text, json5: true) == nil))
        #expect(isRead == (levels <= 512))
    }

    @Test("What is right JSON5 is read", arguments: json5Samples)
    func rightJSON5(text: String, expected: JSONValue) throws {
        #expect(try JSONValue.parseJSON5(Array(text.utf8)) == expected)
    }

    private static let json5Samples: [(String, JSONValue)] = [
        (
            "{a: 1, 'b': .5, \"c\": 5., $d_1: 0xaF, é: +1,}",
            .object([
                "a": .integer(1), "b": .number(0.5), "c": .integer(5), "$d_1": .integer(175), "é": .integer(1),
            ])
        ),
        (
            "// one\n/* two * / **/ [\u{B}'it\\'s\\x41', Infinity, -Infinity, -2.5e+3, 1E3,]\u{C}// end",
            .array([
                .string("it'sA"), .number(.infinity), .number(-.infinity), .integer(-2500), .integer(1000),
            ])
        ),
        ("\u{FEFF}{true: true}", .object(["true": .bool(true)])),
    ]

    @Test("Whatever Foundation refuses has a fault with a place", arguments: [0, 1, 2, 3] as [UInt64])
    func agreement(seed: UInt64) throws {
        var random = SeededGenerator(seed: seed)
        let original = Array(Self.json5Sample.utf8)
        _ = try JSONValue.parseJSON5(original)
        let replacements = Array("{],:\"\\/*-.0eu \n\u{B}\u{1}\0".utf8) + [0xC2]
        var refused = 0
        for _ in 0..<150 {
            let index = Int.random(in: 0..<original.count, using: &random)
            let replacement = replacements[Int.random(in: 0..<replacements.count, using: &random)]
            var text = original
            switch Int.random(in: 0..<4, using: &random) {
            case 0: text.removeSubrange(index...)
            case 1: text.remove(at: index)
            case 2: text[index] = replacement
            default: text.insert(replacement, at: index)
            }
            do throws(JSONSyntaxError) {
                _ = try JSONValue.parseJSON5(text)
            } catch {
                refused += 1
                #expect(error.detail.hasPrefix("line "), "\(String(decoding: text, as: UTF8.self))")
            }
        }
        #expect(refused > 30 && refused < 140)
    }

    private static let json5Sample = #"""
        // one
        { a: [1, -2.5e+3, .5, 5., 0xAf, +1, Infinity, -NaN, true, null,], /* two */ $b_1: 'x\'\x41\
        ', "c\u00e9": {}, d: "\b", }
        """#
}

struct RepeatedJSONMemberTests {
    @Test(
        "Every repeated member is found, at any depth, however it is spelt",
        arguments: [
            (#"{"a": 1, "b": 2}"#, []), (#"{"a": {"a": 1}, "b": {"a": 2}}"#, []),
            (#"{"a": 1, "a": 2}"#, ["1:10 a"]), (#"{"a": 1, "\u0061": 2, "a": 3}"#, ["1:10 a", "1:23 a"]),
            ("{\"x\": [0, {\"a\": 1,\n \"a\": 2}]}", ["2:2 x.1.a"]), (#"{"": 1, "": 2}"#, ["1:9 "]),
            ("{\"\u{E9}\": 1, \"e\u{301}\": 2}", ["1:10 \u{E9}"]),
        ])
    func json(text: String, expected: [String]) {
        let found = repeatedMembers(inJSON5: Array(text.utf8))
        #expect(found.map { "\($0.line):\($0.column) \($0.path.joined(separator: "."))" } == expected)
    }

    @Test("JSON5 names with and without quotation marks are the same names")
    func json5() {
        let found = repeatedMembers(inJSON5: Array("{a: 1, // a: 2\n 'a': 3, \"b\": 4, \\u0062: 5}".utf8))
        #expect(found.map(\.path) == [["a"], ["b"]])
        #expect(found.map(\.line) == [2, 2])
    }
}
