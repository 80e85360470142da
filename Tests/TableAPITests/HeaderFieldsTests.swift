import HTTPModel
import Testing

@testable import TableAPI

@Suite struct HeaderFieldsTests {
    @Test(
        "A count is read whatever the header's case, and only if it can be relied on",
        arguments: [
            (["X-Total-Count": "45"], 45), (["x-total-count": "0"], 0), (["X-TOTAL-COUNT": " 7 "], 7),
            (["X-Total-Count": "45", "x-total-count": "45"], 45), (["X-Total-Count": "45, 45"], 45),
            (["X-Total-Count": "9223372036854775807"], .max), (["X-Total-Count": "0045"], 45),
            ([:], nil), (["X-Total": "45"], nil), (["X-Total-Count": ""], nil), (["X-Total-Count": "-1"], nil),
            (["X-Total-Count": "+45"], nil), (["X-Total-Count": "45.0"], nil), (["X-Total-Count": "many"], nil),
            (["X-Total-Count": "4 5"], nil), (["X-Total-Count": "9223372036854775808"], nil),
            (["X-Total-Count": "45", "x-total-count": "46"], nil), (["X-Total-Count": "45,46"], nil),
            (["X-Total-Count": "45", "x-total-count": "x"], nil), (["X-Total-Count": "45,"], nil),
            (["X-Total-Count": "٤٥"], nil),
        ] as [(HeaderFields, Int?)])
    func counts(headers: HeaderFields, expected: Int?) {
        #expect(headers.totalCount == expected)
    }

    @Test(
        "The next offset is read from the next link",
        arguments: [
            (["Link": #"<https://x/api/now/table/t?sysparm_offset=20&sysparm_limit=20>;rel="next""#], 20),
            (["link": "<https://x/t?sysparm_offset=20>; rel=next"], 20),
            (["Link": "<https://x/t?sysparm_offset=20> ; REL = \"NEXT\" ; title=\"a, b; \\\" rel=prev\""], 20),
            (
                ["Link": #"<https://x/t?sysparm_offset=20>;title="<x?sysparm_offset=1>;rel=\"prev\"";rel="last next""#],
                20
            ),
            (
                [
                    "Link": "<https://x/t?sysparm_fields=sys_class_name,name,os&sysparm_offset=0>;rel=\"first\","
                        + "<https://x/t?sysparm_fields=sys_class_name,name,os&sysparm_query=a%2Cb&sysparm_offset=10000>;rel=\"next\","
                        + "<https://x/t?sysparm_fields=sys_class_name,name,os&sysparm_offset=20000>;rel=\"last\""
                ], 10000
            ),
            (
                [
                    "Link": #"<https://x/t?sysparm_offset=0>;rel="first""#,
                    "LINK": #"<https://x/t?sysparm_offset=5>;rel="next""#,
                ], 5
            ),
            (["Link": #"<http://evil.example/?sysparm_offset=40#sysparm_offset=1>;rel="next""#], 40),
            (["Link": #"<?sysparm_offset=0&sysparm_limit=20&sysparm_offset=20&sysparm_limit=20>;rel="next""#], 20),
            (["Link": #",, <?sysparm_offset=20>;rel="next", "#], 20),
            (["Link": #"<?x>;rel="next",<?sysparm_offset=20>;rel="next""#], 20),
            (["Link": "<?sysparm_offset=20>;anchor;rel=next"], 20),
            ([:], nil), (["Link": ""], nil), (["Link": #"<>;rel="next""#], nil), (["Link": "next"], nil),
            (["Link": #"<https://x/t?sysparm_offset=20>;rel="prev""#], nil), (["Link": "<?sysparm_offset=20>"], nil),
            (["Link": #"<?sysparm_offset=20>;rel="nextish""#], nil),
            (["Link": #"<?sysparm_offset=20>;rel=prev;rel=next"#], nil),
            (["Link": #"<?sysparm_offset=-20>;rel="next""#], nil), (["Link": #"<?sysparm_offset=>;rel="next""#], nil),
            (["Link": #"<?sysparm_offset=2x>;rel="next""#], nil), (["Link": #"<?xsysparm_offset=20>;rel="next""#], nil),
            (["Link": #"<sysparm_offset=20>;rel="next""#], nil), (["Link": #"<?sysparm_offset=20;rel="next""#], nil),
            (["Link": #"<?sysparm_offset=99999999999999999999>;rel="next""#], nil),
            (["Link": #"<?sysparm_offset=20>;title="rel=next"#], nil),
        ] as [(HeaderFields, Int?)])
    func nextOffsets(headers: HeaderFields, expected: Int?) {
        #expect(headers.nextOffset == expected)
    }

    /// Sun, 06 Nov 1994 08:49:37 GMT
    private static let date = 784_111_777

    @Test(
        "A wait is read in seconds or as a date in any of the three forms",
        arguments: [
            (["Retry-After": "7"], 7), (["retry-after": " 3600 "], 3600), (["Retry-After": "0"], 0),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"], 100),
            (["Retry-After": "Sunday, 06-Nov-94 08:49:37 GMT"], 100),
            (["Retry-After": "Sun Nov  6 08:49:37 1994"], 100), (["Retry-After": "Sun, 06 Nov 1994 08:00:00 GMT"], 0),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:30 GMT"], 7),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:50 GMT"], 0),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "yesterday"], 100),
            ([:], nil), (["Retry-After": ""], nil), (["Retry-After": "-5"], nil), (["Retry-After": "1.5"], nil),
            (["Retry-After": "soon"], nil), (["Retry-After": "7 s"], nil),
            (["Retry-After": "99999999999999999999"], .max), (["Retry-After": "3", "retry-after": "7"], 7),
            (["Retry-After": "7", "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"], 100),
            (["Retry-After": "soon", "Retry-After": "3"], 3), (["Retry-After": "3", "Retry-After": ""], 3),
            (["Retry-After": "Sun, 06 Nov 1994 24:49:37 GMT"], nil),
            (["Retry-After": "Sun, 06 Nov 1994 08:49 GMT"], nil),
            (["Retry-After": "Sun, 06 Nof 1994 08:49:37 GMT"], nil),
            (["Retry-After": "Sun, 32 Nov 1994 08:49:37 GMT"], nil),
            (["Retry-After": "Sun, 06 Nov 1994 08:49:37 PST"], nil), (["Retry-After": "06 Nov 1994 08:49:37 GMT"], nil),
            (["Retry-After": "Sun, 06 Nov 99999999999999999999 08:49:37 GMT"], nil),
        ] as [(HeaderFields, Int?)])
    func waits(headers: HeaderFields, expected: Int?) {
        #expect(headers.retryAfter { Self.date - 100 } == expected)
    }

    @Test(
        "Dates are counted right across leap days and centuries",
        arguments: [
            ("Thu, 01 Jan 1970 00:00:00 GMT", 0), ("Thu, 01-Jan-1970 00:00:10 GMT", 10),
            ("Tue, 29 Feb 2000 23:59:59 GMT", 951_868_799), ("Wed, 01 Mar 2000 00:00:00 GMT", 951_868_800),
            ("Mon, 30 Nov 2026 03:00:00 GMT", 1_796_007_600), ("Sun, 28 Feb 2100 12:00:00 GMT", 4_107_499_200),
            ("Mon, 01 Mar 2100 12:00:00 GMT", 4_107_585_600), ("Fri, 31 Dec 2094 23:59:60 GMT", 3_944_678_400),
            ("Wednesday, 01-Jan-75 00:00:00 GMT", 3_313_526_400), ("Saturday, 01-Jan-77 00:00:00 GMT", 220_924_800),
        ])
    func dates(text: String, expected: Int) {
        #expect(HTTPDate.seconds(text, now: 1_796_007_600) == expected)
    }
}
