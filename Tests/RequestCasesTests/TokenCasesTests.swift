import Foundation
import DemoInstance
import HTTPModel
import PaginatordTesting
import Testing

/// Whose request it is.
@Suite(.timeLimit(.minutes(10))) struct TokenCasesTests {
    @Test("18: Without the very token there is no answer but 401, and nothing of what was sent is logged")
    func wrongToken() async throws {
        try await Deployment.run { service in
            let token = Deployment.token
            let wrong = [
                "Authorization: Bearer \(token) ", "Authorization: Bearer \(token)x",
                "Authorization: Bearer \(token.dropLast())", "Authorization: Bearer", "Authorization: Basic \(token)",
                "Authorization: \(token)", "Authorization: Bearer \(token.uppercased())", "X-Token: \(token)",
                "Authorization: Bearer wrong-token-0123456789abc", "Cookie: token=\(token)",
            ]
            let bodies = try await wrong.asyncMap { line in
                let raw = service.request("GET", "/sessions", [line], token: nil)
                let answer = try await service.expectRefusal(raw, 401, "authentication-required")
                #expect(answer.headers["WWW-Authenticate"]?.hasPrefix("Bearer") == true)
                return answer.text
            }
            #expect(Set(bodies).count == 1)
            for other in ["wrong-token-0123456789abc", token] {
                let lines = ["Authorization: Bearer \(token)", "Authorization: Bearer \(other)"]
                try await service.expectRefusal(
                    service.request("GET", "/sessions", lines, token: nil), 400, "malformed-request")
            }
            for target in ["/sessions?access_token=\(token)", "/sessions?token=\(token)"] {
                let raw = service.request("GET", target, token: nil)
                try await service.expectRefusal(raw, 401, "authentication-required")
            }
            let log = try await service.wholeLog()
            #expect(log.contains("401"))
            for secret in [token, "wrong-token", token.uppercased(), String(token.dropLast())] {
                #expect(!log.contains(secret))
            }
        }
    }

    @Test("18: A token is compared with every one there is, and whole, whatever has been found")
    func comparison() throws {
        let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
        let file = root.appendingPathComponent("Sources/Gateway/AccessTokens.swift")
        let source = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(source.range(of: "for (index, entry) in entries.enumerated() {"))
        let loop = source[start.upperBound...].prefix { $0 != "}" }
        #expect(loop.contains("entry.digest.0") && loop.contains("entry.digest.1"))
        let choice = /\b(if|guard|return|break|continue|where|switch|while|try|throw)\b|[=!<>]=|\?|&&|\|\||\s[<>]\s/
        #expect(loop.firstMatch(of: choice) == nil)
    }

    @Test("19: Somebody else's session is answered like one that never was")
    func foreignSession() async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            let unknown = "/sessions/" + String(repeating: "0", count: session.count - "/sessions/".count)
            for (method, rest) in [
                ("GET", ""), ("POST", "/next"), ("DELETE", ""), ("GET", "/events"), ("GET", "/pages/1"),
            ] {
                let foreign = try await service.call(method, session + rest, token: Deployment.otherToken)
                let absent = try await service.call(method, unknown + rest, token: Deployment.otherToken)
                #expect(foreign.status == 404)
                #expect(foreign.status == absent.status && foreign.text == absent.text)
                #expect(foreign.headers.fields.map { $0.name } == absent.headers.fields.map { $0.name })
            }
            #expect(try await service.position(of: session) == 0)
        }
    }

    @Test("43: One token cannot take all sessions: at its limit it is told 429, and others are not")
    func tooManySessions() async throws {
        try await Deployment.run("sessions: { maxPerOwner: 1000 },") { service in
            let peer = try service.connect()
            let raw = service.request("POST", "/sessions", body: #"{"table":"incident"}"#)
            for _ in 0..<1000 {
                try await peer.send(raw)
                #expect(try await peer.response().status == 201)
            }
            let answer = try await service.expectRefusal(raw, 429, "too-many-sessions")
            #expect(answer.headers["Retry-After"] != nil)
            _ = try await service.open(token: Deployment.otherToken)
        }
    }

    @Test("49: What a peer says of other hosts and callers in front of it changes nothing")
    func forwarded() async throws {
        let lines = [
            "X-Forwarded-For: 203.0.113.9", "X-Forwarded-Host: evil.example", "X-Forwarded-Proto: https",
            "X-Forwarded-Port: 1", "X-Original-URL: /sessions/x", "X-Rewrite-URL: /livez",
            "X-HTTP-Method-Override: DELETE",
            "Forwarded: for=203.0.113.9;host=evil.example;proto=https", "X-Real-IP: 203.0.113.9",
        ]
        try await Deployment.run { service in
            let opened = try await service.call("POST", "/sessions", lines, body: #"{"table":"incident"}"#)
            #expect(opened.status == 201)
            let session = try #require(opened.headers["Location"])
            let page = try await service.call("POST", session + "/next", lines)
            #expect(page.status == 200)
            for answer in [opened, page] {
                let all = answer.text + answer.headers.fields.map { $0.value }.joined()
                #expect(!all.contains("evil") && !all.contains("203.0.113") && !all.contains("https:"))
            }
            #expect(session.hasPrefix("/sessions/"))
            let raw = service.request("GET", "/livez", ["X-Forwarded-Host: localhost"], host: "evil.example")
            try await service.expectRefusal(raw, 421, "host-not-allowed")
            #expect(service.instance.requests.allSatisfy { $0.head.headers["X-Forwarded-For"] == nil })
            #expect(!(try await service.wholeLog().contains("203.0.113")))
        }
    }

    @Test("53: What tells of the service's inside is refused to foreign hosts, and without a token")
    func inside() async throws {
        try await Deployment.run { service in
            for target in ["/metrics", "/debug", "/debug/pprof", "/instances"] {
                try await service.expectRefusal(
                    service.request("GET", target, host: "evil.example"), 421, "host-not-allowed")
                try await service.expectRefusal(
                    service.request("GET", target, token: nil), 401, "authentication-required")
            }
        }
    }
}

extension Sequence {
    /// Maps one element after the other.
    func asyncMap<Result>(_ transform: (Element) async throws -> Result) async rethrows -> [Result] {
        var results: [Result] = []
        for element in self { results.append(try await transform(element)) }
        return results
    }
}
