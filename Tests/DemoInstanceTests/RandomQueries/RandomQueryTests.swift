import Foundation
import Clocks
import Testing

@testable import DemoInstance

@Suite("Random encoded queries")
struct RandomQueryTests {
    private static let present = Timestamp(milliseconds: 1_748_699_130_000)  // 2025-05-31 13:45:30

    private static let shared = Task {
        var options = DemoInstance.Options()
        options.incidents = 120
        options.present = { present }
        let client = Client(instance: try await DemoInstance(options))
        return (client, try await PlainRecords(client))
    }

    @Test("find what a plain evaluation finds, in its order where they state a whole one", arguments: 1...50)
    func agreement(seed: UInt64) async throws {
        let (client, records) = try await Self.shared.value
        let calendar = PlainCalendar(present: Date(timeIntervalSince1970: Double(Self.present.milliseconds) / 1000))
        var generator = QueryGenerator(records: records, seed: seed)
        var partial = 0
        for _ in 0..<100 {
            let query = generator.query()
            let expected = PlainEvaluation(records: records, calendar: calendar, table: query.table).result(query.text)
            let found = try await client.rows(
                query.table, [("sysparm_query", query.text), ("sysparm_fields", "sys_id")]
            ).compactMap { $0["sys_id"] }
            let agrees = query.isOrdered ? found == expected : found.sorted() == expected.sorted()
            #expect(agrees, "\(query.table), \(found.count) found, \(expected.count) expected: \(query.text)")
            if !expected.isEmpty, expected.count < records.count(query.table) { partial += 1 }
        }
        #expect(partial > 20, "most queries should find some records and not all")
    }
}
