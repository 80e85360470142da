import Testing

@testable import HTTPModel

struct RequestTargetTests {
    @Test(
        "A target is taken apart and not decoded",
        arguments: [
            ("/", nil, "/", nil), ("/a/b", nil, "/a/b", nil), ("/a?", nil, "/a", ""), ("/a?b=c", nil, "/a", "b=c"),
            ("/a?b?c/d", nil, "/a", "b?c/d"), ("/%61%252F/...", nil, "/%61%252F/...", nil),
            ("//x/y", nil, "//x/y", nil),
            ("/a\"<>^|", nil, "/a\"<>^|", nil), ("http://h/a?b", "h", "/a", "b"), ("https://h:1", "h:1", "/", nil),
            ("http://h?b", "h", "/", "b"), ("http:///a", "", "/a", nil), ("http://u@h/a", "u@h", "/a", nil),
            ("/http://h/", nil, "/http://h/", nil), ("/%10%01", nil, "/%10%01", nil), ("/%300", nil, "/%300", nil),
        ] as [(String, String?, String, String?)])
    func sound(raw: String, authority: String?, path: String, query: String?) throws {
        let target = try #require(RequestTarget(raw))
        #expect(target.authority == authority && target.path == path && target.query == query)
    }

    @Test(
        "Anything else is no target",
        arguments: [
            "", "*", "a", "a/b", "host:80", "ftp://h/", "HTTP:/h", "http:/h", "/a b", "/a#", "/a\r\nX: y", "/\0", "/é",
            "/%", "/%a", "/%g0", "/%0g", "/%00", "/?%00", "/%2500%00", "/%%41", "/a%\u{7F}1", "http://h/%",
        ])
    func broken(raw: String) {
        #expect(RequestTarget(raw) == nil)
    }

    @Test(
        "A path that others take for another one is no target",
        arguments: [
            "/..", "/.", "/../a", "/./a", "/a/..", "/a/.", "/a/../b", "/a/./b", "/%2e", "/a%2Eb", "/%2e%2e/a", "/a%2fb",
            "/a%2F", "/a%5cb", "/a%5C", "/a\\b", "/\\..", "/a/..?b", "http://h/..", "http://h/a%2fb", "/a/%2e./b",
            "/%25%2f",
        ])
    func otherPath(raw: String) {
        #expect(RequestTarget(raw) == nil)
    }

    @Test(
        "What only looks like such a path is one, and the query may hold anything",
        arguments: [
            "/a.b", "/..a", "/a..", "/...", "/a?b=/../%2f%5c%2e\\", "/%2d", "/%1f", "/%4f", "/%5b", "/%6f", "/%252e",
            "/%3F..",
        ])
    func samePath(raw: String) throws {
        #expect(try #require(RequestTarget(raw)).path == raw.prefix { $0 != "?" })
    }

    @Test(
        "Parameters are decoded in order",
        arguments: [
            ("/a", []), ("/a?", []), ("/a?&&", []), ("/a?b", [("b", "")]), ("/a?b=", [("b", "")]),
            ("/a?=c", [("", "c")]),
            ("/a?b=c=d", [("b", "c=d")]), ("/a?b=1&c=2&b=3", [("b", "1"), ("c", "2"), ("b", "3")]),
            ("/a?%62+c=%2B+%26%3D", [("b c", "+ &=")]), ("/a?b=%C3%A9", [("b", "é")]), ("/a?b;c=1", [("b;c", "1")]),
            ("/a?b=?/", [("b", "?/")]),
        ])
    func parameters(raw: String, expected: [(String, String)]) throws {
        let parameters = try #require(RequestTarget(raw)?.parameters())
        #expect(parameters.map(\.name) == expected.map(\.0) && parameters.map(\.value) == expected.map(\.1))
    }

    @Test("Parameters that are no text are none", arguments: ["/?a=%FF", "/?%C3=1", "/?a=%ED%A0%80", "/?a=%C0%80"])
    func noText(raw: String) throws {
        #expect(try #require(RequestTarget(raw)).parameters() == nil)
    }

    @Test(
        "What is percent-encoded comes back, byte for byte",
        arguments: ["", "az AZ09-._~", "+&=#?/%", "é\u{1F600}", "a\r\nb", "^\u{301}"])
    func roundTrip(text: String) {
        var bytes: [UInt8] = []
        appendPercentEncoded(text, to: &bytes)
        let encoded = String(decoding: bytes, as: UTF8.self)
        #expect(encoded.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F && !"+&=#?/^\"<>".utf8.contains($0) })
        #expect(percentDecoded(encoded).map { Array($0.utf8) } == Array(text.utf8))
        #expect(percentDecoded(encoded, plusIsSpace: true) == text)
    }
}
