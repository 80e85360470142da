import Testing

@testable import TableAPI

@Suite struct InstanceTests {
    @Test(
        "A URL is kept without its last slash, its scheme and host in lower case",
        arguments: [
            ("https://dev1.service-now.com", "https://dev1.service-now.com"),
            ("HTTPS://Dev1.Service-Now.com///", "https://dev1.service-now.com"),
            ("https://sn_proxy:8443/base/Path%20x/", "https://sn_proxy:8443/base/Path%20x"),
            ("https://[2001:db8::1]:443", "https://[2001:db8::1]:443"), ("https://203.0.113.7", "https://203.0.113.7"),
            ("http://localhost:8081", "http://localhost:8081"), ("http://demo.localhost", "http://demo.localhost"),
            ("http://127.8.9.10:1/", "http://127.8.9.10:1"), ("http://[::1]:8081", "http://[::1]:8081"),
        ])
    func accepts(url: String, expected: String) throws {
        #expect(try Instance(url: url).url.description == expected)
    }

    @Test(
        "A URL that requests must not go to is refused",
        arguments: [
            "", "dev1.service-now.com", "ftp://x", "https:/x", "https://", "https:///x", "https://:443", "https://x:",
            "https://x:0",
            "https://x:65536", "https://x:+80", "https://x:8a", "https://user@x", "https://user:password@x",
            "https://x?y=1",
            "https://x#y", "https://x/y?z", "https://x y", "https://x/ü", "https://ü", "https://x..y", "https://.x",
            "https://x.",
            "https://[::1", "https://[::1]x", "https://[::1@evil]", "https://[]", "https://x\\y", "https://x/a%2",
            "https://x/%00",
            "https://x\n", "https://x/a;b", "http://x", "http://127.0.0.1.example.com", "http://127.0.0.1@x",
            "http://127.1",
            "http://0127.0.0.1.1", "http://notlocalhost", "http://localhost.example.com", "http://[::2]",
            "http://0.0.0.0",
            "http://127.0.0.256",
        ])
    func refuses(url: String) {
        #expect(throws: InstanceError.self) { try Instance(url: url) }
    }

    @Test("A refusal repeats nothing of the URL")
    func keepsPassword() {
        let error = #expect(throws: InstanceError.self) { try Instance(url: "https://user:hunter2@x") }
        #expect(!String(describing: error).contains("hunter2"))
    }

    @Test("A user name that the basic scheme cannot carry is refused", arguments: ["a:b", "a\nb", "\u{7F}"])
    func usernames(name: String) {
        #expect(throws: InstanceError.self) {
            try Instance(url: "https://x", credentials: .basic(username: name, password: Secret("p")))
        }
    }
}
