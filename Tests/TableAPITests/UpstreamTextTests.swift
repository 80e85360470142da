import Testing

@testable import TableAPI

@Suite struct UpstreamTextTests {
    @Test(
        "What an instance says is shown on one line, without anything that acts on a terminal",
        arguments: [
            ("Invalid table foo", "Invalid table foo"), ("", ""), ("Zürich 東京 \u{1F600}", "Zürich 東京 \u{1F600}"),
            ("a\nb\r\tc\0", "a\\u{A}b\\u{D}\\u{9}c\\u{0}"), ("\u{1B}[31mred\u{9B}0m", "\\u{1B}[31mred\\u{9B}0m"),
            ("\u{202E}abc\u{2066}\u{200F}\u{61C}", "\\u{202E}abc\\u{2066}\\u{200F}\\u{61C}"),
            ("a\u{2028}b\u{2029}c\u{85}\u{7F}\u{FEFF}", "a\\u{2028}b\\u{2029}c\\u{85}\\u{7F}\\u{FEFF}"),
        ])
    func oneLine(text: String, expected: String) {
        #expect(printable(text) == expected)
    }

    @Test("A long text is cut", arguments: ["a", "é", "\u{301}", "\u{1F600}"])
    func cuts(piece: String) {
        let exact = String(repeating: piece, count: 500)
        #expect(printable(exact) == exact)
        #expect(printable(exact + piece) == exact + "…")
        #expect(printable(String(repeating: "\u{202E}", count: 1000)).unicodeScalars.count <= 501)
    }
}
