import HTTPModel
import PaginatordTesting
import SimdJSON
import Testing

@testable import Gateway

/// All records of a table of which rows are deleted and to which rows are added before every answer.
struct ChangingTableTests {
    private struct Scene {
        let service: Service
        let table: KeyedTable
        let lasting: Set<String>

        init(seed: UInt64) throws {
            table = KeyedTable(rows: 3000, seed: seed)
            let lasting = Set(table.keys.enumerated().filter { $0.offset % 2 == 0 }.map(\.element))
            self.lasting = lasting
            table.set { state in
                state.changes = { keys, random in
                    for _ in 0..<20 {
                        let index = Int.random(in: 0..<keys.count, using: &random)
                        if !lasting.contains(keys[index]) { keys.remove(at: index) }
                        keys.append(KeyedTable.key(&random))
                    }
                    keys.sort()
                }
            }
            service = try Service(table)
        }

        /// How many of the rows that exist throughout are missing, and how many rows came more than once.
        func faults(_ keys: [String]) -> (missing: Int, repeated: Int) {
            (lasting.subtracting(keys).count, keys.count - Set(keys).count)
        }
    }

    @Test("Read by key, every row that exists throughout comes exactly once", arguments: 1...8, [1, 4, 8])
    func byKey(seed: Int, concurrency: Int) async throws {
        let scene = try Scene(seed: UInt64(seed))
        let path = try await scene.service.open()
        let end = try await scene.service.get("\(path)/records?concurrency=\(concurrency)").receive()
        let keys = try end.keys
        #expect(end.isWhole)
        #expect(scene.faults(keys) == (0, 0))
        #expect(keys == keys.sorted() && scene.table.keys.count != 3000)
    }

    @Test("Read by offset, rows are left out or come twice, whether as a stream or page by page", arguments: 1...8)
    func byOffset(seed: Int) async throws {
        let scene = try Scene(seed: UInt64(seed))
        let path = try await scene.service.open(#"{"table":"incident","itemsPerPage":100}"#)
        let end = try await scene.service.get(path + "/records?fromPage=1").receive()
        let (missing, repeated) = scene.faults(try end.keys)
        #expect(end.isWhole && missing + repeated > 0)

        let walked = try Scene(seed: UInt64(seed))
        let session = try await walked.service.open(#"{"table":"incident","itemsPerPage":100}"#)
        var keys: [String] = []
        var hasNext = true
        while hasNext {
            let page = try await walked.service.post(session + "/next")
            guard case .array(let items)? = try page["items"] else { break }
            for item in items {
                if case .object(let row) = item, case .string(let key)? = row["sys_id"] { keys.append(key) }
            }
            hasNext = try page["hasNext"] == .bool(true)
        }
        #expect(!hasNext && keys.count > 2000)
        let faults = walked.faults(keys)
        #expect(faults.missing + faults.repeated > 0)
    }
}
