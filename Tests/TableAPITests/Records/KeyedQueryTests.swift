import Testing

@testable import TableAPI

struct KeyedQueryTests {
    private let range = KeyedQuery.Part.range(KeyRange(lower: 0x1F, upper: 1 << 127))
    private let condition = "sys_id>=0000000000000000000000000000001f^sys_id<80000000000000000000000000000000"

    @Test(
        "The condition stands in every branch and the order at the very end",
        arguments: [
            ("", "C^ORDERBYsys_id"), ("ORDERBYsys_id", "C^ORDERBYsys_id"),
            ("active=true", "active=true^C^ORDERBYsys_id"),
            ("a=1^ORb=2^c=3^ORDERBYsys_id", "a=1^ORb=2^c=3^C^ORDERBYsys_id"),
            ("a=1^NQb=2^ORc=3^NQd=4", "a=1^C^NQb=2^ORc=3^C^NQd=4^C^ORDERBYsys_id"),
            ("a=1^ORDERBYsys_id^NQb=2", "a=1^C^NQb=2^C^ORDERBYsys_id"),
            ("a=e\u{301}^nameLIKEEQ^b=NQ", "a=e\u{301}^nameLIKEEQ^b=NQ^C^ORDERBYsys_id"),
        ])
    func texts(query: String, expected: String) throws {
        let keyed = try #require(KeyedQuery(query))
        let text = expected.split(separator: "C", omittingEmptySubsequences: false).joined(separator: condition)
        #expect(Array(keyed.text(range).utf8) == Array(text.utf8))
    }

    @Test("A range without a bound has no condition for it")
    func bounds() throws {
        let keyed = try #require(KeyedQuery("a=1^NQb=2"))
        #expect(keyed.text(.range(.all)) == "a=1^NQb=2^ORDERBYsys_id")
        #expect(
            keyed.text(.range(KeyRange(lower: nil, upper: 16)))
                == "a=1^sys_id<00000000000000000000000000000010^NQb=2^sys_id<00000000000000000000000000000010"
                + "^ORDERBYsys_id")
        #expect(keyed.text(.aboveNumbers) == "a=1^sys_id>=g^NQb=2^sys_id>=g^ORDERBYsys_id")
        #expect(keyed.text(.belowNumbers) == "a=1^sys_id<0^NQb=2^sys_id<0^ORDERBYsys_id")
        #expect(
            keyed.text(.amongNumbers)
                == "a=1^sys_id>=0^sys_id<g^NQb=2^sys_id>=0^sys_id<g^ORDERBYsys_id")
        #expect(KeyedQuery("")?.text(.range(.all)) == "ORDERBYsys_id")
    }

    @Test(
        "A query that cannot be divided by key is not",
        arguments: [
            "ORDERBYnumber", "a=1^ORDERBYDESCsys_id", "ORDERBYDESCopened_at", "a=1^ORDERBYsys_id^ORDERBYb",
            "ORDERBYsys_id.name", "a=1^EQ", "a=1^EQ^GROUPBYcategory", "GROUPBYcategory",
            "RLQUERYincident.problem_id,>=1^ENDRLQUERY", "JOINincident.caller_id=sys_user.sys_id!active=true",
            "123TEXTQUERY321=printer", "a=1^123TEXTINDEXGROUP321=x", "a=1^OR123TEXTQUERY321=x", "a=1^NQ", "NQa=1",
            "a=1^NQ^b=2", "a=1^NQORDERBYsys_id", "a=1^NQEQ", "a=1^^b=2", "^a=1", "a=1^", "^",
        ])
    func unfit(query: String) {
        #expect(KeyedQuery(query) == nil)
    }

    @Test("A key is 32 hexadecimal digits and nothing else")
    func keys() {
        #expect(keyBound("0123456789abcdef0123456789ABCDEF") == 0x0123_4567_89ab_cdef_0123_4567_89ab_cdef)
        #expect(keyText(0x1F) == "0000000000000000000000000000001f")
        for text in [
            "", "1f", "+123456789abcdef0123456789abcdef", "0123456789abcdef0123456789abcdeg",
            "0123456789abcdef0123456789abcdef0", "0123456789abcdef 123456789abcdef", "global",
        ] {
            #expect(keyBound(text) == nil, "\(text)")
        }
    }

    @Test("A range is cut into a front and a rest until one place is left", arguments: [2, 3, 1000])
    func cuts(parts: Int) {
        for start in [KeyRange.all, KeyRange(lower: nil, upper: 5), KeyRange(lower: .max - 5, upper: nil)] {
            for keepsFront in [true, false] {
                var range = start
                while range.isDivisible {
                    let (front, rest) = range.divided(into: parts)
                    #expect(front.lower == range.lower && front.upper == rest.lower && rest.upper == range.upper)
                    #expect((front.upper ?? 0) > (front.lower ?? 0))
                    #expect(rest.upper.map { $0 > (rest.lower ?? 0) } ?? true)
                    range = keepsFront || parts > 2 ? front : rest
                }
            }
        }
    }
}
