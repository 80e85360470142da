import HTTPModel
import Testing

@testable import Gateway

struct AccessTests {
    @Test(
        "A host that nobody else can have point here is accepted",
        arguments: [
            "localhost", "localhost:8080", "LOCALHOST:1", "localhost.", "a.localhost:80", "a.b.localhost", "127.0.0.1",
            "127.1.2.3:65535", "192.168.1.9:8080", "10.0.0.5", "[::1]", "[::1]:8080", "[0:0:0::1]", "[::0001]",
            "[FE80::1]:80", "[2001:db8:0:0:0:0:2:1]", "[1:2:3:4:5:6:1.2.3.4]", "[1::]", "my_host.localhost",
        ])
    func ownHosts(host: String) async throws {
        #expect(try await Service().send("GET", "/livez", headers: ["Host": host]).status == 200)
    }

    @Test(
        "Any other host is misdirected, and nothing happens",
        arguments: [
            "evil.example", "evil.example:8080", "localhost.evil.example", "evillocalhost", "localhost.evil", "127.1",
            "2130706433", "0x7f.0.0.1", "0177.0.0.1", "127.0.0.1.evil.example", "1.2.3.256", "1.2.3", "01.2.3.4",
            "127.0.0.1.nip.io", "xn--n3h.example", "-", "a.local",
            // They lead to this machine as well, and no browser says from which page.
            "0.0.0.0", "0.0.0.0:8080", "0.0.0.0.", "0.1.2.3", "[::]", "[::]:8080", "[0:0:0:0:0:0:0:0]", "[::0.0.0.0]",
            "[::ffff:127.0.0.1]:80", "[::FFFF:7f00:1]", "[0:0:0:0:0:ffff:10.0.0.5]", "[::127.0.0.1]",
            "[::ffff:0:7f00:1]",
            "[::2]",
        ])
    func foreignHosts(host: String) async throws {
        let service = try Service()
        let session = try await service.open()
        for (method, target) in [("GET", session), ("POST", session + "/next"), ("GET", "/livez"), ("GET", "/nowhere")]
        {
            let answer = try await service.send(method, target, headers: ["Host": host])
            #expect(try answer.problem == "host-not-allowed")
        }
        #expect(service.transport.urls.isEmpty)
    }

    @Test(
        "A host that is none is malformed",
        arguments: [
            [], [""], ["localhost", "evil.example"], ["localhost", "localhost"], ["local host"], ["user@localhost"],
            ["localhost:"], ["localhost:80:80"], ["localhost:-1"], ["localhost:65536"], ["localhost:8o"], ["::1"],
            ["[::1"], ["::1]"], ["[::1]x"], ["[]"], ["[1]"], ["[:]"], ["[:::]"], ["[1:2:3:4:5:6:7]"], ["[::1::]"],
            ["[1:2:3:4:5:6:7:8:9]"], ["[::12345]"], ["[::g]"], ["[fe80::1%25eth0]"], ["[1.2.3.4::]"], ["a..localhost"],
            [".localhost"], ["localhost.."], ["."], ["lócalhost"], ["ｌocalhost"], ["localhost/x"], ["localhost,evil"],
            ["http://localhost"], [String(repeating: "a", count: 64) + ".localhost"],
            [String(repeating: "a.", count: 130) + "localhost"], ["localhost\\"],
        ])
    func invalidHosts(hosts: [String]) async throws {
        let headers = HeaderFields(hosts.map { .init("Host", $0) })
        #expect(try await Service().send("GET", "/livez", headers: headers).problem == "malformed-request")
    }

    @Test("HTTP/1.0 need not name a host, but not a foreign one")
    func oldVersion() async throws {
        let service = try Service()
        #expect(try await service.send("GET", "/livez", headers: [:], minorVersion: 0).status == 200)
        #expect(
            try await service.send("GET", "/livez", headers: ["Host": "evil.example"], minorVersion: 0).status == 421)
    }

    @Test("On a Unix socket no host and no origin counts", arguments: [[], ["evil.example"], ["", "?"]])
    func unix(hosts: [String]) async throws {
        let headers = HeaderFields(
            hosts.map { .init("Host", $0) } + [.init("Origin", "null"), .init("Sec-Fetch-Site", "cross-site")])
        #expect(try await Service().send("GET", "/livez", headers: headers, connection: .unix).status == 200)
    }

    @Test(
        "The authority of an absolute target counts before the header",
        arguments: [
            ("http://localhost:8080/livez", "localhost", 200), ("https://127.0.0.1/livez", "localhost", 200),
            ("http://localhost/livez?", "localhost", 200), ("http://evil.example/livez", "localhost", 421),
            ("http://localhost/livez", "evil.example", 200), ("http:///livez", "localhost", 400),
            ("http://user@localhost/livez", "localhost", 400),
            ("http://evil.example@localhost/livez", "localhost", 400),
            ("http://localhost:99999/livez", "localhost", 400), ("http://localhost/livez", "", 400),
            ("http://localhost/nowhere", "localhost", 404), ("http://localhost", "localhost", 404),
        ])
    func absolute(target: String, host: String, status: Int) async throws {
        #expect(try await Service().send("GET", target, headers: ["Host": host]).status == status)
    }

    @Test(
        "A page of a foreign origin moves nothing and reads nothing",
        arguments: [
            [("Origin", "https://evil.example")], [("Origin", "null")], [("Origin", "")],
            [("Origin", "http://localhost")], [("Origin", "http://localhost:3000")],
            [("Origin", "https://localhost:8080")], [("Origin", "http://127.0.0.1:8080")],
            [("Origin", "http://localhost:8080/")], [("Origin", "http://localhost:8080@evil.example")],
            [("Origin", "http://localhost:8080.evil.example")], [("Origin", "HTTP://localhost:8080")],
            [("Origin", "http://localhost:8080"), ("Origin", "http://localhost:8080")],
            [("Origin", "http://localhost:8080 http://evil.example")], [("Sec-Fetch-Site", "cross-site")],
            [("Sec-Fetch-Site", "same-site")], [("Sec-Fetch-Site", "")], [("Sec-Fetch-Site", "Same-Origin")],
            [("Origin", "https://evil.example"), ("Sec-Fetch-Site", "same-origin")],
        ])
    func foreignOrigins(fields: [(String, String)]) async throws {
        let service = try Service()
        let session = try await service.open()
        let headers = HeaderFields([.init("Host", "localhost:8080")] + fields.map { .init($0.0, $0.1) })
        let requests = [
            ("GET", session), ("POST", session + "/next"), ("GET", session + "/next?after=0"), ("GET", "/livez"),
            ("OPTIONS", session), ("DELETE", session), ("HEAD", "/nowhere"),
        ]
        for (method, target) in requests {
            let answer = try await service.send(method, target, headers: headers)
            #expect(try answer.problem == "origin-not-allowed")
            #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
        }
        #expect(try await service.send("POST", "/sessions", headers: headers, body: "{}").status == 403)
        #expect(service.transport.urls.isEmpty)
        #expect(try await service.get(session)["position"] == .integer(0))
    }

    @Test(
        "Only a page of this machine can have the service's own origin",
        arguments: [
            ("localhost:8080", "http://localhost:8080", ConnectionKind.tcp, 200),
            ("LocalHost:8080", "http://localhost:8080", .tcp, 200), ("[::1]:80", "http://[::1]:80", .tcp, 200),
            ("127.0.0.1:8080", "http://127.0.0.1:8080", .tcp, 200), ("a.localhost", "https://a.localhost", .tls, 200),
            ("a.localhost", "http://a.localhost", .tls, 403), ("10.0.0.5", "http://10.0.0.5", .tcp, 403),
            ("[2001:db8::1]", "http://[2001:db8::1]", .tcp, 403),
        ])
    func ownOrigin(host: String, origin: String, connection: ConnectionKind, status: Int) async throws {
        let answer = try await Service().send(
            "GET", "/livez", headers: ["Host": host, "Origin": origin], connection: connection)
        #expect(answer.status == status)
    }

    @Test(
        "What a browser sends for its own page or for its address line is accepted", arguments: ["same-origin", "none"])
    func fetchSite(site: String) async throws {
        #expect(try await Service().get("/livez", ["Sec-Fetch-Site": site]).status == 200)
    }
}
