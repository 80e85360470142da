import HTTPModel
import SQLite
import Testing

@testable import DemoInstance

@Suite("The made-up records")
struct RecordsTests {
    @Test(
        "are the same on every machine",
        arguments: [
            ("incident", UInt64(0x4324A6F147AF327E)), ("sys_user", 0x2A575C604C72C74B),
            ("sys_user_group", 0x5581A2E44992AA70), ("cmn_location", 0xF952BD3495028134),
            ("core_company", 0x5616D50085970D96),
            ("change_request", 0xF5604683036606D7), ("problem", 0xA755CAD08B865FCC),
            ("kb_knowledge", 0x4A2E8FF23C12A636), ("kb_knowledge_base", 0x9E169494B0A7F5EE),
            ("cmdb_ci_server", 0x8DD70CB82BF1FD83), ("cmdb_ci", 0xB02307CA523DDAC0),
        ])
    func digest(table: String, expected: UInt64) async throws {
        let (response, body) = try await Client.shared.value.call(
            "/api/now/table/\(table)?sysparm_query=ORDERBYsys_id")
        #expect(response.status == 200)
        // FNV-1a of 64 bits.
        var digest: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in body { digest = (digest ^ UInt64(byte)) &* 0x100_0000_01B3 }
        #expect(digest == expected, "\(table): 0x\(String(digest, radix: 16))")
    }

    @Test("do not depend on how many there are")
    func independentOfCount() async throws {
        let few = Client(instance: try await DemoInstance(incidents: 10))
        let query = [("sysparm_query", "number<=INC0010010^ORDERBYnumber"), ("sysparm_exclude_reference_link", "true")]
        let rows = try await few.rows("incident", query)
        #expect(rows.count == 10)
        #expect(rows == (try await Client.shared.value.rows("incident", query)))
    }

    @Test("have sys_ids that are spread over all digits and different in every table")
    func sysIDs() {
        var all: Set<String> = []
        var firstDigits: [Character: Int] = [:]
        for table in [Incident.table.schema, User.table.schema] {
            for row in 1...5000 {
                let id = SysID(table: table.seed, row: row).text
                #expect(id.utf8.count == 32 && id.allSatisfy { "0123456789abcdef".contains($0) })
                all.insert(id)
                id.first.map { firstDigits[$0, default: 0] += 1 }
            }
        }
        #expect(all.count == 10000)
        #expect(firstDigits.count == 16)
        #expect(firstDigits.values.allSatisfy { (500...750).contains($0) })
    }

    @Test("have what trips careless programs: quotes, markup, line breaks, other scripts, empty values")
    func variety() async throws {
        let rows = try await Client.shared.value.rows(
            "incident", [("sysparm_exclude_reference_link", "true"), ("sysparm_query", "ORDERBYnumber")])
        let texts = rows.flatMap { [$0["short_description"] ?? "", $0["description"] ?? "", $0["close_notes"] ?? ""] }
        for part in ["\"", "'", "\\", "<script>", "\n", "\r\n", "\t", "é", "无", "🔥", "ع", "ת", "%", "&"] {
            #expect(texts.contains { $0.contains(part) }, "\(part)")
        }
        for field in ["assigned_to", "description", "closed_at", "subcategory", "location", "work_notes"] {
            #expect(rows.contains { $0[field] == "" }, "\(field)")
        }
        #expect(rows.allSatisfy { $0.count == Incident.table.fields.count })
        #expect(rows.allSatisfy { ["true", "false"].contains($0["active"]) })
        #expect(rows.allSatisfy { DateText.seconds($0["opened_at"] ?? "") != nil })
    }

    @Test("come in the numbers that are promised")
    func counts() async throws {
        let client = Client(instance: try await DemoInstance())
        for (table, count) in [
            ("incident", "10000"), ("sys_user", "500"), ("cmdb_ci_server", "2000"), ("change_request", "200"),
            ("problem", "200"), ("kb_knowledge", "200"),
        ] {
            let (response, _) = try await client.call("/api/now/table/\(table)", method: "HEAD")
            #expect(response.headers["X-Total-Count"] == count)
        }
    }

    @Test(
        "lead over references through three tables",
        arguments: [
            ("incident", "problem_id.rfc.requested_by.name"), ("incident", "caller_id.location.company.name"),
            ("incident", "rfc.cmdb_ci.support_group.manager"), ("problem", "assigned_to.manager.company.name"),
            ("change_request", "cmdb_ci.assigned_to.manager.email"), ("kb_knowledge", "problem.cmdb_ci.company.name"),
            ("kb_knowledge", "kb_knowledge_base.owner.location.city"),
        ])
    func dotWalking(table: String, path: String) async throws {
        let client = try await Client.shared.value
        let rows = try await client.rows(
            table,
            [
                ("sysparm_query", "\(path)ISNOTEMPTY"), ("sysparm_fields", path),
                ("sysparm_exclude_reference_link", "true"),
            ])
        #expect(!rows.isEmpty)
        #expect(rows.allSatisfy { $0[path]?.isEmpty == false })
    }

    @Test("have long journals, labels, days, and texts that run from right to left")
    func otherTables() async throws {
        let client = try await Client.shared.value
        func rows(_ table: String, _ display: String = "false") async throws -> [[String: String]] {
            try await client.rows(
                table, [("sysparm_display_value", display), ("sysparm_exclude_reference_link", "true")])
        }
        for table in ["incident", "change_request", "problem"] {
            let notes = try await rows(table).compactMap { $0["comments_and_work_notes"] }
            #expect(notes.contains { $0.utf8.count > 1000 && $0.contains(" (Work notes)\n") }, "\(table)")
        }
        let articles = try await rows("kb_knowledge")
        #expect(
            articles.allSatisfy {
                $0["text"]?.hasSuffix("</p>") == true && $0["text"]?.contains("<p dir=\"rtl\">") == true
            })
        #expect(articles.contains { $0["published"] == "" })
        #expect(articles.contains { $0["published"]?.wholeMatch(of: /202\d-\d\d-\d\d/) != nil })
        let states = Set(try await rows("change_request", "true").compactMap { $0["state"] })
        #expect(states.isSuperset(of: ["New", "Review", "Closed"]))
        #expect(try await rows("problem", "true").contains { $0["state"] == "Root Cause Analysis" })
    }
}
