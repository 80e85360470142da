import Clocks
import Foundation
import Testing

@testable import Observability

struct LogLineTests {
    @Test(
        "What could break a line or steer a terminal is escaped in both formats",
        arguments: [
            ("a\nb", #"a\nb"#), ("a\r\nb", #"a\r\nb"#), ("tab\t", #"tab\t"#), (#"say "x""#, #"say \"x\""#),
            (#"back\slash"#, #"back\\slash"#), ("nul\0", #"nul\u0000"#), ("\u{1B}[31mred", #"\u001b[31mred"#),
            ("del\u{7F}", #"del\u007f"#), ("c1\u{9B}", #"c1\u009b"#), ("rtl\u{202E}x", #"rtl\u202ex"#),
            ("isolate\u{2066}", #"isolate\u2066"#), ("mark\u{200F}", #"mark\u200f"#), ("alm\u{61C}", #"alm\u061c"#),
            ("line\u{2028}", #"line\u2028"#), ("paragraph\u{2029}", #"paragraph\u2029"#),
            ("bom\u{FEFF}", #"bom\ufeff"#),
            ("tag\u{E0041}", #"tag\udb40\udc41"#), ("é 漢 😀", "é 漢 😀"),
        ])
    func escapes(value: String, expected: String) throws {
        #expect(line(value, .json).hasSuffix(#""detail":"\#(expected)"}"# + "\n"))
        #expect(line(value, .text).hasSuffix(#"detail="\#(expected)""# + "\n"))
        let object = try #require(JSONSerialization.jsonObject(with: Data(line(value, .json).utf8)) as? [String: Any])
        #expect(object["detail"] as? String == value)
    }

    @Test(
        "In text, a value stands bare only where it cannot be taken for anything else",
        arguments: [("plain-1/{id}:8080", false), ("two words", true), ("a=b", true), ("", true), ("é", true)])
    func bare(value: String, isQuoted: Bool) {
        #expect(line(value, .text).hasSuffix(isQuoted ? "detail=\"\(value)\"\n" : "detail=\(value)\n"))
    }

    @Test("A long value is cut between two characters", arguments: ["x", "é", "漢", "😀"])
    func longValue(character: String) {
        let line = line(String(repeating: character, count: 100_000), .text)
        let kept = LogLine.maxValueBytes / character.utf8.count
        #expect(line.hasSuffix(#"detail=""# + String(repeating: character, count: kept) + "…\"\n"))
    }

    @Test("A value of just the longest length is whole")
    func longestValue() {
        let value = String(repeating: "x", count: LogLine.maxValueBytes)
        #expect(line(value, .text).hasSuffix("detail=\(value)\n"))
        #expect(line(value, .json).hasSuffix("\"\(value)\"}\n"))
    }

    @Test(
        "A duration is written in milliseconds with three decimals",
        arguments: [
            (Duration.zero, "0.000"), (.microseconds(7), "0.007"), (.microseconds(1_070), "1.070"),
            (.seconds(65), "65000.000"), (.seconds(-1), "0.000"),
        ])
    func durations(duration: Duration, expected: String) {
        var line = LogLine(time: Timestamp(milliseconds: 0), level: .info, event: "x", format: .text)
        line.field("took", milliseconds: duration)
        #expect(String(decoding: line.bytes, as: UTF8.self).hasSuffix(" took=\(expected)"))
    }

    private func line(_ detail: String, _ format: LogFormat) -> String {
        let event = Event.serverFault(detail)
        return String(decoding: event.logLine(time: Timestamp(milliseconds: 0), format: format), as: UTF8.self)
    }
}
