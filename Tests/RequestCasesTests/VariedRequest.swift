import PaginatordTesting

/// Requests that are sound as HTTP and of one kind of the list, each time otherwise.
struct VariedRequest {
    /// What a request is about.
    enum Kind: CaseIterable, Sendable {
        // Whom it addresses.
        case noHost, loopbackHost, addressHost, unixHost, inside
        // Which page it comes from.
        case foreignOrigin, nullOrigin, addressOrigin, originList, crossSite, noCORS, listedNotCORS, preflight
        // Whose it is.
        case wrongToken, repeatedToken, foreignSession
        // What it asks for.
        case wrongMethod, mediaType, announcedTooLarge, table, foreignInstance
        // What does not matter.
        case forwarded, upgrade, encodings
    }

    /// Its method.
    var method = "GET"
    /// Its target.
    var target: String
    /// Its further lines.
    var lines: [String] = []
    /// Its body.
    var body: String?
    /// The token that it shows.
    var token: String? = Deployment.token
    /// Its host; the service's own where it is `localhost`.
    var host: String? = "localhost"
    /// The name of the problem by the status that may answer it; none for an answer that is no problem.
    var expected: [Int: String?] = [200: nil]
    /// The listed origin that it comes from, which then may read the answer.
    var listed: String?
    /// What neither an answer nor the log may have.
    var hidden = ""

    /// Makes the request of a kind that these numbers lead to.
    ///
    /// - Parameters:
    ///   - session: the path of a session of `Deployment.token`, which no request of a kind that is refused may change.
    ///   - port: the service's.
    init(_ kind: Kind, session: String, port: UInt16, using numbers: inout SeededGenerator) {
        target = session
        switch kind {
        case .noHost:
            ask(of: session, &numbers)
            host = nil
            lines += [
                numbers.one(of: ["X-Host", "Hos", "Hostt", "Forwarded-Host", "X-Forwarded-Host"]) + ": localhost"
            ]
            expected = [400: "malformed-request"]
        case .loopbackHost:
            let label = numbers.text(of: "abcxyz019_", 1...20)
            host = numbers.one(of: [
                "[::1]", "127.\(numbers.address(3))",
                numbers.recased("localhost"), "\(label).localhost", "\(label).\(label).\(numbers.recased("localhost"))",
                "localhost.",
            ])
            host?.append(numbers.port())
        case .addressHost:
            host = numbers.one(of: [numbers.address(4), numbers.longAddress()]) + numbers.port()
            if Bool.random(using: &numbers) { (token, expected) = (nil, [401: "authentication-required"]) }
        case .unixHost: host = numbers.text(of: visible + " é", 0...60)
        case .inside:
            target = numbers.one(of: [
                "/metrics", "/debug", "/instances", "/sessions", "/" + numbers.text(of: "abc/_-", 1...9),
            ])
            if Bool.random(using: &numbers) {
                hidden = numbers.text(of: "bcdfghjk", 12...20)
                (host, expected) = (
                    hidden + numbers.one(of: [".example", ".localhost.example", ""]), [421: "host-not-allowed"]
                )
            } else {
                (token, expected) = (nil, [401: "authentication-required"])
            }
        case .foreignOrigin:
            ask(of: session, &numbers)
            come(from: numbers.foreignOrigin(port), &numbers)
        case .nullOrigin:
            ask(of: session, &numbers)
            let none = [
                "", "\"null\"", "undefined", "*", "none", "//", "about:blank", "data:", "0", "null/", "null:80",
            ]
            come(from: numbers.one(of: none + [numbers.recased("null"), "null"]), &numbers)
        case .addressOrigin:
            ask(of: session, &numbers)
            let address = numbers.one(of: [
                numbers.address(4), numbers.longAddress(), "2130706433", "0x7f.0.0.1", "127.1",
            ])
            let authority = address + numbers.port()
            come(from: numbers.one(of: ["http", "https"]) + "://" + authority, &numbers)
            // As where a page's own host name points here.
            if !address.hasPrefix("127."), address.contains(/^(\[|[0-9]+\.[0-9]+\.[0-9]+\.)/),
                Bool.random(using: &numbers)
            {
                host = authority
            }
        case .originList:
            ask(of: session, &numbers)
            let some = Deployment.origins + ["http://localhost:\(port)", "https://evil.example", "null"]
            let origins = (0..<Int.random(in: 2...4, using: &numbers)).map { _ in numbers.one(of: some) }
            if Bool.random(using: &numbers) {
                come(from: origins.joined(separator: numbers.one(of: [" ", ", ", ",", "; ", "\t"])), &numbers)
            } else {
                come(from: origins[0], &numbers)
                lines = numbers.shuffled(lines + origins.dropFirst().map { "Origin: \($0)" })
            }
        case .crossSite:
            ask(of: session, &numbers)
            let site = numbers.one(of: [
                "cross-site", "same-site", numbers.recased("CROSS-SITE"), "", "SAME-ORIGIN", "same-origin, none", "?1",
                numbers.edited("same-origin", "xyz-_,"), numbers.edited("none", "xyz-_,"),
            ])
            lines += numbers.shuffled(["Sec-Fetch-Site: \(site)"] + numbers.fetchLines(without: "Site"))
            expected = [403: "origin-not-allowed"]
        case .noCORS:
            ask(of: session, &numbers)
            listed = numbers.one(of: Deployment.origins + [nil, nil])
            let origin = listed ?? numbers.one(of: ["http://localhost:\(port)", nil, nil])
            lines += numbers.shuffled(
                ["Sec-Fetch-Mode: no-cors"] + (origin.map { ["Origin: \($0)"] } ?? [])
                    + numbers.fetchLines(without: "Mode"))
            expected = [403: "origin-not-allowed"]
        case .listedNotCORS:
            ask(of: session, &numbers)
            let origin = numbers.one(of: Deployment.origins)
            let mode = numbers.one(of: [
                "navigate", "same-origin", "websocket", "", "no-cors", "CORS", numbers.edited("cors", "xyz-_,"),
            ])
            lines += numbers.shuffled(
                ["Origin: \(origin)", "Sec-Fetch-Mode: \(mode)"] + numbers.fetchLines(without: "Mode"))
            (listed, expected) = (origin, [403: "origin-not-allowed"])
        case .preflight:
            let origin = numbers.one(of: Deployment.origins)
            (method, listed, expected) = ("OPTIONS", origin, [204: nil])
            target = numbers.one(of: [
                "/sessions", session, session + "/next", "/tables/x", "/" + numbers.text(of: "ab/", 0...9),
            ])
            let asked = numbers.one(of: ["GET", "POST", "DELETE", "PATCH", "PUT", numbers.text(of: "ABCabc", 1...9)])
            lines = [
                "Origin: \(origin)", "Access-Control-Request-Method: \(asked)",
                "Access-Control-Request-Headers: \(numbers.text(of: "abc-,", 0...30))",
            ]
            for name in ["Private", "Local"] where Bool.random(using: &numbers) {
                lines += ["Access-Control-Request-\(name)-Network: \(numbers.one(of: ["true", "false", "", "*"]))"]
            }
            if Bool.random(using: &numbers) { lines += ["Sec-Fetch-Mode: cors", "Sec-Fetch-Site: cross-site"] }
            lines = numbers.shuffled(lines)
            // A preflight never brings one; a wrong one does not matter.
            token = numbers.one(of: [nil, nil, "wrong"])
        case .wrongToken:
            ask(of: session, &numbers)
            showWrongToken(&numbers)
            (token, expected) = (nil, [401: "authentication-required"])
        case .repeatedToken:
            ask(of: session, &numbers)
            let values = ["Bearer \(Deployment.token)", "Bearer \(Deployment.otherToken)", "Basic eDp5", "", "x"]
            for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                lines += [numbers.recased("authorization") + ": " + numbers.one(of: values)]
            }
            lines = numbers.shuffled(lines)
            expected = [400: "malformed-request"]
        case .foreignSession:
            if Bool.random(using: &numbers) {
                let place = session.utf8.count - Int.random(in: 1...16, using: &numbers)
                var bytes = Array(session.utf8)
                bytes[place] = bytes[place] == 0x30 ? 0x31 : 0x30
                askSession(String(decoding: bytes, as: UTF8.self), &numbers)
            } else {
                askSession(session, &numbers)
            }
            (token, expected) = (Deployment.otherToken, [404: "session-not-found"])
        case .wrongMethod:
            target += "/" + numbers.one(of: ["next", "first", "previous", "last"])
            let known = ["PUT", "PATCH", "DELETE", "TRACE", "CONNECT", "PROPFIND", "SEARCH", "QUERY", "LINK"]
            repeat {
                method = numbers.one(of: [
                    numbers.one(of: known), numbers.recased(numbers.one(of: ["get", "post", "options", "head"])),
                    numbers.edited(numbers.one(of: ["GET", "POST", "OPTIONS"]), "ABCabc0!#$%&'*+-.^_`|~"),
                    numbers.text(of: "ABCXYZ-", 1...20),
                ])
            } while ["GET", "POST", "OPTIONS", "HEAD", ""].contains(method)
            expected = [405: "method-not-allowed"]
        case .mediaType:
            askObject(of: session, &numbers)
            declareWrongType(&numbers)
        case .announcedTooLarge:
            let isObject = Bool.random(using: &numbers)
            (method, target) = numbers.one(
                of: isObject ? [("POST", "/sessions"), ("PATCH", session)] : [("POST", session + "/next")])
            let length = 1 << 20 + Int.random(in: 1...(1 << Int.random(in: 0...61, using: &numbers)), using: &numbers)
            lines = numbers.shuffled([
                "Content-Length: \(length)", "Content-Type: application/json",
                "\(numbers.recased("expect")): \(numbers.recased("100-continue"))",
            ])
            expected = [413: "content-too-large"]
        case .table: askTable(&numbers)
        case .foreignInstance: askInstance(&numbers)
        case .forwarded:
            let value = numbers.one(of: [
                "203.0.113.\(numbers.text(of: "1", 3...9))", numbers.text(of: "bcdfghjk", 9...20),
            ])
            hidden = value
            let names = [
                "X-Forwarded-For", "X-Forwarded-Host", "X-Forwarded-Proto", "X-Forwarded-Port", "X-Forwarded-Prefix",
                "X-Original-URL", "X-Rewrite-URL", "X-Real-IP", "X-HTTP-Method-Override", "X-Original-Host", "Via",
                "True-Client-IP", "X-Forwarded-Server",
            ]
            lines = names.filter { _ in Bool.random(using: &numbers) }.map {
                "\($0): " + numbers.one(of: [value, "\(value), localhost", "DELETE", session, "/livez"])
            }
            lines += ["Forwarded: for=\(value);host=\"\(value)\";proto=https;by=_\(value)"]
        case .upgrade:
            let upgrade = numbers.one(of: ["websocket", "h2c", "HTTP/2.0", "TLS/1.2, HTTP/1.1", "WebSocket", "x", ""])
            lines = numbers.shuffled([
                "Connection: \(numbers.shuffled(["Upgrade", "HTTP2-Settings", "keep-alive"]).joined(separator: ", "))",
                "Upgrade: \(upgrade)", "HTTP2-Settings: \(numbers.text(of: "AMZ_-", 0...30))",
                "Sec-WebSocket-Key: \(numbers.text(of: "AMZ+/", 22...22))==", "Sec-WebSocket-Version: 13",
            ])
        case .encodings:
            let codings = (0..<Int.random(in: 0...5, using: &numbers)).map { _ in
                numbers.one(of: ["gzip", "br", "zstd", "deflate", "identity", "*", "x-gzip", "GZIP", ""])
                    + numbers.one(of: ["", ";q=1", ";q=0", "; q=0.5", ";q=2", ";q", ";x=y"])
            }
            lines = ["Accept-Encoding: \(codings.joined(separator: numbers.one(of: [",", ", ", " "])))"]
        }
    }

    // MARK: What would do something

    /// Asks for something that would move, open, change, end or fetch something.
    private mutating func ask(of session: String, _ numbers: inout SeededGenerator) {
        switch Int.random(in: 0..<4, using: &numbers) {
        case 0: askObject(of: session, &numbers)
        case 1: target = "/tables/incident"
        case 2: (method, lines) = ("OPTIONS", ["Access-Control-Request-Method: POST"])
        default: askSession(session, &numbers)
        }
    }

    /// Asks for something with a body.
    private mutating func askObject(of session: String, _ numbers: inout SeededGenerator) {
        (method, target, body) = numbers.one(of: [
            ("POST", "/sessions", #"{"table":"incident"}"#), ("PATCH", session, #"{"idleTimeout":77}"#),
        ])
    }

    /// Asks a session for something.
    private mutating func askSession(_ session: String, _ numbers: inout SeededGenerator) {
        let (method, rest) = numbers.one(of: [
            ("GET", ""), ("DELETE", ""), ("POST", "/next"), ("POST", "/first"), ("POST", "/last"), ("POST", "/reset"),
            ("GET", "/next?after=0"), ("POST", "/next?after=0"), ("GET", "/events"), ("GET", "/records"),
            ("GET", "/pages/1"),
        ])
        (self.method, target) = (method, session + rest)
    }

    // MARK: Pages

    private mutating func come(from origin: String, _ numbers: inout SeededGenerator) {
        // A page may bring both, and so may no browser at all.
        lines = numbers.shuffled(lines + ["Origin: \(origin)"] + numbers.fetchLines(without: ""))
        if Bool.random(using: &numbers) { token = nil }
        expected = [403: "origin-not-allowed"]
    }
}
