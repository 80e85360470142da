import SimdJSON
import Testing

@testable import HTTPModel

struct JSONWriterTests {
    private func written(_ write: (inout JSONWriter) -> Void) -> String {
        var writer = JSONWriter(capacity: 0)
        write(&writer)
        return String(decoding: writer.bytes, as: UTF8.self)
    }

    /// Reads a value by a parser that is not ours.
    private func read(_ json: String) throws -> JSONValue? {
        try JSONObject(Array("{\"v\":\(json)}".utf8)).members["v"]
    }

    @Test("Every control character is escaped and comes back", arguments: (0..<0x20).map { UInt8($0) } + [0x7F])
    func controls(byte: UInt8) throws {
        let text = "a" + String(UnicodeScalar(byte)) + "b"
        let json = written { $0.value(text) }
        let short: [UInt8: String] = [0x09: "\\t", 0x0A: "\\n", 0x0D: "\\r"]
        let digits = String(byte, radix: 16)
        #expect(json == "\"a\(short[byte] ?? "\\u00" + (byte < 16 ? "0" : "") + digits)b\"")
        #expect(try read(json) == .string(text))
    }

    @Test(
        "Any other text is written as it is, but for quotation marks and backslashes",
        arguments: [
            ("", ""), ("a/b", "a/b"), ("\"", "\\\""), ("\\", "\\\\"), ("\\\"\\", "\\\\\\\"\\\\"),
            ("é東\u{1F600}", "é東\u{1F600}"),
            ("\u{80}\u{9F}\u{A0}", "\u{80}\u{9F}\u{A0}"), ("\u{2028}\u{2029}\u{202E}", "\u{2028}\u{2029}\u{202E}"),
            ("e\u{301}\"\u{301}", "e\u{301}\\\"\u{301}"), ("\r\n", "\\r\\n"), ("\u{FEFF}", "\u{FEFF}"),
            ("\u{10FFFF}\n", "\u{10FFFF}\\n"), ("</script>", "</script>"),
        ])
    func texts(text: String, expected: String) throws {
        let json = written { $0.value(text) }
        #expect(json == "\"\(expected)\"")
        #expect(try read(json) == .string(text))
        let named = written { writer in writer.object { $0.member(text, true) } }
        #expect(try read(named) == .object([text: .bool(true)]))
    }

    @Test(
        "On demand whatever cannot be seen is escaped as well, and comes back",
        arguments: [
            ("\u{80}\u{9F}\u{A0}", "\\u0080\\u009f\u{A0}"), ("\u{2028}\u{2029}\u{202E}", "\\u2028\\u2029\\u202e"),
            ("\u{200B}\u{AD}\u{FEFF}", "\\u200b\\u00ad\\ufeff"), ("\u{E0001}", "\\udb40\\udc01"),
            ("a\"\\\n\u{7F}", "a\\\"\\\\\\n\\u007f"), ("é東\u{1F600}", "é東\u{1F600}"),
            ("e\u{301}\u{200D}", "e\u{301}\\u200d"),
        ])
    func invisible(text: String, expected: String) throws {
        var writer = JSONWriter(escapesInvisible: true)
        writer.value(text)
        let json = String(decoding: writer.bytes, as: UTF8.self)
        #expect(json == "\"\(expected)\"")
        #expect(try read(json) == .string(text))
    }

    @Test(
        "Numbers are written whole",
        arguments: [(0, "0"), (-1, "-1"), (.max, "9223372036854775807"), (.min, "-9223372036854775808")])
    func integers(value: Int, expected: String) {
        #expect(written { $0.value(value) } == expected)
        #expect(written { $0.value(JSONValue.integer(value)) } == expected)
    }

    @Test(
        "A number that JSON does not have is null",
        arguments: [
            (1.5, "1.5"), (-0.0, "-0.0"), (1e300, "1e+300"), (.nan, "null"), (.infinity, "null"), (-.infinity, "null"),
        ])
    func doubles(value: Double, expected: String) throws {
        let json = written { $0.value(value) }
        #expect(json == expected)
        if value.isFinite { _ = try read(json) }
    }

    @Test("Commas and colons stand where they have to")
    func structure() throws {
        let json = written { writer in
            writer.object { writer in
                writer.member("a", nil as String?)
                writer.member("b", nil as Int?)
                writer.name("c")
                writer.array { writer in
                    writer.array { _ in }
                    writer.object { _ in }
                    writer.value("x")
                    writer.value(JSONValue.written(Array("[ 1 ]".utf8)))
                    writer.value(false)
                }
                writer.name("d")
                writer.object { $0.member("e", 1) }
                writer.name("f")
                writer.value(.object(["z": .null, "y": .array([.number(0.5), "s"]), "x": .bool(true)]))
                writer.member("g", "h")
            }
        }
        #expect(
            json
                == #"{"a":null,"b":null,"c":[[],{},"x",[ 1 ],false],"d":{"e":1},"f":{"x":true,"y":[0.5,"s"],"z":null},"g":"h"}"#
        )
        _ = try read(json)
    }

    @Test("A problem is one object whose own members come first")
    func problem() {
        let problem = Problem(
            name: "odd", status: 418, detail: "It is \"odd\".",
            members: [("b", .integer(1)), ("a", .written([0x5B, 0x5D]))])
        #expect(
            written { problem.write(title: "Odd", to: &$0) }
                == #"{"type":"/problems/odd","title":"Odd","status":418,"detail":"It is \"odd\".","b":1,"a":[]}"#)
    }
}
