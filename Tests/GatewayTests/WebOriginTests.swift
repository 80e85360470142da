import Testing

@testable import Gateway

struct WebOriginTests {
    @Test(
        "An origin is written as browsers write it",
        arguments: [
            ("https://app.example", "https://app.example"), ("HTTPS://App.Example:443", "https://app.example"),
            ("http://app.example:80", "http://app.example"), ("http://app.example:443", "http://app.example:443"),
            ("http://localhost:3000", "http://localhost:3000"), ("http://[::1]:3000", "http://[::1]:3000"),
            ("http://10.0.0.5", "http://10.0.0.5"), ("moz-extension://0a-1b", "moz-extension://0a-1b"),
            ("capacitor://localhost", "capacitor://localhost"),
            ("https://xn--bcher-kva.example", "https://xn--bcher-kva.example"),
        ])
    func canonical(text: String, expected: String) {
        #expect(WebOrigin(text)?.description == expected)
    }

    @Test(
        "What is no origin of a page is none",
        arguments: [
            "", "null", "*", "app.example", "https://", "https:///", "https://app.example/", "https://app.example/x",
            "https://user@app.example", "https://app.example?x", "https://app.example#x", "https://*.example",
            "://app.example", "1https://app.example", "ht tp://app.example", "https://app.example:",
            "https:app.example",
            "https://app.example:99999", "https://bücher.example", "https//app.example",
            "https://app.example,https://b.example",
        ])
    func malformed(text: String) {
        #expect(WebOrigin(text) == nil)
    }
}
