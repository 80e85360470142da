import Foundation
import HTTPModel
import HTTPServer
import DemoInstance
import PaginatordTesting
import Testing

/// What callers write into a query, and what an instance answers.
@Suite(.timeLimit(.minutes(10))) struct DataCasesTests {
    @Test("31: A table is a name, and everything else is refused without a word to the instance")
    func tables() async throws {
        try await Deployment.run { service in
            let tables = [
                "../../v2/x", "incident?sysparm_limit=1", "incident#", "incident%2f..", "INCIDENT",
                String(repeating: "a", count: 300), "inc\u{456}dent", "incident\\u0000", "", " incident", "incident ",
                "incident/", "incident\\n", "1incident", "_incident", "incident;x", "incident&x=y",
            ]
            for table in tables {
                let raw = service.request("POST", "/sessions", body: #"{"table":"\#(table)"}"#)
                try await service.expectRefusal(raw, 422, "invalid-parameter")
            }
            for body in [#"{"table":5}"#, #"{"table":["incident"]}"#, #"{"table":null}"#, "{}"] {
                try await service.expectRefusal(
                    service.request("POST", "/sessions", body: body), 422, "invalid-parameter")
            }
            let deep = String(repeating: "[", count: 100_000)
            let noObjects = [
                "", "[]", "null", "{", #"{"table":"incident"}}"#, "\u{FEFF}{}x", "{\"table\":\"\u{1}\"}",
                #"{"a":\#(deep)"#,
                #"{"a":\#(deep)\#(String(repeating: "]", count: 100_000))}"#,
            ]
            for body in noObjects {
                try await service.expectRefusal(
                    service.request("POST", "/sessions", body: body), 400, "malformed-request")
            }
        }
    }

    @Test("32: A caller cannot say where the instance is")
    func foreignInstance() async throws {
        try await Deployment.run { service in
            for body in [
                #"{"table":"incident","instance":"http://169.254.169.254/"}"#,
                #"{"table":"incident","instance":"other"}"#,
                #"{"table":"incident","url":"http://169.254.169.254/"}"#,
                #"{"table":"incident","host":"evil.example"}"#,
                #"{"table":"incident","instance":{"url":"http://evil.example"}}"#,
            ] {
                try await service.expectRefusal(
                    service.request("POST", "/sessions", body: body), 422, "invalid-parameter")
            }
            let target = "/tables/incident?instance=http%3A%2F%2F169.254.169.254%2F"
            try await service.expectRefusal(service.request("GET", target), 422, "invalid-parameter")
        }
    }

    @Test("33: Whatever a query holds is one parameter of the request to the instance")
    func queries() async throws {
        try await Deployment.run { service in
            // The first answer sets a cookie, which the others bring.
            _ = try await received(#"active=false"#, at: service)
            let (clean, expected) = try await received(#"active=true"#, at: service)
            #expect(clean == "active=true^ORDERBYsys_id")
            for query in [
                #"active=true^ORsys_id!=x"#, #"a=b&sysparm_limit=99&sysparm_fields=sys_id"#, #"a=b#c"#,
                #"a=%0d%0aX-Evil: 1"#, #"a=b c+d"#, #"a=é\u2028"#, #"a=b\\c\"d"#, #"a=;?/@:"#, #"a=b\r\nX-Evil: 1"#,
                #"a=b\nX-Evil: 1"#, #"a=b\u0001c"#,
            ] {
                let (text, count) = try await received(query, at: service)
                #expect(count == expected)
                let sent = try JSONDecoder().decode(String.self, from: Data(#""\#(query)""#.utf8))
                #expect(text == sent + "^ORDERBYsys_id")
            }
            #expect(service.instance.requests.allSatisfy { $0.head.headers["X-Evil"] == nil })
        }
    }

    /// Moves a new session with that query, and gives back what the instance got as its query, and the number of headers.
    private func received(_ query: String, at service: Deployment) async throws -> (query: String?, count: Int) {
        let session = try await service.open(#","query":"\#(query)""#)
        _ = try await service.call("POST", session + "/next")
        let request = try #require(service.instance.requests.last)
        let parameters = try #require(RequestTarget(request.head.target)?.parameters())
        let queries = parameters.filter { $0.name == "sysparm_query" }
        #expect(queries.count == 1 && parameters.filter { $0.name == "sysparm_limit" }.map(\.value) == ["20"])
        return (queries.first?.value, request.head.headers.fields.count)
    }

    @Test(
        "34: A redirect of the instance is not followed, and nobody else is asked",
        arguments: [301, 302, 303, 307, 308])
    func redirect(status: Int) async throws {
        let other = Witness()
        try await serving(other) { listener in
            let url = listener.description
            try await Deployment.run { service in
                let session = try await service.open()
                for target in [
                    url + "/api/now/table/incident", "http://127.0.0.1:\(service.port)/livez", "/elsewhere", "//x",
                ] {
                    service.instance.append(.answer(Response(status: status, headers: ["Location": target])))
                    let answer = try await service.call("POST", session + "/next")
                    #expect(answer.status == 502 && answer.problem == "upstream-failed", "\(answer.text)")
                    #expect(!answer.text.contains(url))
                }
                #expect(service.instance.requests.count == 4)
                #expect(try await service.position(of: session) == 0)
            }
        }
        #expect(other.heads.isEmpty)
    }

    @Test(
        "35: An answer that is no HTTP, or has no end, is a problem of a known kind",
        arguments: [
            ("HTTP/1.1 200 OK\r\nX-A: b\rc: d\r\nContent-Length: 13\r\n\r\n{\"result\":[]}", ""),
            ("HTTP/1.1 200 OK\r\n", "X-Long: \(String(repeating: "x", count: 1000))\r\n"),
            (
                "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n{\"result\":[{\"a\":\"",
                String(repeating: "x", count: 1000)
            ),
            ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: gzip\r\n\r\n", "bomb"),
            ("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Encoding: zstd\r\n\r\n", "bomb"),
            ("HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{", "slow"), ("", "slow"), ("HTTP/1.1 2", "slow"),
        ])
    func badAnswers(start: String, repeated: String) async throws {
        let instance = try RawInstance(start: start, repeated: repeated)
        let settings = #"pages: { maxBytes: "1MiB" },"#
        let restraint = #"retries: 0, timeout: "2s", deadline: "3s", circuit: { failures: 0 }"#
        try await Deployment.run(settings, restraint: restraint, url: instance.url) { service in
            let session = try await service.open()
            let answer = try await service.call("POST", session + "/next")
            let isHarmless = start.contains("\rc: d") && answer.status == 200
            #expect(isHarmless || [502, 504].contains(answer.status), "\(answer.text)")
            #expect(isHarmless || answer.problem?.hasPrefix("upstream-") == true, "\(answer.text)")
            #expect(answer.headers["c"] == nil && answer.headers["X-Long"] == nil)
            #expect(try await service.position(of: session) == (isHarmless ? 1 : 0))
            // Nothing of it has stayed: 256 MiB is the bound for everything.
            #expect(try residentBytes(of: service.program.identifier) < 256 << 20)
        }
        instance.kill()
    }

    @Test("36: An answer that is no page moves nothing")
    func noPage() async throws {
        func answer(_ text: String, type: String = "application/json") -> Response {
            Response(status: 200, headers: ["Content-Type": type], body: .bytes(Array(text.utf8)))
        }
        let cases = [
            (answer(#"{"result":[{"a":"b"},{"#), "upstream-incomplete"),
            (answer(#"{"result":[]"#), "upstream-incomplete"),
            (answer("<html><body>Log in</body></html>", type: "text/html"), "upstream-not-json"),
            (answer("", type: "application/json"), "upstream-not-json"), (answer("<xml/>"), "upstream-not-json"),
        ]
        try await Deployment.run { service in
            let session = try await service.open()
            for (response, problem) in cases {
                service.instance.append(.answer(response))
                let answer = try await service.call("POST", session + "/next")
                #expect(answer.status == 502 && answer.problem == problem, "\(answer.text)")
                #expect(try await service.position(of: session) == 0)
            }
            #expect(try await service.call("POST", session + "/next").status == 200)
        }
    }

    @Test(
        "51: Nothing is compressed, whatever is accepted",
        arguments: ["gzip;q=1, *;q=0", "identity;q=0", "gzip", "br, zstd", "", "*;q=0"])
    func encodings(accepted: String) async throws {
        try await Deployment.run { service in
            let session = try await service.open()
            let answer = try await service.call("POST", session + "/next", ["Accept-Encoding: \(accepted)"])
            #expect(answer.status == 200 && answer.headers["Content-Encoding"] == nil)
            #expect(answer.members["page"] as? Int == 1)
        }
    }
}

/// The bytes of memory that a process occupies.
private func residentBytes(of process: Int32) throws -> Int {
    let text = try String(contentsOfFile: "/proc/\(process)/status", encoding: .utf8)
    let line = try #require(text.split(separator: "\n").first { $0.hasPrefix("VmRSS:") })
    return (Int(line.filter(\.isNumber)) ?? .max) * 1024
}
