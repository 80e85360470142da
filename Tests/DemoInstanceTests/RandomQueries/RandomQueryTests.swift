import Clocks
import Foundation
import Testing

@testable import DemoInstance

@Suite("Random encoded queries")
struct RandomQueryTests {
    private static let present = Timestamp(milliseconds: 1_748_699_130_000)  // 2025-05-31 13:45:30

    /// The records, and three instances with them: one that lists its tables as a whole, one that reads the first pages
    /// one by one as it does for large ones, and one that does so for all.
    private static let shared = Task {
        let clients = try await instances(incidents: 120)
        return (clients, try await PlainRecords(clients[0]))
    }

    /// The same with so many incidents that walks in a list's order are worth while.
    private static let larger = Task { try await instances(incidents: 600) }

    private static func instances(incidents: Int) async throws -> [Client] {
        var options = DemoInstance.Options()
        options.incidents = incidents
        options.present = { present }
        let whole = Client(instance: try await DemoInstance(options))
        options.smallTable = 30
        let mixed = Client(instance: try await DemoInstance(options))
        options.smallTable = 0
        let paged = Client(instance: try await DemoInstance(options))
        return [whole, mixed, paged]
    }

    @Test("find what a plain evaluation finds, in its order where they state a whole one", arguments: 1...50)
    func agreement(seed: UInt64) async throws {
        let (clients, records) = try await Self.shared.value
        let calendar = PlainCalendar(present: Date(timeIntervalSince1970: Double(Self.present.milliseconds) / 1000))
        var generator = QueryGenerator(records: records, seed: seed)
        var partial = 0
        for _ in 0..<100 {
            let query = generator.query()
            let expected = PlainEvaluation(records: records, calendar: calendar, table: query.table).result(query.text)
            let client = clients[Int(seed % 3)]
            func found(limit: Int, offset: Int = 0) async throws -> [String] {
                try await client.rows(
                    query.table,
                    [
                        ("sysparm_query", query.text), ("sysparm_fields", "sys_id"), ("sysparm_limit", "\(limit)"),
                        ("sysparm_offset", "\(offset)"),
                    ]
                ).compactMap { $0["sys_id"] }
            }
            let all = try await found(limit: 1000)
            let agrees = query.isOrdered ? all == expected : all.sorted() == expected.sorted()
            #expect(agrees, "\(query.table), \(all.count) found, \(expected.count) expected: \(query.text)")
            if query.isOrdered {
                #expect(try await found(limit: 3) == Array(expected.prefix(3)), "\(query.table): \(query.text)")
                let next = try await found(limit: 3, offset: 3)
                #expect(next == Array(expected.dropFirst(3).prefix(3)), "\(query.table): \(query.text)")
            }
            if !expected.isEmpty, expected.count < records.count(query.table) { partial += 1 }
        }
        #expect(partial > 20, "most queries should find some records and not all")
    }

    @Test(
        "find pages wherever in the list's order they lie",
        arguments: [
            "opened_at<2024-03-01 00:00:00", "opened_at>=2025-10-01 00:00:00", "opened_atBETWEEN2024-10-01@2025-01-01",
            "resolved_at<2024-08-01 00:00:00", "impact=3^urgency=3", "impact=1", "active=true", "state=7^ORimpact=2",
            "numberENDSWITH1", "",
        ])
    func anywhere(filter: String) async throws {
        let clients = try await Self.larger.value
        for order in ["number", "sys_updated_on", "opened_at", "sys_created_on", "priority", "state", "caller_id.name"]
        {
            for direction in ["ORDERBY", "ORDERBYDESC"] {
                let query = "\(filter)^\(direction)\(order)^\(direction)number"
                func rows(_ client: Client, _ limit: Int, _ offset: Int) async throws -> [[String: String]] {
                    try await client.rows(
                        "incident",
                        [
                            ("sysparm_query", query), ("sysparm_fields", "number"), ("sysparm_limit", "\(limit)"),
                            ("sysparm_offset", "\(offset)"),
                        ])
                }
                let all = try await rows(clients[0], 1000, 0)
                #expect(all.count > 2)
                for client in clients {
                    for offset in [0, 1, 5, all.count - 2, all.count] {
                        let found = try await rows(client, 3, offset)
                        #expect(found == Array(all.dropFirst(offset).prefix(3)), "\(query) at \(offset)")
                    }
                }
            }
        }
    }
}
