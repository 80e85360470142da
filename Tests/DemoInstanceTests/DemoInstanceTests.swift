import HTTPModel
import SimdJSON
import Synchronization
import Testing

@testable import DemoInstance

@Suite("The demo instance")
struct DemoInstanceTests {
    private func text(_ target: String, method: String = "GET") async throws -> (Response, String) {
        let (response, body) = try await Client.shared.value.call(target, method: method)
        return (response, String(decoding: body, as: UTF8.self))
    }

    /// The fields that do not differ from request to request.
    private static func steady(_ headers: HeaderFields) -> [HeaderFields.Field] {
        headers.fields.filter { !["Set-Cookie", "X-Transaction-ID"].contains($0.name) }
    }

    private static let failure = #","status":"failure"}"#

    @Test(
        "answers what it refuses with the instance's envelope",
        arguments: [
            ("GET", "/api/now/table/nothing", 400, #"{"error":{"message":"Invalid table nothing","detail":null}"#),
            (
                "GET", "/api/now/table/%69ncident", 400,
                #"{"error":{"message":"Invalid table %69ncident","detail":null}"#
            ),
            ("GET", "/", 400, #"{"error":{"message":"Requested URI does not represent any resource","detail":null}"#),
            (
                "GET", "/api/now/v3/table/incident", 400,
                #"{"error":{"message":"Requested URI does not represent any resource","detail":null}"#
            ),
            (
                "GET", "/api/now/table/incident/", 400,
                #"{"error":{"message":"Requested URI does not represent any resource","detail":null}"#
            ),
            (
                "POST", "/api/now/table/incident", 405,
                #"{"error":{"message":"Method not supported","detail":"This instance is read only: use GET or HEAD"}"#
            ),
            (
                "GET", "/api/now/table/incident/00000000000000000000000000000000", 404,
                #"{"error":{"message":"No Record found","detail":"Record doesn't exist or ACL restricts the record retrieval"}"#
            ),
            (
                "GET", "/api/now/table/incident?sysparm_limit=-1", 400,
                #"{"error":{"message":"Invalid parameter","detail":"sysparm_limit must be a whole number from 0"}"#
            ),
            (
                "GET", "/api/now/table/incident?sysparm_offset=99999999999999999999", 400,
                #"{"error":{"message":"Invalid parameter","detail":"sysparm_offset must be a whole number from 0"}"#
            ),
            (
                "GET", "/api/now/table/incident?sysparm_query=%ff", 400,
                #"{"error":{"message":"Invalid parameter","detail":"the query string is no UTF-8 text"}"#
            ),
            (
                "GET", "/api/now/table/incident?sysparm_query=a%00b", 400,
                #"{"error":{"message":"Invalid parameter","detail":"the target is no valid URL"}"#
            ),
            (
                "GET", "/api/now/table/incident?sysparm_query=%zz", 400,
                #"{"error":{"message":"Invalid parameter","detail":"the target is no valid URL"}"#
            ),
        ])
    func refusals(method: String, target: String, status: Int, envelope: String) async throws {
        let (response, body) = try await text(target, method: method)
        #expect(response.status == status)
        #expect(body == envelope + Self.failure)
        #expect(response.headers["Content-Type"] == "application/json;charset=UTF-8")
        #expect(response.headers["Allow"] == (status == 405 ? "GET, HEAD" : nil))
    }

    @Test(
        "tells an empty list by version",
        arguments: [
            ("", 200), ("v2/", 200), ("v1/", 404),
        ], ["sysparm_query=number=none", "sysparm_offset=600", "sysparm_offset=9223372036854775807", "sysparm_limit=0"])
    func emptyList(version: (path: String, status: Int), parameters: String) async throws {
        let (response, body) = try await text("/api/now/\(version.path)table/incident?\(parameters)")
        #expect(response.status == version.status)
        #expect(
            body
                == (version.status == 200
                    ? #"{"result":[]}"#
                    : #"{"error":{"message":"No Record found","detail":"Records matching query not found. "#
                        + #"Check query parameter or offset parameter"}"# + Self.failure))
        #expect(response.headers["X-Total-Count"] == (parameters.contains("none") ? "0" : "600"))
    }

    @Test("wants the credentials that it was given, before anything else")
    func credentials() async throws {
        let credentials = BasicCredentials(username: "demo", password: "pä:ss")
        let client = Client(instance: try await DemoInstance(incidents: 1, credentials: credentials))
        let right = "ZGVtbzpww6Q6c3M="
        for (value, status) in [
            (nil, 401), ("Basic", 401), ("Basic ", 401), ("Bearer \(right)", 401), ("Basic ZGVtbzpwYXNz", 401),
            ("Basic \(right)A", 401), ("Basic \(right)", 200), ("basic \(right)", 200),
        ] {
            var headers: HeaderFields = [:]
            headers["Authorization"] = value
            let (response, body) = try await client.call("/api/now/table/incident", headers: headers)
            #expect(response.status == status, "\(value ?? "none")")
            guard status == 401 else { continue }
            #expect(response.headers["WWW-Authenticate"]?.hasPrefix("Basic ") == true)
            #expect(
                String(decoding: body, as: UTF8.self)
                    == #"{"error":{"message":"User Not Authenticated","detail":"Required to provide Auth information"}"#
                    + Self.failure)
        }
        #expect(try await client.call("/nothing", headers: [:]).response.status == 401)
    }

    @Test("writes a record as an instance does")
    func literalRecord() async throws {
        let fields =
            "sysparm_fields=number,caller_id,active,priority,closed_at,assigned_to,short_description,opened_at,caller_id.name"
        let one = "/api/now/table/incident?sysparm_query=number=INC0010002&\(fields)"
        for (parameters, expected) in [
            ("", RecordLiterals.values),
            ("&sysparm_exclude_reference_link=true", RecordLiterals.withoutLinks),
            ("&sysparm_display_value=true", RecordLiterals.displayValues),
            (
                "&sysparm_display_value=true&sysparm_exclude_reference_link=true",
                RecordLiterals.displayValuesWithoutLinks
            ),
            ("&sysparm_display_value=all", RecordLiterals.both),
        ] {
            let (_, body) = try await text(one + parameters)
            #expect(body == expected)
        }
    }

    @Test("gives one record by its sys_id, with links of the version and the scheme that were used")
    func singleRecord() async throws {
        let client = try await Client.shared.value
        let row = try #require(
            try await client.rows("incident", [("sysparm_limit", "1"), ("sysparm_fields", "sys_id,number")]).first)
        let id = try #require(row["sys_id"])
        #expect(id.utf8.count == 32)
        let (response, body) = try await client.call(
            "/api/now/v1/table/incident/\(id)?sysparm_fields=number,caller_id", connection: .tls)
        #expect(response.status == 200)
        #expect(response.headers["X-Total-Count"] == nil)
        let text = String(decoding: body, as: UTF8.self)
        #expect(text.hasPrefix(#"{"result":{"number":"\#(row["number"] ?? "")","caller_id":{"link":"#))
        #expect(text.contains(#""link":"https://demo.example:8081/api/now/v1/table/sys_user/"#))
    }

    @Test(
        "leads with every reference to a record",
        arguments: [
            "caller_id", "opened_by", "assigned_to", "assignment_group", "location", "company", "cmdb_ci",
            "resolved_by",
        ])
    func references(field: String) async throws {
        let client = try await Client.shared.value
        let (_, body) = try await client.call(
            "/api/now/table/incident?sysparm_query=\(field)ISNOTEMPTY^ORDERBYnumber&sysparm_limit=1&sysparm_fields=\(field)"
        )
        guard case .array(let rows)? = try JSONObject(body).members["result"],
            case .object(let row)? = rows.first, case .object(let reference)? = row[field],
            case .string(let link)? = reference["link"], case .string(let value)? = reference["value"],
            let (authority, target) = authorityAndTarget(ofURL: link)
        else {
            Issue.record("no reference in \(String(decoding: body, as: UTF8.self))")
            return
        }
        #expect(authority == "demo.example:8081")
        let (response, record) = try await client.call(target)
        #expect(response.status == 200)
        #expect(String(decoding: record, as: UTF8.self).contains("\"sys_id\":\"\(value)\""))
    }

    @Test("does not put a host into its links that would break them")
    func hostileHost() async throws {
        let (response, body) = try await Client.shared.value.call(
            "/api/now/table/incident?sysparm_limit=1", headers: ["Host": "a\"b>;rel=\"next"])
        #expect(response.headers["Link"]?.hasPrefix("<http://localhost/api/now/table/incident?") == true)
        #expect(throws: Never.self) { try JSONObject(body, maxValues: .max) }
    }

    @Test("leaves unknown fields out, repeats none, and gives all for an empty list of fields")
    func fields() async throws {
        let start = "/api/now/table/incident?sysparm_query=number=INC0010001&sysparm_fields="
        #expect(
            try await text(start + "nothing,number,,number,caller_id.nothing,%20active%20").1
                == #"{"result":[{"number":"INC0010001","active":"false"}]}"#)
        #expect(try await text(start + "nothing").1 == #"{"result":[{}]}"#)
        #expect(
            try await text(start).1 == (try await text("/api/now/table/incident?sysparm_query=number=INC0010001").1))
    }

    @Test("answers HEAD with the head of a GET and no body")
    func head() async throws {
        let target = "/api/now/table/incident?sysparm_query=ORDERBYnumber&sysparm_limit=7"
        let (get, body) = try await text(target)
        let (head, nothing) = try await text(target, method: "HEAD")
        #expect(head.status == 200)
        #expect(Self.steady(head.headers) == Self.steady(get.headers))
        #expect(head.headers["X-Total-Count"] == "600")
        #expect(!body.isEmpty && nothing.isEmpty)
        let (missing, none) = try await text("/api/now/v1/table/incident?sysparm_query=number=x", method: "HEAD")
        #expect(missing.status == 404 && none.isEmpty)
    }

    @Test("sends count and links unless told not to")
    func countAndLinks() async throws {
        let start = "/api/now/table/incident?sysparm_query=ORDERBYnumber&sysparm_limit=100"
        let (plain, body) = try await text(start)
        #expect(plain.headers["X-Total-Count"] == "600")
        let url = "http://demo.example:8081/api/now/table/incident?sysparm_query=ORDERBYnumber&sysparm_offset="
        #expect(
            plain.headers["Link"] == "<\(url)0&sysparm_limit=100>;rel=\"first\","
                + "<\(url)100&sysparm_limit=100>;rel=\"next\",<\(url)500&sysparm_limit=100>;rel=\"last\"")
        let (noCount, sameBody) = try await text(start + "&sysparm_no_count=true")
        #expect(noCount.headers["X-Total-Count"] == nil)
        #expect(sameBody == body)
        let (noLink, _) = try await text(start + "&sysparm_suppress_pagination_header=true")
        #expect(noLink.headers["Link"] == nil)
        #expect(noLink.headers["X-Total-Count"] == "600")
    }

    @Test(
        "delivers every record exactly once page by page, with an order that is unique",
        arguments: ["ORDERBYsys_id", "active=true^ORDERBYsys_id", "ORDERBYDESCnumber"], [7, 100])
    func everyRecordOnce(query: String, limit: Int) async throws {
        let client = try await Client.shared.value
        var seen: [String] = []
        var offset = 0
        while true {
            let page = try await client.rows(
                "incident",
                [
                    ("sysparm_query", query), ("sysparm_limit", "\(limit)"), ("sysparm_offset", "\(offset)"),
                    ("sysparm_fields", "sys_id"),
                ])
            if page.isEmpty { break }
            seen += page.compactMap { $0["sys_id"] }
            offset += limit
        }
        let all = try await client.rows("incident", [("sysparm_query", query), ("sysparm_fields", "sys_id")])
        #expect(seen.count == all.count)
        #expect(Set(seen) == Set(all.compactMap { $0["sys_id"] }))
    }

    @Test("repeats and misses records where the query states no order, and the same ones for the same seed")
    func unstableOrder() async throws {
        func pages(seed: UInt64) async throws -> [String] {
            let client = Client(instance: try await DemoInstance(incidents: 200, seed: seed))
            var numbers: [String] = []
            for offset in stride(from: 0, to: 200, by: 20) {
                let page = try await client.rows(
                    "incident",
                    [("sysparm_limit", "20"), ("sysparm_offset", "\(offset)"), ("sysparm_fields", "number")])
                numbers += page.compactMap { $0["number"] }
            }
            return numbers
        }
        let first = try await pages(seed: 5)
        #expect(first.count == 200)
        #expect(Set(first).count < 200)
        #expect(try await pages(seed: 5) == first)
        #expect(try await pages(seed: 6) != first)
    }

    @Test("holds an answer back for the latency, a refusal too")
    func latency() async throws {
        let waits = Mutex<[Duration]>([])
        let instance = try await DemoInstance(incidents: 1, latency: .milliseconds(150)) { duration in
            waits.withLock { $0.append(duration) }
        }
        let client = Client(instance: instance)
        #expect(try await client.call("/api/now/table/incident").response.status == 200)
        #expect(try await client.call("/nothing").response.status == 400)
        #expect(waits.withLock { $0 } == [.milliseconds(150), .milliseconds(150)])
    }

    @Test("answers many callers at once")
    func concurrent() async throws {
        let client = try await Client.shared.value
        let expected = try await client.call("/api/now/table/sys_user?sysparm_query=ORDERBYuser_name").body
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<20 {
                group.addTask {
                    try await client.call("/api/now/table/sys_user?sysparm_query=ORDERBYuser_name").body == expected
                }
            }
            for try await isSame in group { #expect(isSame) }
        }
    }
}
