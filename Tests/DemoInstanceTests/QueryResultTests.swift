import HTTPModel
import Testing

@testable import DemoInstance

@Suite("A list's query")
struct QueryResultTests {
    typealias Example = PlainEvaluator.Example

    /// Every dotted field that the examples look at.
    private static let dotted = [
        "caller_id.name", "caller_id.company.name", "caller_id.active", "assigned_to.name", "assignment_group.name",
        "assigned_to.manager.location.city", "cmdb_ci.name", "cmdb_ci.sys_class_name", "company.name",
    ]

    static let examples: [Example] = [
        Example("") { _ in true },
        Example("active=true") { $0["active"] == "true" },
        Example("active=1^state=2") { $0["state"] == "2" },
        Example("active!=true") { $0["active"] == "false" },
        Example("active=maybe") { _ in false },
        Example("active!=maybe") { _ in true },
        Example("priority=1^ORpriority=2") { ["1", "2"].contains($0["priority"]) },
        Example("priority=1^ORpriority=2^active=true") {
            ["1", "2"].contains($0["priority"]) && $0["active"] == "true"
        },
        Example("active=true^priority=1^ORcategory=network") {
            $0["active"] == "true" && ($0["priority"] == "1" || $0["category"] == "network")
        },
        Example("active=true^ORstate=7^priority<3^ORurgency>=3^category!=network") {
            ($0["active"] == "true" || $0["state"] == "7") && ($0.number("priority") < 3 || $0.number("urgency") >= 3)
                && $0["category"] != "network"
        },
        Example("priority=1^NQcategory=database^state=6") {
            $0["priority"] == "1" || ($0["category"] == "database" && $0["state"] == "6")
        },
        Example("priority<=2") { $0.number("priority") <= 2 },
        Example("priority>4") { $0.number("priority") > 4 },
        Example("priority<x") { _ in false },
        Example("priorityBETWEEN2@3") { (2...3).contains($0.number("priority")) },
        Example("priorityBETWEEN2") { _ in false },
        Example("priorityIN1,5,9") { ["1", "5"].contains($0["priority"]) },
        Example("priorityNOT IN1,5") { !["1", "5"].contains($0["priority"]) },
        Example("priorityLIKE1") { $0["priority"] == "1" },
        Example("categoryINnetwork,HARDWARE,none") { ["network", "hardware"].contains($0["category"]) },
        Example("category=NetWork") { $0["category"] == "network" },
        Example("subcategoryISEMPTY") { $0["subcategory"].isEmpty },
        Example("subcategory=") { $0["subcategory"].isEmpty },
        Example("subcategory!=") { !$0["subcategory"].isEmpty },
        Example("subcategoryISNOTEMPTY") { !$0["subcategory"].isEmpty },
        Example("subcategory!=email") { $0["subcategory"] != "email" },
        Example("subcategoryINemail,") { ["email", ""].contains($0["subcategory"]) },
        Example("subcategoryNOT INemail,") { !["email", ""].contains($0["subcategory"]) },
        Example("subcategoryNOT LIKEmail") { !$0.has("subcategory", "mail") },
        Example("contact_typeANYTHING^priority=3") { $0["priority"] == "3" },
        Example("priority=3^ORcontact_typeANYTHING") { _ in true },
        Example("short_descriptionLIKEVPN") { $0.has("short_description", "vpn") },
        Example("short_descriptionLIKE100%") { $0.has("short_description", "100%") },
        Example("short_descriptionLIKE%") { $0.has("short_description", "%") },
        Example("short_descriptionLIKE_") { $0.has("short_description", "_") },
        Example("short_descriptionLIKE\\") { $0.has("short_description", "\\") },
        Example("short_descriptionLIKE'x'") { $0.has("short_description", "'x'") },
        Example("short_descriptionLIKE\"") { $0.has("short_description", "\"") },
        Example("short_descriptionLIKE<b>") { $0.has("short_description", "<b>") },
        Example("short_descriptionLIKE无法") { $0.has("short_description", "无法") },
        Example("short_descriptionLIKEÉ") { $0.has("short_description", "É") },
        Example("short_descriptionLIKE🔥") { $0.has("short_description", "🔥") },
        Example("short_descriptionLIKE'; DROP TABLE incident; --") { _ in false },
        Example("short_description=' OR 1=1 --") { _ in false },
        Example("short_descriptionSTARTSWITHcannot") { $0["short_description"].hasPrefix("Cannot") },
        Example("short_descriptionSTARTSWITH%") { $0["short_description"].hasPrefix("%") },
        Example("short_descriptionENDSWITHVPN") { $0["short_description"].hasSuffix("VPN") },
        Example("descriptionLIKE\nNo change") { $0.has("description", "\nno change") },
        Example("descriptionISEMPTY^ORclose_notesISNOTEMPTY") {
            $0["description"].isEmpty || !$0["close_notes"].isEmpty
        },
        Example("number=inc0010007") { $0["number"] == "INC0010007" },
        Example("number>INC0010300^number<=INC0010310") { $0["number"] > "INC0010300" && $0["number"] <= "INC0010310" },
        Example("numberSTARTSWITHINC00101") { $0["number"].hasPrefix("INC00101") },
        Example("sys_id>8") { $0["sys_id"] > "8" },
        Example("opened_at>=2025-01-01 00:00:00") { $0["opened_at"] >= "2025-01-01 00:00:00" },
        Example("opened_at<2024-03-01") { $0["opened_at"] < "2024-03-01 00:00:00" },
        Example("opened_atBETWEEN2024-03-01@2024-06-30 23:59:59") {
            (("2024-03-01 00:00:00")...("2024-06-30 23:59:59")).contains($0["opened_at"])
        },
        Example("opened_atSTARTSWITH2024-1") { $0["opened_at"].hasPrefix("2024-1") },
        Example("opened_at>yesterday") { _ in false },
        Example("closed_atISEMPTY") { $0["closed_at"].isEmpty },
        Example("assigned_toISEMPTY^active=true") { $0["assigned_to"].isEmpty && $0["active"] == "true" },
        Example("assigned_toLIKEtuter") { $0.has("assigned_to.name", "tuter") },
        Example("assigned_toNOT LIKEtuter") { !$0.has("assigned_to.name", "tuter") },
        Example("caller_id>M") { $0["caller_id.name"].asciiLowercased > "m" },
        Example("caller_id=00000000000000000000000000000000") { _ in false },
        Example("caller_id!=00000000000000000000000000000000") { _ in true },
        Example("caller_id.nameSTARTSWITHA") { $0["caller_id.name"].asciiLowercased.hasPrefix("a") },
        Example("caller_id.company.nameLIKEacme") { $0.has("caller_id.company.name", "acme") },
        Example("caller_id.active=false") { $0["caller_id.active"] == "false" },
        Example("assigned_to.manager.location.cityIN東京,London") {
            ["東京", "London"].contains($0["assigned_to.manager.location.city"])
        },
        Example("cmdb_ci.sys_class_name=cmdb_ci_server") { !$0["cmdb_ci"].isEmpty },
        Example("cmdb_ci.sys_class_nameISEMPTY") { $0["cmdb_ci"].isEmpty },
        Example("cmdb_ci.nameLIKEbüro") { $0.has("cmdb_ci.name", "büro") },
        Example("sys_domain=global^upon_approval=proceed") { _ in true },
        Example("made_sla=false^ORwatch_listISNOTEMPTY") { _ in false },
        // What does not exist is dropped.
        Example("no_such_field=1") { _ in true },
        Example("no_such_field=1^priority=1") { $0["priority"] == "1" },
        Example("priority=1^ORno_such_field=1") { $0["priority"] == "1" },
        Example("no_such_field=1^NQpriority=1") { $0["priority"] == "1" },
        Example("caller_id.no_such=1^priority=2") { $0["priority"] == "2" },
        Example("priority.name=1^priority=2") { $0["priority"] == "2" },
        Example("caller_id.^priority=2") { $0["priority"] == "2" },
        Example("problem_id.nothing=1^priority=2") { $0["priority"] == "2" },
    ]

    @Test("finds exactly the records that a plain computation finds", arguments: examples)
    func sameSet(example: Example) async throws {
        let client = try await Client.shared.value
        let all = try await Self.everyRow.value
        let expected = all.filter(example.matches).compactMap { $0["sys_id"] }
        let found = try await client.rows(
            "incident", [("sysparm_query", example.query), ("sysparm_fields", "sys_id")])
        #expect(Set(found.compactMap { $0["sys_id"] }) == Set(expected))
        #expect(found.count == expected.count)
    }

    @Test("has examples that find something, and some that do not find everything")
    func examplesCanFail() async throws {
        let all = try await Self.everyRow.value
        #expect(all.count == 600)
        let partial = Self.examples.filter { example in
            let count = all.count(where: example.matches)
            return count > 0 && count < all.count
        }
        #expect(partial.count > 50)
        #expect(!all.contains { $0.values.contains { $0.hasPrefix("<no field") } })
    }

    @Test("with a reference's sys_id finds the records that refer to it")
    func bySysID() async throws {
        let client = try await Client.shared.value
        let all = try await Self.everyRow.value
        let group = try #require(all.compactMap { $0["assignment_group"] }.first { !$0.isEmpty })
        let found = try await client.rows(
            "incident", [("sysparm_query", "assignment_group=\(group)"), ("sysparm_fields", "sys_id")])
        #expect(
            Set(found) == Set(all.filter { $0["assignment_group"] == group }.map { ["sys_id": $0["sys_id"] ?? ""] }))
        let others = try await client.rows(
            "incident", [("sysparm_query", "assignment_group!=\(group)"), ("sysparm_fields", "sys_id")])
        #expect(others.count == all.count - found.count)
        #expect(!found.isEmpty && !others.isEmpty)
    }

    @Test(
        "orders by values, and by display values where the field is a reference",
        arguments: [
            ("ORDERBYpriority^ORDERBYDESCnumber", ["priority", "-number"]),
            ("ORDERBYDESCopened_at^ORDERBYnumber", ["-opened_at", "number"]),
            ("ORDERBYshort_description^ORDERBYnumber", ["short_description", "number"]),
            ("ORDERBYcaller_id^ORDERBYnumber", ["caller_id.name", "number"]),
            ("ORDERBYDESCassigned_to.name^ORDERBYsys_id", ["-assigned_to.name", "sys_id"]),
            ("active=true^ORDERBYno_such^ORDERBYnumber", ["number"]),
        ])
    func orders(query: String, keys: [String]) async throws {
        let client = try await Client.shared.value
        let names = keys.map { $0.hasPrefix("-") ? String($0.dropFirst()) : $0 }
        let rows = try await client.rows(
            "incident",
            [
                ("sysparm_query", query), ("sysparm_fields", names.joined(separator: ",")),
                ("sysparm_exclude_reference_link", "true"),
            ])
        #expect(rows.count > 100)
        for (first, second) in zip(rows, rows.dropFirst()) {
            let isOrdered = zip(keys, names).lazy.compactMap { key, name -> Bool? in
                let left = Array((first[name] ?? "").asciiLowercased.utf8)
                let right = Array((second[name] ?? "").asciiLowercased.utf8)
                if left == right { return nil }
                return left.lexicographicallyPrecedes(right) != key.hasPrefix("-")
            }.first
            #expect(isOrdered == true, "\(first) \(second)")
        }
    }

    @Test("may have thousands of conditions")
    func long() async throws {
        let client = try await Client.shared.value
        let query = (0..<1500).map { "priority!=\($0 + 10)" }.joined(separator: "^") + "^priority=1"
        let other = "priority=1" + (0..<1500).map { "^ORpriority=\($0 + 10)" }.joined()
        let expected = try await client.rows(
            "incident", [("sysparm_query", "priority=1"), ("sysparm_fields", "number")]
        ).count
        for text in [query, other] {
            let found = try await client.rows("incident", [("sysparm_query", text), ("sysparm_fields", "number")])
            #expect(found.count == expected)
        }
    }

    /// Every incident with all its fields and the dotted ones.
    private static let everyRow = Task {
        let client = try await Client.shared.value
        let plain: [(String, String)] = [
            ("sysparm_exclude_reference_link", "true"), ("sysparm_query", "ORDERBYsys_id"),
        ]
        let rows = try await client.rows("incident", plain)
        let fields = dotted.joined(separator: ",")
        let more = try await client.rows("incident", plain + [("sysparm_fields", fields)])
        return zip(rows, more).map { $0.merging($1) { first, _ in first } }
    }
}
