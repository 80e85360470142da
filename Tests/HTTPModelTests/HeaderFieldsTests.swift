import Testing

@testable import HTTPModel

struct HeaderFieldsTests {
    @Test("Names are found in any case, and repeated lines stay repeated")
    func access() {
        var headers: HeaderFields = ["Accept": "a", "HOST": "h", "accept": "b"]
        #expect(headers["ACCEPT"] == "a" && headers.values(of: "Accept") == ["a", "b"] && headers["host"] == "h")
        #expect(headers["Accep"] == nil && headers.values(of: "X").isEmpty)
        headers["aCCept"] = "c"
        #expect(headers.fields == [.init("HOST", "h"), .init("aCCept", "c")])
        headers["Host"] = nil
        #expect(headers.fields == [.init("aCCept", "c")])
        headers.append("Accept", "d")
        #expect(headers.values(of: "accept") == ["c", "d"])
    }

    @Test(
        "Only letters differ in case",
        arguments: [
            ("Host", "hOST", true), ("", "", true), ("a", "", false), ("@", "`", false), ("[", "{", false),
            ("a-b", "A-B", true),
            ("a\r", "a-", false), ("0", "\u{10}", false), ("é", "É", false), ("ab", "ac", false),
            ("K", "\u{212A}", false),
        ])
    func comparison(left: String, right: String, isEqual: Bool) {
        #expect(equalIgnoringCase(left, right) == isEqual && equalIgnoringCase(right, left) == isEqual)
    }
}
