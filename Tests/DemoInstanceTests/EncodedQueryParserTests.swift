import Testing

@testable import DemoInstance

@Suite("The parser of encoded queries")
struct EncodedQueryParserTests {
    typealias Condition = EncodedQuery.Condition

    private static func query(_ groups: [[[Condition]]], _ orders: [EncodedQuery.Order] = []) -> EncodedQuery {
        EncodedQuery(
            groups: groups.map { .init(alternatives: $0.map { .init(conditions: $0) }) }, orders: orders)
    }

    private static let a = Condition(field: "a", comparison: .equals, operand: "1")
    private static let b = Condition(field: "b", comparison: .equals, operand: "2")
    private static let c = Condition(field: "c", comparison: .equals, operand: "3")

    @Test(
        "reads AND, OR, new queries and orders into their shape",
        arguments: [
            ("", query([])),
            ("a=1", query([[[a]]])),
            ("a=1^b=2", query([[[a], [b]]])),
            ("a=1^ORb=2", query([[[a, b]]])),
            ("a=1^ORb=2^c=3", query([[[a, b], [c]]])),
            ("a=1^b=2^ORc=3", query([[[a], [b, c]]])),
            ("a=1^NQb=2^ORc=3", query([[[a]], [[b, c]]])),
            ("a=1^NQ", query([[[a]]])),
            ("^^a=1^", query([[[a]]])),
            ("ORa=1^b=2", query([[[a], [b]]])),
            ("a=1^EQ^GROUPBYb", query([[[a]]])),
            ("no operator here^ORa=1^b=2", query([[[a], [b]]])),
            ("a=1^NO^b=2", query([[[a], [b]]])),
            ("a=1^RLQUERYt.f,>=1^c=3^ENDRLQUERY^b=2", query([[[a], [b]]])),
            (
                "ORDERBYa^b=2^ORDERBYDESCc.d",
                query([[[b]]], [.init(field: "a", isDescending: false), .init(field: "c.d", isDescending: true)])
            ),
        ])
    func shapes(text: String, expected: EncodedQuery) {
        #expect(EncodedQueryParser.parse(text) == expected)
    }

    @Test(
        "tells the operators apart and leaves the operand as it is",
        arguments: [
            ("f=", "f", Comparison.equals, ""),
            ("f==", "f", .equals, "="),
            ("f!=x", "f", .differs, "x"),
            ("f<1", "f", .less, "1"),
            ("f<=1", "f", .lessOrEqual, "1"),
            ("f>1", "f", .greater, "1"),
            ("f>=1", "f", .greaterOrEqual, "1"),
            ("fLIKE", "f", .contains, ""),
            ("fLIKEIN", "f", .contains, "IN"),
            ("f*x", "f", .contains, "x"),
            ("fCONTAINSx", "f", .contains, "x"),
            ("fNOT LIKE x ", "f", .lacks, " x "),
            ("fNOTLIKEx", "f", .lacks, "x"),
            ("f!*x", "f", .lacks, "x"),
            ("fSTARTSWITHSTARTSWITH", "f", .startsWith, "STARTSWITH"),
            ("fENDSWITHx", "f", .endsWith, "x"),
            ("f%x", "f", .endsWith, "x"),
            ("fIN1,2", "f", .isOneOf, "1,2"),
            ("fNOT IN1,2", "f", .isNoneOf, "1,2"),
            ("fISEMPTY", "f", .isEmpty, ""),
            ("fISEMPTYrest", "f", .isEmpty, ""),
            ("fISNOTEMPTY", "f", .isNotEmpty, ""),
            ("fANYTHING", "f", .anything, ""),
            ("fEMPTYSTRING", "f", .isEmptyText, ""),
            ("fBETWEEN1@2", "f", .between, "1@2"),
            ("fSAMEASb@day", "f", .sameAsField, "b@day"),
            ("fNSAMEASb", "f", .notSameAsField, "b"),
            ("f_aGT_FIELDb", "f_a", .greaterThanField, "b"),
            ("fGT_OR_EQUALS_FIELDb", "f", .greaterOrEqualField, "b"),
            ("fLT_FIELDb", "f", .lessThanField, "b"),
            ("fLT_OR_EQUALS_FIELDb", "f", .lessOrEqualField, "b"),
            ("fMORETHANb@day@before@1", "f", .moreThanField, "b@day@before@1"),
            ("fLESSTHANb@day@after@1", "f", .lessThanSpanFromField, "b@day@after@1"),
            ("fONToday@a@b", "f", .on, "Today@a@b"),
            ("fNOTONToday@a@b", "f", .notOn, "Today@a@b"),
            ("fDATEPARTx@y", "f", .datePart, "x@y"),
            ("fRELATIVEGT@hour@ago@1", "f", .relativeGreater, "@hour@ago@1"),
            ("fRELATIVEGE@hour@ago@1", "f", .relativeGreaterOrEqual, "@hour@ago@1"),
            ("fRELATIVELT@hour@ago@1", "f", .relativeLess, "@hour@ago@1"),
            ("fRELATIVELE@hour@ago@1", "f", .relativeLessOrEqual, "@hour@ago@1"),
            ("fRELATIVEEE@hour@ago@1", "f", .relativeEqual, "@hour@ago@1"),
            ("fINSTANCEOFtask", "f", .instanceOf, "task"),
            ("a.b_c.d2=é", "a.b_c.d2", .equals, "é"),
            ("f=a\u{301}b", "f", .equals, "a\u{301}b"),
            ("f=\u{301}", "f", .equals, "\u{301}"),
        ])
    func operators(text: String, field: String, comparison: Comparison, operand: String) {
        let expected = EncodedQuery.Condition(field: field, comparison: comparison, operand: operand)
        #expect(EncodedQueryParser.parse(text).groups.first?.alternatives.first?.conditions == [expected])
    }

    @Test("parts at a caret that a combining mark follows")
    func combiningMark() {
        #expect(EncodedQueryParser.parse("a=1^\u{301}x=2^b=2") == Self.query([[[Self.a], [Self.b]]]))
    }

    @Test(
        "drops a condition that it cannot read",
        arguments: ["a", "=1", "A=1", "aIN_HIERARCHYx", "aDYNAMICx", "aVALCHANGES", "é=1", "a =1"])
    func dropped(text: String) {
        #expect(EncodedQueryParser.parse(text) == EncodedQuery())
    }
}
