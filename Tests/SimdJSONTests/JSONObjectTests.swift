import PaginatordTesting
import Testing

@testable import HTTPModel
@testable import SimdJSON

struct JSONObjectTests {
    private func error(_ text: String, maxDepth: Int = 32, maxValues: Int = 4096) -> JSONObjectError? {
        do {
            let object = try JSONObject(Array(text.utf8), maxDepth: maxDepth, maxValues: maxValues)
            Issue.record("accepted: \(object)")
            return nil
        } catch {
            return error
        }
    }

    @Test(
        "Every kind of value is read as what it is",
        arguments: [
            ("null", JSONValue.null), ("true", .bool(true)), ("false", .bool(false)), ("0", .integer(0)),
            ("1", .integer(1)), ("-0", .integer(0)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number(9223372036854775808)),
            ("18446744073709551615", .number(18446744073709551616)), ("2.0", .integer(2)), ("-25e-1", .number(-2.5)),
            ("1.5", .number(1.5)), ("2E1", .integer(20)), ("1e30", .number(1e30)), ("1e-999", .integer(0)),
            (#""""#, .string("")), (#""1""#, .string("1")),
            (#""true""#, .string("true")), (#""null""#, .string("null")), (#""\ud83d\ude00""#, .string("\u{1F600}")),
            (#""\u0000""#, .string("\0")), ("[]", .array([])), ("{}", .object([:])),
            (" [ null , 1 ,[ ] ,{ } ]\n", .array([.null, .integer(1), .array([]), .object([:])])),
            (#"{"a":{"b":[true]},"":null}"#, .object(["a": .object(["b": .array([.bool(true)])]), "": .null])),
        ])
    func kinds(text: String, value: JSONValue) throws {
        #expect(try JSONObject(Array("{\"v\":\(text),\"w\":1}".utf8)).members == ["v": value, "w": .integer(1)])
        #expect(try JSONObject(Array("\u{FEFF} {\"\" : [\(text)]}\r\n".utf8)).members == ["": .array([value])])
    }

    @Test("Nothing is read from an empty object")
    func empty() throws {
        #expect(try JSONObject(Array("{}".utf8)) == JSONObject(Array(" { } ".utf8)))
        #expect(try JSONObject(Array("{}".utf8)).members.isEmpty)
    }

    @Test(
        "Whatever is JSON but no object is told by its kind, however long it is",
        arguments: [
            ("null", "null"), ("true", "a Boolean"), ("false", "a Boolean"), ("1", "a number"), ("1.5", "a number"),
            ("99999999999999999999", "a number"), (#""{}""#, "a string"), ("[]", "an array"),
            (#"[{"a":1}]"#, "an array"), ("[99999999999999999999]", "an array"),
            ("[" + String(repeating: "{},", count: 5000) + "1]", "an array"),
        ])
    func otherKinds(text: String, kind: String) {
        #expect(error(text) == .notAnObject(kind))
    }

    @Test(
        "The names that stand in the root more than once are found, each once, and the first member counts",
        arguments: [
            (#"{"a":1,"b":2}"#, []), (#"{"a":{"a":1},"b":{"a":2,"a":3}}"#, []), (#"{"a":1,"a":2}"#, ["a"]),
            (#"{"b":0,"a":1,"\u0061":2,"b":[],"a":null,"b":1}"#, ["a", "b"]), (#"{"":1,"a":2,"":3}"#, [""]),
            ("{\"\u{E9}\":1,\"e\u{301}\":2}", ["\u{E9}"]),
        ])
    func repeated(text: String, names: [String]) throws {
        let object = try JSONObject(Array(text.utf8))
        #expect(object.repeated == names)
        if names == ["a", "b"] { #expect(object.members == ["a": .integer(1), "b": .integer(0)]) }
    }

    @Test(
        "Integers beyond 64 bits are told by the member that holds them",
        arguments: [
            (#"{"a":18446744073709551616}"#, ["a"]), (#"{"a":-9223372036854775809,"b":1}"#, ["a"]),
            (#"{"a":[1,{"x":99999999999999999999},[-99999999999999999999]],"b":99999999999999999999}"#, ["a", "b"]),
            (#"{"c":"99999999999999999999","\u0061":99999999999999999999}"#, ["a"]),
        ])
    func wideIntegers(text: String, members: [String]) {
        #expect(error(text) == .integersBeyond64Bits(members: members))
    }

    @Test("Nesting is read down to the limit and no deeper", arguments: [1, 2, 32, 512], ["[", "{\"a\":"])
    func depth(limit: Int, opening: String) throws {
        let closing = opening == "[" ? "]" : "}"
        for inner in ["0", "[]", "{}"] {
            func text(_ levels: Int) -> String {
                "{\"v\":" + String(repeating: opening, count: levels) + inner
                    + String(repeating: closing, count: levels)
                    + "}"
            }
            let levels = inner == "0" ? limit - 1 : limit - 2
            if levels >= 0 { _ = try JSONObject(Array(text(levels).utf8), maxDepth: limit) }
            guard case .malformed(let fault) = error(text(levels + 1), maxDepth: limit) else {
                Issue.record("other error")
                continue
            }
            #expect(fault.message == "nested deeper than \(limit) levels")
        }
    }

    @Test("A text has as many values as are allowed and no more", arguments: [1, 2, 3, 7, 4096])
    func values(limit: Int) throws {
        // The object, and a name and a value for each member; then the elements of a list.
        let members = (0..<limit / 2).map { "\"\($0)\":0" }.joined(separator: ",")
        let fitting = try? JSONObject(Array("{\(members)}".utf8), maxValues: limit)
        #expect((fitting == nil) == (1 + limit / 2 * 2 > limit))
        let elements = Array(repeating: "0", count: limit).joined(separator: ",")
        #expect(error("{\"a\":[\(elements)]}", maxValues: limit + 2) == .tooManyValues(limit: limit + 2))
        #expect(try JSONObject(Array("{\"a\":[\(elements)]}".utf8), maxValues: limit + 3).members.count == 1)
        guard case .malformed(let fault) = error("{\"a\":[\(elements),", maxValues: limit + 2) else {
            Issue.record("other error")
            return
        }
        #expect(fault.message == "more than \(limit + 2) names and values")
    }

    @Test(
        "What is no JSON is refused with the place of the fault",
        arguments: [
            ("", "line 1, column 1: expected a value but found the end of the text"),
            ("\u{FEFF}", "line 1, column 1: expected a value but found the end of the text"),
            ("{\n\"a\":1,}", "line 2, column 7: expected a name in double quotation marks but found }"),
            (#"{"a":1e999}"#, "line 1, column 6: 1e999 is no number"),
            (#"{"a":"\ud800"}"#, "line 1, column 7: half of a surrogate pair"),
            (#"{"a":1} x"#, "line 1, column 9: expected the end of the text but found x"),
            ("{\"a\":\"\u{1}\"}", "line 1, column 7: U+0001 has to be escaped in a string"),
        ])
    func malformed(text: String, expected: String) {
        guard case .malformed(let fault) = error(text) else {
            Issue.record("other error")
            return
        }
        #expect(fault.description == expected)
    }

    @Test(
        "A text that is not UTF-8 is refused",
        arguments: [[0xFF], [0xC3], [0xED, 0xA0, 0x80], [0xC0, 0x80], [0xF4, 0x90, 0x80, 0x80]] as [[UInt8]])
    func notUTF8(bytes: [UInt8]) {
        let expected = JSONFault(line: 1, column: 7, message: "expected UTF-8 but found a byte that is none")
        #expect(throws: JSONObjectError.malformed(expected)) {
            try JSONObject(Array("{\"a\":\"".utf8) + bytes + Array("\"}".utf8))
        }
    }

    @Test("What simdjson refuses has a fault, and what it takes has none", arguments: [0, 1, 2] as [UInt64])
    func agreement(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let original = Array(Self.sample.utf8)
        let tokens = Array("{}[],:\"\\/*-.0123eE+u \n\u{B}\u{1}\0tfn".utf8) + [0xC2, 0xFF]
        var refused = 0
        for _ in 0..<3000 {
            var text = original
            for _ in 0...Int.random(in: 0..<2, using: &random) {
                let place = Int.random(in: 0..<text.count, using: &random)
                let token = tokens[Int.random(in: 0..<tokens.count, using: &random)]
                switch Int.random(in: 0..<4, using: &random) {
                case 0: text[place] = token
                case 1: text.insert(token, at: place)
                case 2: text.remove(at: place)
                default: text.removeSubrange(place...)
                }
                if text.isEmpty { text = [0x20] }
            }
            var isRead = true
            do {
                _ = try JSONObject(text)
            } catch .malformed {
                isRead = false
                refused += 1
            } catch {}
            // `malformed` comes from the walk; so the parser is asked by itself too.
            #expect(isRead == (jsonFault(in: text) == nil), "\(String(decoding: text, as: UTF8.self))")
        }
        #expect(refused > 500 && refused < 2800)
    }

    private static let sample = #"""
        {"a": [1, -2.5e+3, 0, true, false, null], "b\u00e9\ud83d\ude00": {"c": "x\n\/\"", "": []}, "é": {}}
        """#
}
