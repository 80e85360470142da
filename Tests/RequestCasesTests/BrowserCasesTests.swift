import DemoInstance
import HTTPModel
import PaginatordTesting
import Testing

/// What a page of another site can have its user's browser send.
@Suite(.timeLimit(.minutes(10))) struct BrowserCasesTests {
    private static let body = #"{"table":"incident"}"#

    private func expectNoSession(at service: Deployment) async throws {
        let list = try await service.call("GET", "/sessions")
        #expect((list.members["sessions"] as? [Any])?.count == 0)
    }

    @Test(
        "10: A foreign origin is refused, token or not, and is told nothing by CORS",
        arguments: [
            "https://evil.example", "https://app.example.evil.example", "http://app.example", "https://app.example:1",
        ])
    func foreignOrigin(origin: String) async throws {
        try await Deployment.run { service in
            for token in [Deployment.token, nil] {
                let raw = service.request("POST", "/sessions", ["Origin: \(origin)"], body: Self.body, token: token)
                let answer = try await service.expectRefusal(raw, 403, "origin-not-allowed")
                #expect(answer.headers["Access-Control-Allow-Origin"] == nil)
                #expect((answer.members["detail"] as? String)?.contains("access.origins") == true)
            }
            try await expectNoSession(at: service)
        }
    }

    @Test("11: The origin null is refused")
    func nullOrigin() async throws {
        try await Deployment.run { service in
            for lines in [["Origin: null"], ["Origin:"], ["Origin: https://app.example", "Origin: null"]] {
                let raw = service.request("POST", "/sessions", lines, body: Self.body)
                try await service.expectRefusal(raw, 403, "origin-not-allowed")
            }
            try await expectNoSession(at: service)
        }
    }

    @Test("12: An origin that is an IP address is refused unless it is listed")
    func addressOrigin() async throws {
        try await Deployment.run { service in
            let raw = service.request("POST", "/sessions", ["Origin: http://10.0.0.5"], body: Self.body)
            try await service.expectRefusal(raw, 403, "origin-not-allowed")
            try await expectNoSession(at: service)
            let listed = try await service.call("POST", "/sessions", ["Origin: http://10.0.0.6"], body: Self.body)
            #expect(listed.status == 201 && listed.headers["Access-Control-Allow-Origin"] == "http://10.0.0.6")
        }
    }

    @Test(
        "14: A preflight of an allowed origin is answered without a token",
        arguments: ["/sessions", "/sessions/x/next", "/tables/incident"])
    func preflight(target: String) async throws {
        try await Deployment.run { service in
            let lines = [
                "Origin: https://app.example", "Access-Control-Request-Method: POST",
                "Access-Control-Request-Headers: authorization,if-match",
            ]
            let answer = try await service.call("OPTIONS", target, lines, token: nil)
            #expect(answer.status == 204)
            #expect(answer.headers.values(of: "Access-Control-Allow-Origin") == ["https://app.example"])
            #expect(answer.headers["Vary"]?.contains("Origin") == true)
            let allowed = answer.headers["Access-Control-Allow-Headers"]?.lowercased() ?? ""
            #expect(allowed.contains("authorization") && allowed.contains("if-match"))
            let foreign = service.request("OPTIONS", target, ["Origin: https://evil.example"] + lines.dropFirst())
            let refusal = try await service.expectRefusal(foreign, 403, "origin-not-allowed")
            #expect(refusal.headers["Access-Control-Allow-Origin"] == nil)
        }
    }

    @Test("15: A preflight for a private network is answered like any other")
    func privateNetwork() async throws {
        try await Deployment.run { service in
            let lines = [
                "Origin: https://app.example", "Access-Control-Request-Method: GET",
                "Access-Control-Request-Private-Network: true", "Access-Control-Request-Local-Network: true",
            ]
            let answer = try await service.call("OPTIONS", "/sessions", lines, token: nil)
            #expect(answer.status == 204)
            #expect(answer.headers["Access-Control-Allow-Private-Network"] == nil)
            #expect(answer.headers["Access-Control-Allow-Local-Network"] == nil)
        }
    }

    @Test("16: A request without Origin from another site moves nothing")
    func crossSite() async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            for method in ["POST", "GET"] {
                for lines in [
                    ["Sec-Fetch-Site: cross-site"], ["Sec-Fetch-Site: same-site"],
                    ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: no-cors"],
                    ["Sec-Fetch-Site: same-origin", "Sec-Fetch-Mode: no-cors"],
                    ["Sec-Fetch-Site: cross-site", "Sec-Fetch-Mode: navigate"],
                ] {
                    let raw = service.request(method, session + "/next?after=0", lines)
                    try await service.expectRefusal(raw, 403, "origin-not-allowed")
                }
            }
            #expect(try await service.position(of: session) == 0)
        }
    }

    @Test("17: A body of a type that a form can send opens no session")
    func formTypes() async throws {
        try await Deployment.run { service in
            for type in [
                "text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x", "",
                "text/plain; x=application/json", "application/jsonp",
            ] {
                let raw = service.request("POST", "/sessions", ["Content-Type: \(type)"], body: Self.body)
                try await service.expectRefusal(raw, 415, "unsupported-media-type")
            }
            try await expectNoSession(at: service)
        }
    }
}
