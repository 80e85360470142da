import Foundation
import PaginatordTesting
import Testing

/// Whether the service keeps rows from being repeated and missed where the instance's order changes between requests.
@Suite(.timeLimit(.minutes(10)))
struct StableOrderTests {
    /// Walks through all pages of a query; the rows' keys as they came.
    private func walk(_ definition: String, seed: Int) async throws -> (keys: [String], total: Int?) {
        let instance = try RunningProgram(
            ["demo-instance", "--listen", "127.0.0.1:0", "--incidents", "1000", "--seed", String(seed)])
        let service = try RunningProgram(
            ["serve", "--listen", "127.0.0.1:0", "--log-level", "warning"],
            environment: ["PAGINATORD_INSTANCE_URL": await instance.listeningURL()])
        let caller = try Caller(await service.listeningURL())
        let session = try await caller.open(definition)
        var keys: [String] = []
        var total: Int?
        var next: String? = session + "/next?after=0"
        while let target = next {
            let answer = try await caller.call("POST", target)
            try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            keys += answer.keys
            total = answer["totalItems"]
            next = answer["hasNext"] == true ? answer.link("next") : nil
        }
        await caller.close()
        #expect(try await service.stop() == 0)
        #expect(try await instance.stop() == 0)
        return (keys, total)
    }

    /// One without an order, one whose order leaves ties, one whose order stands before a further group of conditions.
    private static let queries = ["", "active=true^ORDERBYpriority", "priority=1^ORDERBYstate^NQpriority=5"]

    private func definition(_ query: String, stable: Bool) -> String {
        #"{"table":"incident","query":"\#(query)","fields":["sys_id"],"itemsPerPage":40,"stableOrder":\#(stable)}"#
    }

    @Test("With stableOrder every row comes exactly once", arguments: queries, [1, 2, 3])
    func stable(query: String, seed: Int) async throws {
        let (keys, total) = try await walk(definition(query, stable: true), seed: seed)
        #expect(total == keys.count && keys.count > 100)
        #expect(Set(keys).count == keys.count)
    }

    @Test("Without it some rows come twice and others never", arguments: queries, [1, 2, 3])
    func unstable(query: String, seed: Int) async throws {
        let (keys, total) = try await walk(definition(query, stable: false), seed: seed)
        // As many rows as there are, so what came twice stands for what never came.
        #expect(total == keys.count && keys.count > 100)
        #expect(Set(keys).count < keys.count)
    }
}
