import CSimdJSON
import Pagination
import Testing

@testable import SimdJSON

@Suite struct PageBodyTests {
    static func nested(_ levels: Int, around inner: String) -> String {
        String(repeating: "[", count: levels) + inner + String(repeating: "]", count: levels)
    }

    @Test(
        "A whole page is accepted",
        arguments: [
            (#"{"result":[]}"#, 0),
            (#" { "result" : [ ] } "#, 0),
            ("\u{FEFF}{\"result\":[{}]}\n", 1),
            (#"{"result":[{"a":"b"},{}]}"#, 2),
            (#"{"re\u0073ult":[{"result":[],"error":{}}],"status":"x"}"#, 1),
            (#"{"n":[[1,2],{"error":3}],"result":[{"a":18446744073709551615},{"a":-9223372036854775808}]}"#, 2),
            (#"{"result":[{"a":1.7976931348623157e308},{"a":1e-999}],"s":"\u0000"}"#, 2),
            (#"{"result":[{"a":\#(nested(1021, around: "0"))}]}"#, 1),
            (#"{"result":[{"a":\#(nested(1021, around: ""))}]}"#, 1),
            (#"{"result":[],"a":\#(nested(1023, around: "1"))}"#, 0),
            (SamplePage.text, 6),
        ])
    func accepts(body: String, count: Int) {
        guard case .rows(let rows, nil) = PageBody.read(Array(body.utf8)) else {
            Issue.record("refused: \(body.prefix(200))")
            return
        }
        #expect(rows.count == count)
    }

    @Test(
        "Every other body is refused for what is wrong with it",
        arguments: [
            ("", PageBody.Fault.empty), ("\u{FEFF}", .empty), (" \r\n\t ", .empty), ("\u{FEFF}  ", .empty),
            ("{", .notWhole), ("nul", .notWhole), ("<html></html>", .notWhole), (#"{"result":[{}]"#, .notWhole),
            (#"{"result":[{}],}"#, .notWhole), (#"{"result":[{},]}"#, .notWhole), (#"{"result":[{}]}x"#, .notWhole),
            (#"{"result":[{}]}{"result":[]}"#, .notWhole), ("{\"result\":[{}]}\0", .notWhole),
            (#"{"result":[{"a":tru}]}"#, .notWhole), (#"{"result":[{"a"}]}"#, .notWhole),
            (#"{"result":[{"a":}]}"#, .notWhole),
            (#"{"result":[{"a":"\x"}]}"#, .notWhole), (#"{"result":[{"a":"\u12g4"}]}"#, .notWhole),
            ("{\"result\":[{\"a\":\"\n\"}]}", .notWhole), (#"{"result":[{"a":"}]}"#, .notWhole),
            (#"{"result":[{"a":01}]}"#, .notWhole), (#"{"result":[{"a":1.}]}"#, .notWhole),
            (#"{"result":[{"a":+1}]}"#, .notWhole),
            (#"{"result":[{"a":.5}]}"#, .notWhole), (#"{"result":[{"a":1e}]}"#, .notWhole),
            (#"{"result":[{"a":-}]}"#, .notWhole),
            (#"{"result":[{"a":1x}]}"#, .notWhole), (#"{"result":[{"a":NaN}]}"#, .notWhole),
            (#"{"result":[{a:1}]}"#, .notWhole),
            (#"{"result":[{"a":1 2}]}"#, .notWhole), (#"{"result":[{"a":1}}"#, .notWhole),
            (#"{"result":[/**/]}"#, .notWhole),
            ("\u{FEFF}\u{FEFF}{\"result\":[]}", .notWhole),
            // What is beyond the limits is still a cut body if it is cut or wrong further on.
            (#"{"result":[{"a":18446744073709551616}]}"#, .beyondLimits), (#"{"result":[{"a":1e309}]}"#, .beyondLimits),
            (
                #"{"result":[{"a":-9223372036854775809}, {"b":"\"\u00e9"}, {"c":[true,false,null,{},[],-0.5E-7]}]}"#,
                .beyondLimits
            ),
            (#"{"result":[{"a":"\ud83d"}]}"#, .beyondLimits), (#"{"result":[{"a":"\ude00\ud83d"}]}"#, .beyondLimits),
            (#"{"result":[{"a":\#(nested(1022, around: "0"))}]}"#, .beyondLimits),
            (#"{"result":[{"a":\#(nested(1022, around: ""))}]}"#, .beyondLimits),
            (#"{"result":[],"a":\#(nested(1024, around: ""))}"#, .beyondLimits),
            (#"{"result":[{"a":\#(nested(5000, around: "{}"))}]}"#, .beyondLimits),
            (#"{"result":[{"a":1e309},{"b":[}]}"#, .notWhole), (#"{"result":[{"a":1e309},{"b":"\q"}]}"#, .notWhole),
            (#"{"result":[{"a":1e309},{"b"}]}"#, .notWhole), (#"{"result":[{"a":1e309},{"b":1],{}]}"#, .notWhole),
            (#"{"result":[{"a":1e309},{"b":truth}]}"#, .notWhole), (#"{"result":[{"a":1e309},,{}]}"#, .notWhole),
            (#"{"result":[{"a":1e309},{}]} {}"#, .notWhole), (#"{"result":[{"a":1e309},{}],}"#, .notWhole),
            (#"{"result":[{"a":1e309},{"b":01}]}"#, .notWhole), (#"{"result":[{"a":1e309},{}"#, .notWhole),
            (#"{"result":[{"a":"\ud83d"},{"b":"\u00"}]}"#, .notWhole),
            (#"{"result":[{"a":\#(nested(5000, around: "{}").dropLast()) }]}"#, .notWhole),
            (String(repeating: "[", count: 100_000), .notWhole),
            (#"{"result":[],"result":[]}"#, .repeatedResult), (#"{"result":[],"res\u0075lt":1}"#, .repeatedResult),
            (#"{"result":null,"result":[{}]}"#, .repeatedResult),
            ("{}", .noRows), ("[]", .noRows), (#"[{"result":[]}]"#, .noRows), ("1", .noRows), (#""result""#, .noRows),
            (#"{"Result":[]}"#, .noRows), (#"{"records":[{}]}"#, .noRows), (#"{"a":{"result":[]}}"#, .noRows),
            (#"{"result":null}"#, .noRows), (#"{"result":{}}"#, .noRows), (#"{"result":{"sys_id":"a"}}"#, .noRows),
            (#"{"result":"[]"}"#, .noRows), (#"{"result":[[]]}"#, .noRows), (#"{"result":[{},""]}"#, .noRows),
            (#"{"result":["",{},"",1,null,true]}"#, .noRows), (#"{"result":[null,{}]}"#, .noRows),
        ])
    func refuses(body: String, fault: PageBody.Fault) {
        #expect(PageBody.read(Array(body.utf8)) == .unusable(fault))
    }

    @Test(
        "Bytes that are not UTF-8 are refused wherever they stand",
        arguments: [
            [0xFF], [0xC0, 0x80], [0xED, 0xA0, 0x80], [0xF4, 0x90, 0x80, 0x80], [0xE2, 0x82], [0x80],
        ] as [[UInt8]])
    func refusesOtherEncodings(bytes: [UInt8]) {
        let inString = Array(#"{"result":[{"a":""#.utf8) + bytes + Array(#""}]}"#.utf8)
        #expect(PageBody.read(inString) == .unusable(.notWhole))
        #expect(PageBody.read(SamplePage.body + bytes) == .unusable(.notWhole))
    }

    @Test(
        "An error in the root is found beside, before, behind and without rows",
        arguments: [
            (#"{"error":{"message":"M","detail":"D"},"status":"failure"}"#, "M", "D"),
            (#"{"status":"failure","error":{"detail":"D\n\u00e9","message":"M \ud83d\ude00"}}"#, "M \u{1F600}", "D\né"),
            (#"{"error":{"message":"M","detail":null},"status":"failure"}"#, "M", nil),
            (#"{"err\u006fr":{"message":5}}"#, nil, nil),
            (#"{"error":"text"}"#, "text", nil), (#"{"error":null}"#, nil, nil), (#"{"error":[]}"#, nil, nil),
            (#"{"result":[{"a":1}],"error":{"message":"M"}}"#, "M", nil),
            (#"{"error":{"message":""},"result":[{"a":1}],"result":5}"#, "", nil),
        ] as [(String, String?, String?)])
    func findsErrors(body: String, message: String?, detail: String?) {
        #expect(PageBody.read(Array(body.utf8)) == .error(message: message, detail: detail))
    }

    @Test("Rows are the bytes that came, and the text between them too", arguments: ["", "\u{FEFF}"])
    func keepsBytes(lead: String) throws {
        let body = Array((lead + SamplePage.text).utf8)
        guard case .rows(let rows, nil) = PageBody.read(body) else {
            Issue.record("refused")
            return
        }
        #expect(rows.objects.map { String(decoding: $0, as: UTF8.self) } == SamplePage.rows)
        let block = try #require(rows.blocks.first)
        #expect(rows.blocks.count == 1)
        #expect(block.text.first == UInt8(ascii: "{") && block.text.last == UInt8(ascii: "}"))
        let start = try #require(SamplePage.text.firstRange(of: "[ {\"sys_id")).lowerBound
        let end = try #require(SamplePage.text.firstRange(of: "\n] ,")).lowerBound
        #expect(String(decoding: block.text, as: UTF8.self) == SamplePage.text[start..<end].dropFirst(2))
    }

    @Test("A page cut at any byte is refused, as cut or as empty")
    func refusesEveryCut() {
        let whole = SamplePage.body.lastIndex(of: UInt8(ascii: "}")) ?? 0
        for length in 0...whole {
            let expected: PageBody.Fault = length <= 1 ? .empty : .notWhole
            #expect(PageBody.read(Array(SamplePage.body[..<length])) == .unusable(expected), "cut at \(length)")
        }
        #expect(PageBody.read(Array(SamplePage.body[...whole])) == PageBody.read(SamplePage.body))
    }

    @Test("A body is never read beyond its end")
    func staysInside() {
        for tail in ["\"}", "1}", "]}", "", "{", "\\"] {
            let bytes = SamplePage.body + Array(tail.utf8)
            let part = Array(bytes[..<SamplePage.body.count])
            #expect(PageBody.read(part) == PageBody.read(SamplePage.body))
        }
    }

    @Test("Rows are identified only where that is asked for, and where there are any")
    func identity() {
        #expect(PageBody.read(SamplePage.body) != PageBody.read(SamplePage.body, withIdentity: true))
        let empty = Array(#"{"result":[]}"#.utf8)
        #expect(PageBody.read(empty, withIdentity: true) == .rows(Rows(), identity: nil))
    }

    @Test("A huge page is read, and its memory is given back")
    func givesMemoryBack() {
        let row = SamplePage.rows[1]
        let count = (3 << 20) / row.utf8.count
        let text = "{\"result\":[" + Array(repeating: row, count: count).joined(separator: ",") + "]}"
        guard case .rows(let rows, _) = PageBody.read(Array(text.utf8)) else {
            Issue.record("refused")
            return
        }
        #expect(rows.count == count)
        #expect(rows.objects.allSatisfy { $0.elementsEqual(row.utf8) })
        #expect(csimdjson_capacity() <= 1 << 20)
    }
}
