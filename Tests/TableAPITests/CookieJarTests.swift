import HTTPModel
import Testing

@testable import TableAPI

@Suite struct CookieJarTests {
    /// In November 2026.
    private static let now = 1_796_000_000
    private static let target = "/api/now/table/incident?sysparm_limit=20&path=/other"

    private func header(
        after headers: [String], now: Int = now, later: Int = 0, target: String = target, host: String = "x.example"
    ) -> String? {
        var jar = CookieJar()
        let fields = HeaderFields(headers.map { HeaderFields.Field("set-cookie", $0) })
        jar.take(fields, target: Self.target, host: host, now: now)
        return jar.header(target: target, now: now + later)
    }

    @Test("What an instance sends is sent back, and what it deletes is not; neither 1970 nor 2094 is in the way")
    func realInstance() {
        let cookies = header(after: [
            "JSESSIONID=0123456789ABCDEF; Path=/; HttpOnly; Secure",
            "glide_user=; Max-Age=0; Expires=Thu, 01-Jan-1970 00:00:10 GMT; Path=/; HttpOnly",
            "glide_user_session=; Expires=Thu, 01-Jan-1970 00:00:10 GMT; Path=/",
            "glide_user_route=glide.abcdef; Max-Age=2147483647; Expires=Sat, 18-Dec-2094 11:34:48 GMT; Path=/; HttpOnly",
            "glide_session_store=89AB; Max-Age=1800; Expires=Mon, 30-Nov-2026 04:30:00 GMT; Path=/",
            "BIGipServerpool_x=1.2.3; path=/; Httponly; Secure",
        ])
        #expect(
            cookies == "JSESSIONID=0123456789ABCDEF; glide_user_route=glide.abcdef; glide_session_store=89AB; "
                + "BIGipServerpool_x=1.2.3")
    }

    @Test(
        "Each way of saying when a cookie ends",
        arguments: [
            ("a=b", true, true), ("a=b; Max-Age=60", true, false), ("a=b; max-age = 60 ", true, false),
            ("a=b; Max-Age=0", false, false), ("a=b; Max-Age=-1", false, false),
            ("a=b; Max-Age=99999999999999999999", true, true), ("a=b; Max-Age=9223372036854775807", true, true),
            ("a=b; Max-Age=x", true, true), ("a=b; Max-Age=", true, true), ("a=b; Max-Age", true, true),
            ("a=b; Expires=Thu, 01 Jan 1970 00:00:10 GMT", false, false),
            ("a=b; Expires=Thu, 01-Jan-1970 00:00:10 GMT", false, false),
            ("a=b; Expires=Thursday, 01-Jan-70 00:00:10 GMT", false, false),
            ("a=b; Expires=Sat, 18-Dec-2094 11:34:48 GMT", true, true),
            ("a=b; Expires=Fri, 31-Dec-9999 23:59:59 GMT", true, true), ("a=b; Expires=never", true, true),
            ("a=b; Max-Age=60; Expires=Thu, 01-Jan-1970 00:00:10 GMT", true, false),
            ("a=b; Expires=Thu, 01-Jan-1970 00:00:10 GMT; Max-Age=60", true, false),
            ("a=b; Max-Age=0; Expires=Sat, 18-Dec-2094 11:34:48 GMT", false, false),
        ])
    func expiry(cookie: String, isKept: Bool, isKeptAnHour: Bool) {
        #expect((header(after: [cookie]) != nil) == isKept)
        #expect((header(after: [cookie], later: 3600) != nil) == isKeptAnHour)
    }

    @Test(
        "A cookie is replaced and deleted by its name and path",
        arguments: [
            (["a=1; Path=/", "a=2; Path=/"], "a=2"), (["a=1; Path=/", "b=2; Path=/", "a=3; Path=/"], "a=3; b=2"),
            (["a=1; Path=/", "a=; Path=/; Max-Age=0"], nil), (["a=1; Path=/", "a=; Path=/api; Max-Age=0"], "a=1"),
            (["a=1; Path=/", "a=2; Path=/api"], "a=2; a=1"), (["a=1; Path=/", "A=2; Path=/"], "a=1; A=2"),
        ] as [([String], String?)])
    func replacement(cookies: [String], expected: String?) {
        #expect(header(after: cookies) == expected)
    }

    @Test(
        "A cookie goes where its path says, by default beside what it came with",
        arguments: [
            ("a=b; Path=/", "/x", true), ("a=b; Path=/api", "/api", true), ("a=b; Path=/api", "/api/x?q=/y", true),
            ("a=b; Path=/api", "/apix", false), ("a=b; Path=/api/", "/api", false), ("a=b; Path=/api/", "/api/x", true),
            ("a=b", "/api/now/table/problem", true), ("a=b", "/api/now/tables", false),
            ("a=b", "/x?/api/now/table", false),
            ("a=b; Path=", "/api/now/table", true), ("a=b; Path=api", "/api/now/table", true),
            ("a=b; Path=api", "/", false),
            ("a=b; Path=/x; Path=/", "/y", true),
        ])
    func paths(cookie: String, target: String, isSent: Bool) {
        #expect((header(after: [cookie], target: target) != nil) == isSent)
    }

    @Test(
        "A cookie for other hosts is not taken",
        arguments: [
            ("x.example", true), (".x.example", true), ("example", true), ("X.EXAMPLE", true), ("y.example", false),
            ("evil.x.example", false), ("ample", false), ("", true),
        ])
    func domains(domain: String, isTaken: Bool) {
        #expect((header(after: ["a=b; Domain=\(domain)"]) != nil) == isTaken)
    }

    @Test(
        "What is no cookie is left out",
        arguments: [
            "", ";", "=", "=b", "a", "a; Path=/", "a=b\u{0}", "a=é", "a=b\r\nX-Evil: 1", "; a=b", " =b",
        ])
    func malformed(cookie: String) {
        #expect(header(after: [cookie]) == nil)
        #expect(header(after: [cookie, "c=d"]) == "c=d")
    }

    @Test("Odd values are sent back as they came", arguments: ["a=", "a=b=c", "a=\"b\"", "a=b c", "a=b,c"])
    func odd(cookie: String) {
        #expect(header(after: [cookie]) == cookie)
    }

    @Test("Neither many cookies nor large ones make the head large; the oldest go")
    func bounds() throws {
        let many = try #require(header(after: (0..<1000).map { "c\($0)=x" }))
        #expect(many.split(separator: ";").count == 32 && many.hasSuffix("c999=x"))
        let large = try #require(header(after: (0..<10).map { "c\($0)=" + String(repeating: "x", count: 1000) }))
        #expect(large.utf8.count < 4500 && large.contains("c9="))
        #expect(header(after: ["a=1", "a=" + String(repeating: "x", count: 5000), "b=2"]) == "b=2")
    }

    @Test("A jar does not print what is in it")
    func redacts() {
        var jar = CookieJar()
        jar.take(["Set-Cookie": "JSESSIONID=hunter2"], target: "/", host: "x.example", now: 0)
        var dumped = ""
        dump(jar, to: &dumped)
        #expect(!"\(jar) \(String(reflecting: jar)) \(dumped)".contains("hunter2"))
    }
}
