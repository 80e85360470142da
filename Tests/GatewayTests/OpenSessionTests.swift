import HTTPModel
import Sessions
import SimdJSON
import Testing

@testable import Gateway

struct OpenSessionTests {
    @Test("A session answer holds every member with the value in force, in its order")
    func defaults() async throws {
        let service = try Service()
        let answer = try await service.post("/sessions", #"{"table":"incident"}"#)
        let path = try #require(answer.headers["Location"])
        let id = path.dropFirst("/sessions/".count)
        #expect(answer.status == 201 && id.utf8.count == 32)
        let expected = #"""
            {"id":"\#(id)","instance":"default","table":"incident","query":null,"fields":null,\#
            "displayValue":"false","excludeReferenceLink":false,"view":null,"queryCategory":null,\#
            "queryNoDomain":false,"stableOrder":true,"readAhead":"auto","idleTimeout":900,"page":0,\#
            "numberOfPages":9223372036854775807,"itemsPerPage":20,"totalItems":null,"hasNext":true,\#
            "hasPrevious":false,"isBusy":false,"isFinished":false,"publisherShouldFinish":false,\#
            "publisher":"\#(path)/events","position":0,"createdAt":"2026-11-30T03:00:00.000Z",\#
            "expiresAt":"2026-11-30T03:15:00.000Z","links":{"self":"\#(path)","first":"\#(path)/first?after=0",\#
            "next":"\#(path)/next?after=0","last":"\#(path)/last?after=0","reset":"\#(path)/reset?after=0",\#
            "records":"\#(path)/records"}}
            """#
        #expect(answer.text == expected)
        #expect(service.transport.urls.isEmpty)
    }

    @Test("Null means absent")
    func nulls() async throws {
        let service = try Service()
        let members = [
            "instance", "query", "fields", "displayValue", "excludeReferenceLink", "view", "queryCategory",
            "queryNoDomain", "itemsPerPage", "publisherShouldFinish", "stableOrder", "readAhead", "idleTimeout",
        ]
        let nulls = members.map { ",\"\($0)\":null" }.joined()
        let (bare, full) = (try await service.open(), try await service.open("{\"table\":\"incident\"\(nulls)}"))
        let expected = try await service.get(bare).text.replacing(bare.suffix(32), with: full.suffix(32))
        #expect(try await service.get(full).text == expected)
        #expect(try await service.post("/sessions", #"{"table":null}"#).faults == ["/table"])
    }

    @Test(
        "A valid member is in force",
        arguments: [
            ("table", #""a""#), ("table", #""u_x9_""#), ("table", "\"\(String(repeating: "a", count: 80))\""),
            ("instance", #""other""#), ("query", #""active=true^ORDERBYDESCopened_at""#), ("query", #""""#),
            ("query", #""a=\u0000\n\"é \ud83d\ude00""#), ("fields", #"["number","caller_id.email","U_X.a9"]"#),
            ("displayValue", #""true""#), ("displayValue", #""all""#), ("displayValue", #""false""#),
            ("excludeReferenceLink", "true"), ("view", #""mobile""#),
            ("view", "\"\(String(repeating: "v", count: 255))\""), ("queryCategory", #""list""#),
            ("queryNoDomain", "true"), ("itemsPerPage", "1"), ("itemsPerPage", "10000"), ("itemsPerPage", "2.0e1"),
            ("readAhead", #""auto""#), ("readAhead", "0"),
            ("readAhead", "8"), ("publisherShouldFinish", "true"), ("stableOrder", "false"), ("idleTimeout", "1"),
            ("idleTimeout", "86400"),
        ])
    func valid(member: String, value: String) async throws {
        let service = try Service(instances: ["default", "other"])
        let table = member == "table" ? "" : #""table":"incident","#
        let answer = try await service.post("/sessions", "{\(table)\"\(member)\":\(value)}")
        #expect(answer.status == 201)
        #expect(try answer[member] == JSONObject(Array("{\"v\":\(value)}".utf8)).members["v"])
    }

    private static let wrong: [(String, [String])] = [
        ("table", [#""""#, #""INCIDENT""#, #""9a""#, #""_a""#, #""../../v2/x""#, #""incident?sysparm_limit=1""#]),
        (
            "table",
            [#""incident#""#, #""incident%2f..""#, #""inc\u0456dent""#, #""incident\u0000""#, #""a b""#, #""a\n""#]
        ),
        ("table", ["\"\(String(repeating: "a", count: 81))\"", "1", "true", "[]", "{}", #"["incident"]"#]),
        ("instance", [#""http://169.254.169.254/""#, #""Default""#, #""""#, "1", "{}"]),
        ("query", ["1", "true", "[]", "{}", "\"\(String(repeating: "q", count: (32 << 10) + 1))\""]),
        ("fields", ["[]", "{}", "1", "true", #""number""#, "[1]", #"["number",null]"#, #"["number","number"]"#]),
        (
            "fields",
            [#"[""]"#, #"["a.."]"#, #"[".a"]"#, #"["a b"]"#, #"["a,b"]"#, #"["a&sysparm_limit=1"]"#, #"["é"]"#]
        ),
        ("displayValue", ["true", "false", #""TRUE""#, #""""#, "1", "[]"]),
        ("excludeReferenceLink", [#""true""#, "1", "0", "{}"]), ("queryNoDomain", [#""false""#, "1", "[]"]),
        ("stableOrder", [#""true""#, "0", "{}"]), ("publisherShouldFinish", [#""true""#, "1", "[]"]),
        ("view", ["1", "true", "[]", "{}", "\"\(String(repeating: "v", count: 256))\""]),
        ("queryCategory", ["1", "{}", "\"\(String(repeating: "é", count: 128))\""]),
        (
            "itemsPerPage",
            [
                "0", "-1", "10001", "9223372036854775808", "99999999999999999999", "1e30", "1.5", #""20""#, "true",
                "[]", "{}",
            ]
        ),
        ("idleTimeout", ["0", "-1", "86401", "-99999999999999999999", "0.5", #""900""#, #""15m""#, "false", "[]"]),
        ("readAhead", ["-1", "9", #""0""#, #""AUTO""#, "true", "0.5", "[]"]), ("url", [#""http://x""#]),
        ("Table", [#""incident""#]), ("page", ["1"]), ("a~/b", ["1"]), ("", ["1"]), ("sysparm_query", [#""x""#]),
    ]

    @Test("A wrong member is named, once", arguments: wrong)
    func invalid(member: String, values: [String]) async throws {
        let service = try Service()
        let table = member == "table" ? "" : #""table":"incident","#
        let pointer = "/" + member.replacing("~", with: "~0").replacing("/", with: "~1")
        for value in values {
            let answer = try await service.post("/sessions", "{\(table)\"\(member)\":\(value)}")
            #expect(try answer.faults == [pointer], "\(member): \(value)")
        }
        #expect(try await service.get("/sessions").text == #"{"sessions":[]}"#)
        #expect(service.transport.urls.isEmpty)
    }

    @Test("All faults are in one answer, those of the target too")
    func allFaults() async throws {
        let answer = try await Service().post(
            "/sessions?x=1",
            #"{"zeta":1,"idleTimeout":0,"readAhead":9,"itemsPerPage":0,"stableOrder":1,"queryNoDomain":1,"#
                + #""queryCategory":1,"view":1,"excludeReferenceLink":1,"displayValue":1,"fields":1,"query":1,"#
                + #""instance":1,"alpha":1,"publisherShouldFinish":1,"view":2}"#)
        #expect(
            try answer.faults == [
                "/view", "?x", "/table", "/instance", "/query", "/fields", "/displayValue", "/excludeReferenceLink",
                "/view", "/queryCategory", "/queryNoDomain", "/stableOrder", "/itemsPerPage", "/idleTimeout",
                "/publisherShouldFinish", "/readAhead", "/alpha", "/zeta",
            ])
        #expect(try answer.text("detail").hasPrefix("18 values"))
    }

    @Test(
        "A body that is no JSON object is malformed",
        arguments: [
            "", " ", "{", "[]", "null", "1", #""table""#, "{}x", "{'table':'incident'}", #"{table:"incident"}"#,
            #"{"table":"incident",}"#, #"{"table":"incident"} // x"#, "\u{0}", "{\"table\":\"inc\u{1}\"}",
            String(repeating: "[", count: 100_000), #"{"table":"\ud800"}"#, "99999999999999999999",
            "[" + String(repeating: "{},", count: 10_000) + "{}]", #"{"itemsPerPage":1e999}"#,
            #"{"fields":"# + String(repeating: "[", count: 32) + String(repeating: "]", count: 32) + "}",
        ])
    func malformed(body: String) async throws {
        #expect(try await Service().post("/sessions", body).problem == "malformed-request")
    }

    @Test("A member may stand once")
    func repeated() async throws {
        let answer = try await Service().post("/sessions", #"{"table":"incident","t\u0061ble":"sys_user"}"#)
        #expect(try answer.faults == ["/table"])
    }

    @Test("A body with more values than anybody needs is refused as a whole")
    func manyValues() async throws {
        let list = #"{"table":"incident","fields":[\#(String(repeating: "{},", count: 10_000))1]}"#
        let names = "{" + String(repeating: #""a":1,"#, count: 10_000) + #""table":"incident"}"#
        for body in [list, names] {
            let answer = try await Service().post("/sessions", body)
            #expect(try answer.problem == "invalid-parameter" && answer.faults == [""])
        }
    }

    @Test("Of very many faults the first hundred are named, and all are counted")
    func manyFaults() async throws {
        let members = (0..<150).map { ",\"x\($0)\":1" }.joined()
        let answer = try await Service().post("/sessions", "{\"table\":\"incident\"\(members)}")
        #expect(try answer.faults.count == 100)
        #expect(try answer.text("detail").hasPrefix("150 values"))
    }

    @Test("The configuration bounds and fills what is asked for")
    func bounds() async throws {
        let configuration = GatewayConfiguration(
            itemsPerPage: 7, maxItemsPerPage: 50, idleTimeout: 30, maxIdleTimeout: 60)
        let service = try Service(configuration: configuration)
        let answer = try await service.post("/sessions", #"{"table":"incident"}"#)
        #expect(try answer["itemsPerPage"] == .integer(7) && answer["idleTimeout"] == .integer(30))
        let refused = try await service.post("/sessions", #"{"table":"incident","itemsPerPage":51,"idleTimeout":61}"#)
        #expect(try refused.faults == ["/itemsPerPage", "/idleTimeout"])
    }

    @Test(
        "Without a name the only instance is meant, else the one called default",
        arguments: [
            (["only"], "only"), (["default", "other"], "default"), (["a", "b"], nil),
        ])
    func instances(names: [String], expected: String?) async throws {
        let service = try Service(instances: names)
        let answer = try await service.post("/sessions", #"{"table":"incident"}"#)
        if let expected {
            #expect(try answer.text("instance") == expected)
        } else {
            #expect(try answer.faults == ["/instance"])
        }
    }

    @Test("A query reaches the instance as one parameter, whatever is in it")
    func query() async throws {
        let service = try Service()
        let path = try await service.open(
            #"{"table":"incident","query":"a=1&sysparm_limit=9#+\r\nX-Evil: 1^ORsys_id!=é","fields":["number","a.b"]}"#)
        _ = try await service.post(path + "/next")
        #expect(
            service.transport.urls == [
                "https://default.service-now.com/api/now/table/incident"
                    + "?sysparm_query=a%3D1%26sysparm_limit%3D9%23%2B%0D%0AX-Evil%3A%201%5EORsys_id%21%3D%C3%A9%5EORDERBYsys_id"
                    + "&sysparm_fields=number%2Ca.b&sysparm_limit=20&sysparm_offset=0"
            ])
        #expect(service.transport.requests[0].headers.fields.map(\.name) == ["Authorization", "Accept"])
    }

    @Test("Too many sessions are refused with the nearest expiry")
    func tooMany() async throws {
        let service = try Service(sessions: SessionConfiguration(limits: SessionLimits(perOwner: nil, total: 2)))
        _ = try await service.open(#"{"table":"incident","idleTimeout":60}"#)
        _ = try await service.open()
        service.time.advance(milliseconds: 10_500)
        let answer = try await service.post("/sessions", #"{"table":"incident"}"#)
        #expect(try answer.problem == "too-many-sessions" && answer["limit"] == .integer(2))
        #expect(answer.headers["Retry-After"] == "50")
        service.time.advance(milliseconds: 50_000)
        #expect(try await service.post("/sessions", #"{"table":"incident"}"#).status == 201)
    }
}
