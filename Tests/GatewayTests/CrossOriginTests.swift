import HTTPModel
import TableAPI
import Testing

@testable import Gateway

/// Web pages of other origins that may call, and what they are told.
struct CrossOriginTests {
    private static let origins = ["https://app.example", "http://localhost:3000", "http://10.0.0.5", "app+x://main"]

    private func service(
        tokens: [String: String] = [:], hosts: [String] = [], requestsPerToken: Int = 256, maxRequestBody: Int = 1 << 20
    ) throws -> Service {
        try Service(
            configuration: .sample(
                .sample(
                    tokens: tokens, origins: Self.origins, hosts: hosts, requestsPerToken: requestsPerToken),
                maxRequestBody: maxRequestBody))
    }

    private func page(_ origin: String, _ more: HeaderFields = [:]) -> HeaderFields {
        HeaderFields(
            [
                .init("Host", "localhost:8080"), .init("Origin", origin), .init("Sec-Fetch-Site", "cross-site"),
                .init("Sec-Fetch-Mode", "cors"),
            ] + more.fields)
    }

    private func isOpen(_ answer: Answer, to origin: String) -> Bool {
        answer.headers["Access-Control-Allow-Origin"] == origin && answer.headers["Vary"] == "Origin"
    }

    private func isClosed(_ answer: Answer) -> Bool {
        answer.headers["Vary"] == "Origin"
            && !answer.headers.fields.contains { $0.name.lowercased().hasPrefix("access-control-") }
    }

    @Test("A page of a listed origin can do everything, and reads it", arguments: origins)
    func listed(origin: String) async throws {
        let service = try service()
        let opened = try await service.send(
            "POST", "/sessions", headers: page(origin), body: #"{"table":"incident"}"#)
        let path = try #require(opened.headers["Location"])
        var answers = [opened]
        for (method, target) in [
            ("POST", path + "/next"), ("GET", path + "/next?after=1"), ("GET", path), ("GET", path + "/events"),
            ("GET", path + "/records"), ("GET", "/tables/incident"), ("GET", "/livez"), ("DELETE", path),
        ] {
            answers.append(try await service.send(method, target, headers: page(origin)))
        }
        for answer in answers {
            #expect((200...204).contains(answer.status) && isOpen(answer, to: origin))
            let exposed = answer.headers["Access-Control-Expose-Headers"]?.split(separator: ", ").map(String.init) ?? []
            // Those that a page sees anyhow, and those that are not for it (Fetch standard, safelisted names).
            let others = [
                "content-type", "cache-control", "vary", "x-content-type-options", "cross-origin-resource-policy",
                "access-control-allow-origin", "access-control-expose-headers", "x-accel-buffering",
            ]
            for field in answer.headers.fields where !others.contains(field.name.lowercased()) {
                #expect(exposed.contains(field.name), "\(field.name)")
            }
            #expect(answer.headers["Access-Control-Allow-Credentials"] == nil)
        }
    }

    @Test("A page of a listed origin reads problems of every kind too")
    func problems() async throws {
        let service = try service(
            tokens: ["alice": AccessPolicy.alice], requestsPerToken: 1, maxRequestBody: 100)
        let origin = "https://app.example"
        let alice = bearer(AccessPolicy.alice)
        let held = try await service.post("/sessions", #"{"table":"incident"}"#, alice).headers["Location"]
        let stream = try await service.get(try #require(held) + "/records", alice)
        let cases: [(Int, String, String, HeaderFields, String?)] = [
            (401, "GET", "/sessions", [:], nil), (401, "GET", "/nowhere", bearer("wrong-0123456789abcdef"), nil),
            (429, "GET", "/sessions", alice, nil), (400, "GET", "/%zz", [:], nil),
            (405, "PUT", "/livez", [:], nil),
            (422, "GET", "/livez?x=1", [:], nil), (404, "GET", "/problems/none", [:], nil),
        ]
        for (status, method, target, headers, body) in cases {
            let answer = try await service.send(method, target, headers: page(origin, headers), body: body)
            #expect(answer.status == status && isOpen(answer, to: origin), "\(method) \(target)")
        }
        #expect(await stream.receive().isWhole)
        let long = String(repeating: "x", count: 101)
        for (status, body, type) in [
            (413, long, "application/json"), (415, "{}", "text/plain"), (400, "{", "application/json"),
            (422, "{}", "application/json"),
        ] {
            let answer = try await service.send(
                "POST", "/sessions", headers: page(origin, alice), body: body, contentType: type)
            #expect(answer.status == status && isOpen(answer, to: origin))
        }
        // A listed page that names a host which is not ours is told so; it may know.
        let elsewhere: HeaderFields = ["Host": "evil.example", "Origin": origin]
        #expect(isOpen(try await service.send("GET", "/livez", headers: elsewhere), to: origin))
        service.gateway.drain()
        #expect(isOpen(try await service.send("GET", "/instances", headers: page(origin, alice)), to: origin))
    }

    @Test(
        "No other origin is let in, and none is echoed",
        arguments: [
            "https://evil.example", "null", "", "*", "https://app.example.evil.example", "https://app.example:8443",
            "https://app.example/", "https://APP.example", "http://app.example", "https://app.example:443",
            "https://xapp.example", "https://app.example https://evil.example", "http://10.0.0.6", "http://127.0.0.1",
            "http://localhost:3001", "app+x://main2", "https://a\u{301}pp.example",
        ])
    func unlisted(origin: String) async throws {
        let service = try service()
        let path = try await service.open()
        let preflight = HeaderFields(page(origin, ["Access-Control-Request-Method": "POST"]).fields)
        for (method, target, headers) in [
            ("POST", path + "/next", page(origin)), ("OPTIONS", path + "/next", preflight),
            ("GET", "/livez", page(origin)),
        ] {
            let answer = try await service.send(method, target, headers: headers)
            #expect(try answer.problem == "origin-not-allowed" && isClosed(answer))
            #expect(try answer.text("detail").contains("access.origins"))
            #expect(origin.count < 2 || !answer.text.contains(origin))
        }
        #expect(service.transport.urls.isEmpty)
    }

    @Test("Two origins are none, be they both listed")
    func repeated() async throws {
        let headers = page("https://app.example", ["Origin": "https://app.example"])
        let answer = try await service().send("GET", "/livez", headers: headers)
        #expect(try answer.problem == "origin-not-allowed" && isClosed(answer))
    }

    @Test(
        "A page cannot call otherwise than by fetch: no image, script, form, link or frame",
        arguments: [
            ("https://app.example", "cross-site", "no-cors"), ("https://app.example", "cross-site", "navigate"),
            ("https://app.example", "same-site", "nested-navigate"), ("https://app.example", "cross-site", "websocket"),
            ("https://app.example", "cross-site", "same-origin"), ("https://app.example", "cross-site", ""),
            (nil, "cross-site", "no-cors"), (nil, "cross-site", "navigate"), (nil, "same-site", "navigate"),
            (nil, "cross-site", "cors"), (nil, "same-origin", "no-cors"), (nil, "none", "no-cors"),
            (nil, nil, "no-cors"), ("http://localhost:8080", "same-origin", "no-cors"),
            ("null", "cross-site", "navigate"),
        ] as [(String?, String?, String)])
    func modes(origin: String?, site: String?, mode: String) async throws {
        let service = try service()
        let path = try await service.open()
        var headers: HeaderFields = ["Host": "localhost:8080", "Sec-Fetch-Mode": mode]
        if let origin { headers.append("Origin", origin) }
        if let site { headers.append("Sec-Fetch-Site", site) }
        for (method, target) in [("POST", path + "/next"), ("GET", path + "/next?after=0"), ("GET", "/livez")] {
            #expect(
                try await service.send(method, target, headers: headers).problem == "origin-not-allowed")
        }
        #expect(service.transport.urls.isEmpty)
    }

    @Test(
        "Whoever types an address, follows a link of the service’s own page, or sends no such headers, may go on",
        arguments: [
            (nil, "none", "navigate"), (nil, "same-origin", "navigate"), (nil, "same-origin", "cors"),
            (nil, "same-origin", "same-origin"), (nil, nil, nil), ("http://localhost:8080", "same-origin", "cors"),
            ("http://localhost:8080", nil, nil), ("https://app.example", nil, nil),
            ("https://app.example", nil, "cors"),
        ] as [(String?, String?, String?)])
    func allowedModes(origin: String?, site: String?, mode: String?) async throws {
        var headers: HeaderFields = ["Host": "localhost:8080"]
        for (name, value) in [("Origin", origin), ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode)] {
            if let value { headers.append(name, value) }
        }
        #expect(try await service().send("GET", "/livez", headers: headers).status == 200)
    }

    @Test(
        "What a browser shows as a document can load and run nothing, and stand in no frame",
        arguments: [
            ("navigate", nil, true), ("navigate", "text/html", true), ("cors", nil, false),
            ("cors", "text/html", false),
            (nil, nil, false), (nil, "*/*", false), (nil, "application/json", false),
            (nil, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", true),
        ] as [(String?, String?, Bool)], ["/livez", "/nowhere", "/problems/not-found", "/sessions/x"])
    func documents(request: (mode: String?, accept: String?, isDocument: Bool), target: String) async throws {
        var headers: HeaderFields = ["Host": "localhost:8080"]
        if let mode = request.mode { headers.append("Sec-Fetch-Mode", mode) }
        if let accept = request.accept { headers.append("Accept", accept) }
        let answer = try await service().send("GET", target, headers: headers)
        let policy = request.isDocument ? "default-src 'none'; frame-ancestors 'none'" : nil
        #expect(answer.headers["Content-Security-Policy"] == policy)
        #expect(answer.headers["Referrer-Policy"] == (request.isDocument ? "no-referrer" : nil))
        #expect(answer.headers["Cross-Origin-Resource-Policy"] == "same-origin")
    }

    @Test("A preflight needs no token, asks nobody, and is answered for every path", arguments: origins)
    func preflight(origin: String) async throws {
        let service = try service(tokens: ["alice": AccessPolicy.alice])
        for target in ["/sessions", "/sessions/x/next?after=1", "/nowhere", "/livez"] {
            let headers = page(
                origin,
                [
                    "Access-Control-Request-Method": "POST", "Access-Control-Request-Headers": "authorization,if-match",
                    "Access-Control-Request-Private-Network": "true",
                ])
            let answer = try await service.send("OPTIONS", target, headers: headers)
            #expect(answer.status == 204 && answer.body.isEmpty && isOpen(answer, to: origin))
            #expect(answer.headers["Access-Control-Allow-Methods"] == "GET, HEAD, POST, PATCH, DELETE")
            let allowed = answer.headers["Access-Control-Allow-Headers"]?.lowercased().split(separator: ", ") ?? []
            for name in ["authorization", "content-type", "if-match", "last-event-id", "prefer", "traceparent"] {
                #expect(allowed.contains { $0 == name }, "\(name)")
            }
            #expect(answer.headers["Access-Control-Max-Age"] == "7200")
            #expect(answer.headers["Access-Control-Allow-Private-Network"] == nil)
            #expect(answer.headers["Access-Control-Allow-Credentials"] == nil)
        }
        // What is no preflight needs a token like anything else.
        #expect(try await service.send("OPTIONS", "/sessions", headers: page(origin)).status == 401)
    }

    @Test("The host of a preflight is checked first")
    func preflightHost() async throws {
        let headers: HeaderFields = [
            "Host": "evil.example", "Origin": "https://app.example", "Access-Control-Request-Method": "POST",
        ]
        #expect(try await service().send("OPTIONS", "/sessions", headers: headers).problem == "host-not-allowed")
    }

    @Test("Where no origins are listed, answers say nothing of origins")
    func unconfigured() async throws {
        let answer = try await Service().get("/livez")
        #expect(answer.headers["Vary"] == nil)
        #expect(!answer.headers.fields.contains { $0.name.hasPrefix("Access-Control-") })
        let listed = try await service().get("/livez")
        #expect(isClosed(listed))
    }

    @Test("Over a Unix socket a listed page is answered like one over TCP")
    func unix() async throws {
        let preflight = page("https://app.example", ["Access-Control-Request-Method": "POST"])
        let answer = try await service().send("OPTIONS", "/sessions", headers: preflight, connection: .unix)
        #expect(answer.status == 204 && isOpen(answer, to: "https://app.example"))
    }

    @Test(
        "A listed host is ours, whatever the port and the case; nothing else becomes ours by it",
        arguments: [
            ("pages.internal.example", 200), ("PAGES.internal.example:8080", 200), ("pages.internal.example.", 200),
            ("other.internal.example", 421), ("x.pages.internal.example", 421), ("internal.example", 421),
            ("pages.internal.example.evil.example", 421), ("localhost", 200), ("10.0.0.5", 200),
        ])
    func hosts(host: String, status: Int) async throws {
        let service = try service(hosts: ["pages.internal.example"])
        let answer = try await service.send("GET", "/livez", headers: ["Host": host])
        #expect(answer.status == status)
        if status == 421 {
            #expect(try answer.text("detail").contains("access.hosts") && !answer.text.contains(host))
        }
    }

    @Test(
        "A listed host’s own pages may call, by its own scheme",
        arguments: [
            ("http://pages.internal.example:8080", ConnectionKind.tcp, 200),
            ("https://pages.internal.example:8080", .tls, 200), ("https://pages.internal.example:8080", .tcp, 403),
            ("http://pages.internal.example", .tcp, 403), ("http://other.internal.example:8080", .tcp, 403),
        ])
    func ownPages(origin: String, connection: ConnectionKind, status: Int) async throws {
        let headers: HeaderFields = ["Host": "pages.internal.example:8080", "Origin": origin]
        let answer = try await service(hosts: ["pages.internal.example"])
            .send("GET", "/livez", headers: headers, connection: connection)
        #expect(answer.status == status)
    }

    @Test(
        "Whoever claims to be a proxy is not believed",
        arguments: [
            "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-For", "Forwarded", "X-Original-URL", "X-Host",
        ])
    func forwarded(name: String) async throws {
        let service = try service()
        let evil: HeaderFields = ["Host": "evil.example", name: "localhost"]
        #expect(try await service.send("GET", "/livez", headers: evil).status == 421)
        let own: HeaderFields = ["Host": "localhost", name: "host=evil.example;proto=https;for=1.2.3.4"]
        let answer = try await service.send("POST", "/sessions", headers: own, body: #"{"table":"incident"}"#)
        #expect(answer.status == 201 && !answer.text.contains("evil") && !"\(answer.headers)".contains("evil"))
        #expect(!"\(service.events.all)".contains("evil") && !"\(service.events.all)".contains("1.2.3.4"))
    }
}
