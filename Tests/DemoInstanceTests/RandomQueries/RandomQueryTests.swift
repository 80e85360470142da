import Clocks
import Foundation
import Testing

@testable import DemoInstance

@Suite("Random encoded queries")
struct RandomQueryTests {
    private static let present = Timestamp(milliseconds: 1_748_699_130_000)  // 2025-05-31 13:45:30

    /// The records, and two instances with them: one that lists its tables as a whole, and one that reads them page by
    /// page as it does large ones.
    private static let shared = Task {
        var options = DemoInstance.Options()
        options.incidents = 120
        options.present = { present }
        let whole = Client(instance: try await DemoInstance(options))
        options.smallTable = 0
        let paged = Client(instance: try await DemoInstance(options))
        return (whole, paged, try await PlainRecords(whole))
    }

    @Test("find what a plain evaluation finds, in its order where they state a whole one", arguments: 1...50)
    func agreement(seed: UInt64) async throws {
        let (whole, paged, records) = try await Self.shared.value
        let calendar = PlainCalendar(present: Date(timeIntervalSince1970: Double(Self.present.milliseconds) / 1000))
        var generator = QueryGenerator(records: records, seed: seed)
        var partial = 0
        for _ in 0..<100 {
            let query = generator.query()
            let expected = PlainEvaluation(records: records, calendar: calendar, table: query.table).result(query.text)
            let client = seed % 2 == 0 ? whole : paged
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
}
