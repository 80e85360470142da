import Testing

@testable import HTTPModel

struct JSONValueTests {
    @Test(
        "Every kind of value is read as what it is",
        arguments: [
            ("null", JSONValue.null), ("true", .bool(true)), ("false", .bool(false)), ("0", .integer(0)),
            ("1", .integer(1)), ("-0", .integer(0)), ("9223372036854775807", .integer(.max)),
            ("-9223372036854775808", .integer(.min)), ("9223372036854775808", .number(9223372036854775808)),
            ("1.5", .number(1.5)), ("1e30", .number(1e30)), (#""""#, .string("")), (#""1""#, .string("1")),
            (#""true""#, .string("true")), (#""null""#, .string("null")), (#""\ud83d\ude00""#, .string("\u{1F600}")),
            (#""\u0000""#, .string("\0")), ("[]", .array([])), ("{}", .object([:])),
            (" [ null , 1 ,[ ] ,{ } ]\n", .array([.null, .integer(1), .array([]), .object([:])])),
            (#"{"a":{"b":[true]},"":null}"#, .object(["a": .object(["b": .array([.bool(true)])]), "": .null])),
        ])
    func kinds(text: String, value: JSONValue) throws {
        #expect(try JSONValue.parse(Array(text.utf8)) == value)
    }

    @Test(
        "A text that is not UTF-8 is refused",
        arguments: [[0xFF], [0x22, 0xC3, 0x22], [0xFE, 0xFF, 0, 0x31], [0x22, 0xED, 0xA0, 0x80, 0x22]])
    func notUTF8(bytes: [UInt8]) {
        #expect(throws: JSONSyntaxError.self) { try JSONValue.parse(bytes) }
    }
}
