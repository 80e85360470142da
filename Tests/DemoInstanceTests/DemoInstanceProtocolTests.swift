import Clocks
import Foundation
import HTTPModel
import PaginatordTesting
import Testing

@testable import DemoInstance

@Suite("The demo instance's protocol")
struct DemoInstanceProtocolTests {
    private func text(_ target: String, headers: HeaderFields = [:]) async throws -> (Response, String) {
        let (response, body) = try await Client.shared.value.call(target, headers: headers)
        return (response, String(decoding: body, as: UTF8.self))
    }

    private static func failure(_ message: String, _ detail: String) -> String {
        #"{"error":{"message":"\#(message)","detail":"\#(detail)"},"status":"failure"}"#
    }

    // MARK: Media types

    @Test(
        "writes JSON for whoever takes it, and says 406 to others",
        arguments: [
            (nil, 200), ("application/json", 200), ("*/*", 200), ("application/*;q=0.1", 200),
            ("text/html, Application/JSON;q=0.5", 200), ("application/xml, */*;q=0.1", 200), ("application/xml", 406),
            ("text/html", 406), ("application/json;q=0", 406), ("application/json;q=0, */*", 406), ("", 200),
        ])
    func accept(value: String?, status: Int) async throws {
        var headers: HeaderFields = [:]
        headers["Accept"] = value
        let (response, body) = try await text("/api/now/table/incident?sysparm_limit=1", headers: headers)
        #expect(response.status == status)
        guard status == 406 else { return }
        #expect(
            body == Self.failure("Requested media type is not supported", "This instance writes application/json"))
        #expect(response.headers["Content-Type"] == "application/json;charset=UTF-8")
    }

    // MARK: Rights

    @Test("refuses tables and fields that nobody may read")
    func rights() async throws {
        for table in ["oauth_credential", "sys_certificate"] {
            let (response, body) = try await text("/api/now/table/\(table)")
            #expect(response.status == 403)
            #expect(body == Self.failure("User Not Authorized", "Failed API level ACL Validation"))
        }
        for target in [
            "/api/now/table/sys_user?sysparm_query=user_password=x",
            "/api/now/table/incident?sysparm_query=active=true^caller_id.user_passwordISNOTEMPTY",
            "/api/now/table/incident?sysparm_query=ORDERBYcaller_id.user_password",
            "/api/now/stats/sys_user?sysparm_count=true&sysparm_query=user_passwordSTARTSWITHa",
            "/api/now/table/sys_user?user_password=x",
        ] {
            let (response, body) = try await text(target)
            #expect(response.status == 403, "\(target)")
            #expect(
                body
                    == Self.failure(
                        "Insufficient rights to query records",
                        "Field(s) present in the query do not have permission to be read"))
        }
    }

    // MARK: Parameters

    @Test(
        "takes name=value as a condition on what a field has or shows",
        arguments: [
            ("active=true", "active=true"), ("priority=1", "priority=1"), ("priority=1 - critical", "priority=1"),
            ("state=In Progress&category=network", "state=2^category=network"),
            ("category=Inquiry / Help", "category=inquiry"),
            ("caller_id.company.name=Globex", "caller_id.company.name=Globex"),
            ("assignment_group=Network", "assignment_group.name=Network"), ("subcategory=", "subcategoryISEMPTY"),
            ("no_such_field=1&state=7", "state=7"), ("assigned_to=", "assigned_toISEMPTY"),
            ("sysparm_view=mobile&sysparm_query_category=list&sysparm_query_no_domain=true&state=8", "state=8"),
        ])
    func nameValue(parameters: String, query: String) async throws {
        let client = try await Client.shared.value
        let pairs = parameters.split(separator: "&").map { pair -> (String, String) in
            let parts = pair.split(separator: "=", omittingEmptySubsequences: false)
            return (String(parts[0]), String(parts[1]))
        }
        let fields = [("sysparm_fields", "sys_id")]
        let found = try await client.rows("incident", pairs + fields)
        let expected = try await client.rows("incident", [("sysparm_query", query)] + fields)
        #expect(Set(found) == Set(expected))
        #expect(!found.isEmpty && found.count < 600)
        // A query makes the pairs be ignored.
        let all = try await client.rows("incident", pairs + fields + [("sysparm_query", "ORDERBYnumber")])
        #expect(all.count == 600)
    }

    @Test("shows the fields of a view, in lists and in single records", arguments: TableViews.all.keys.sorted())
    func views(table: String) async throws {
        let client = try await Client.shared.value
        let views = try #require(TableViews.all[table])
        #expect((2...3).contains(views.count))
        let whole = try #require(try await client.rows(table, plain + [("sysparm_query", "ORDERBYsys_id")]).first)
        for (view, fields) in views {
            let query = plain + [("sysparm_view", view), ("sysparm_query", "ORDERBYsys_id")]
            let row = try #require(try await client.rows(table, query).first)
            #expect(row == whole.filter { fields.contains($0.key) } && row.count == fields.count, "\(view)")
            let target = "/api/now/table/\(table)/\(whole["sys_id"] ?? "")?sysparm_view=\(view)"
            let (_, record) = try await text(target + "&sysparm_exclude_reference_link=true")
            #expect(
                fields.allSatisfy { record.contains("\"\($0)\":") }
                    && record.utf8.count(where: { $0 == 0x3A }) >= fields.count)
            #expect(!record.contains("sys_mod_count"))
        }
    }

    @Test(
        "shows all fields in a view that the table does not have, and sysparm_fields before any view",
        arguments: [
            ("sysparm_view=", nil), ("sysparm_view=desktop", nil), ("sysparm_view=both", nil),
            ("sysparm_view=Mobile", nil), ("sysparm_view=no_such_view", nil),
            ("sysparm_view=mobile&sysparm_fields=number,cause", ["number", "cause"]),
            ("sysparm_fields=number&sysparm_view=no_such_view", ["number"]),
            ("sysparm_fields=&sysparm_view=mobile", TableViews.fields(of: "incident", view: "mobile")),
        ])
    func otherViews(parameters: String, fields: [String]?) async throws {
        let target = "/api/now/table/incident?sysparm_limit=1&sysparm_query=ORDERBYnumber"
        let (_, whole) = try await text(target)
        let (response, body) = try await text("\(target)&\(parameters)")
        #expect(response.status == 200)
        guard let fields else {
            #expect(body == whole)
            return
        }
        let rows = try Client.rows(
            Array(try await text("\(target)&\(parameters)&sysparm_exclude_reference_link=true").1.utf8))
        #expect(rows.first.map { Set($0.keys) } == Set(fields))
    }

    private let plain = [("sysparm_exclude_reference_link", "true"), ("sysparm_limit", "1")]

    @Test("finds the records that refer to a record by its identifier")
    func nameValueReference() async throws {
        let client = try await Client.shared.value
        let user = try #require(
            try await client.rows("sys_user", [("name", "Mei Çelik"), ("sysparm_fields", "sys_id")]).first)
        let id = try #require(user["sys_id"])
        let fields = [("sysparm_fields", "number")]
        let found = try await client.rows("incident", [("assigned_to", id)] + fields)
        #expect(Set(found) == Set(try await client.rows("incident", [("sysparm_query", "assigned_to=\(id)")] + fields)))
        #expect(!found.isEmpty)
    }

    // MARK: Statistics

    @Test(
        "counts records, and writes the number as a string",
        arguments: [
            ("stats/incident?sysparm_count=true", #"{"result":{"stats":{"count":"600"}}}"#),
            ("v1/stats/sys_user?sysparm_count=true&sysparm_query=active=maybe", #"{"result":{"stats":{"count":"0"}}}"#),
            ("v2/stats/incident?sysparm_count=true&number=INC0010001", #"{"result":{"stats":{"count":"1"}}}"#),
            ("stats/incident", #"{"result":{"stats":{}}}"#),
        ])
    func statistics(path: String, expected: String) async throws {
        let (response, body) = try await text("/api/now/" + path)
        #expect(response.status == 200)
        #expect(body == expected)
    }

    @Test("counts as X-Total-Count does")
    func statisticsAgree() async throws {
        for query in ["active=true^priority=1", "caller_id.active=true", "opened_at>2025-01-01"] {
            let parameters = "sysparm_query=\(query)&sysparm_count=true"
            let list = try await text("/api/now/table/incident?sysparm_limit=1&\(parameters)").0
            let total = try #require(list.headers["X-Total-Count"])
            #expect(try await text("/api/now/stats/incident?\(parameters)").1.contains("\"count\":\"\(total)\""))
        }
    }

    @Test("does no other arithmetic and says so")
    func otherStatistics() async throws {
        let (response, body) = try await text("/api/now/stats/incident?sysparm_avg_fields=priority")
        #expect(response.status == 400)
        #expect(body == Self.failure("Invalid parameter", "sysparm_avg_fields: this instance only counts"))
    }

    // MARK: Cookies

    @Test("sets the cookies of a session, and none for a request that is in one")
    func cookies() async throws {
        var options = DemoInstance.Options()
        options.incidents = 1
        options.clock = ManualClock(now: Timestamp(milliseconds: 1_796_000_000_000)).clock
        let client = Client(instance: try await DemoInstance(options))
        let first = try await client.call("/api/now/table/incident").response.headers.values(of: "Set-Cookie")
        let names = first.map { $0.prefix { $0 != "=" } }
        #expect(
            names == [
                "JSESSIONID", "glide_user", "glide_user_session", "glide_user_route", "glide_node_id_for_js",
                "glide_session_store",
            ])
        #expect(first[0].wholeMatch(of: /JSESSIONID=[0-9A-F]{32}; Path=\/; HttpOnly/) != nil)
        #expect(first[1] == "glide_user=; Max-Age=0; Expires=Thu, 01-Jan-1970 00:00:10 GMT; Path=/; HttpOnly")
        // 1796000000 + 2147483647 seconds.
        #expect(first[3].hasSuffix("; Max-Age=2147483647; Expires=Sat, 18-Dec-2094 04:07:27 GMT; Path=/; HttpOnly"))
        let second = try await client.call("/api/now/table/incident").response.headers.values(of: "Set-Cookie")
        #expect(second[0] != first[0])
        let session = String(first[0].prefix { $0 != ";" })
        let later = try await client.call("/api/now/table/incident", headers: ["Cookie": "x=1; \(session)"]).response
        #expect(later.headers.values(of: "Set-Cookie").map { $0.prefix { $0 != "=" } } == ["glide_session_store"])
        #expect(later.headers["X-Is-Logged-In"] == "true")
    }

    @Test("works on one request of a session at a time, lets ten wait and answers others with an empty 202")
    func waitingRequests() async throws {
        let gate = Gate()
        var options = DemoInstance.Options()
        options.incidents = 1
        options.latency = .seconds(1)
        options.sleep = { _ in await gate.wait() }
        let client = Client(instance: try await DemoInstance(options))
        @Sendable func status(_ session: String) async throws -> Int {
            try await client.call("/api/now/table/incident", headers: ["Cookie": "JSESSIONID=\(session)"]).response
                .status
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<11 { group.addTask { try await status("A") } }
            try await eventually("ten wait") { client.instance.waiting(session: "A") == 10 }
            for _ in 0..<3 {
                let (response, body) = try await client.call(
                    "/api/now/table/incident", headers: ["Cookie": "JSESSIONID=A"])
                #expect(response.status == 202)
                #expect(body.isEmpty)
                #expect(response.headers["Content-Type"] == nil)
            }
            // Another session has a queue of its own.
            group.addTask { try await status("B") }
            gate.open()
            for try await status in group { #expect(status == 200) }
        }
        #expect(try await status("A") == 200)
        #expect(client.instance.waiting(session: "A") == 0)
    }

    // MARK: Request limits

    @Test("lets a user make so many requests in an hour, and tells about it in every answer")
    func requestLimit() async throws {
        let clock = ManualClock(now: Timestamp(milliseconds: 1_800_000_123_000))
        var options = DemoInstance.Options()
        options.incidents = 1
        options.requestsPerHour = 3
        options.clock = clock.clock
        let client = Client(instance: try await DemoInstance(options))
        for target in ["/api/now/table/incident", "/api/now/table/nothing", "/api/now/stats/incident"] {
            let response = try await client.call(target).response
            #expect(response.status == (target.hasSuffix("nothing") ? 400 : 200))
            #expect(response.headers["X-RateLimit-Limit"] == "3")
            #expect(response.headers["X-RateLimit-Reset"] == "1800003600")
            #expect(response.headers["X-RateLimit-Rule"]?.utf8.count == 32)
        }
        let (denied, body) = try await client.call("/api/now/table/incident")
        #expect(denied.status == 429)
        #expect(denied.headers["Retry-After"] == "3477")
        #expect(denied.headers.values(of: "X-RateLimit-Limit") == ["3"])
        #expect(
            String(decoding: body, as: UTF8.self)
                == Self.failure("Rate limit exceeded", "Rate limit of 3 requests per hour for Table API exceeded"))
        clock.advance(seconds: 3477)
        let again = try await client.call("/api/now/table/incident").response
        #expect(again.status == 200)
        #expect(again.headers["X-RateLimit-Reset"] == "1800007200")
    }

    @Test("has no such fields without a limit")
    func noLimit() async throws {
        #expect(try await text("/api/now/table/incident?sysparm_limit=1").0.headers["X-RateLimit-Limit"] == nil)
    }
}
