import HTTPModel
import Testing

@testable import DemoInstance

@Suite("A list that changes between requests")
struct FaultDriftTests {
    @Test("loses records from its front: a client that walks by offset misses some")
    func shrinking() async throws {
        let all = try await FaultyInstance().call().keys()
        let instance = try await FaultyInstance("shrink")
        var walked: [String?] = []
        for offset in stride(from: 0, to: 300, by: 20) { walked += try await instance.page(offset, 20) }
        // One record goes before each page but the first, so each page begins one further than the last one ended.
        let missed = Set((1..<15).map { all[$0 * 21 - 1] })
        #expect(walked == all.filter { !missed.contains($0) })
        #expect(await instance.call().headers["X-Total-Count"] == "285")
    }

    @Test("gets records at its front: a client that walks by offset sees some twice")
    func growing() async throws {
        let all = try await FaultyInstance().call().keys()
        let instance = try await FaultyInstance("grow:most=5,every=2")
        #expect(await instance.call(FaultyInstance.list + "&sysparm_limit=1").headers["X-Total-Count"] == "295")
        let first = try await instance.page(0, 20)
        #expect(first == Array(all[5..<25]))
        let second = try await instance.page(20, 20)
        #expect(second == Array(all[24..<44]))
        for _ in 0..<20 { _ = await instance.call() }
        #expect(try await instance.call().keys() == all)
        #expect(await instance.call().headers["X-Total-Count"] == "300")
    }

    @Test(
        "stops changing at a bound and keeps single records", arguments: ["shrink:by=7,most=10", "grow:by=7,most=10"])
    func bounds(fault: String) async throws {
        let all = try await FaultyInstance().call().keys()
        let instance = try await FaultyInstance(fault)
        for _ in 0..<3 { _ = await instance.call() }
        let gone = fault.hasPrefix("shrink") ? 10 : 0
        #expect(try await instance.call().keys() == Array(all.dropFirst(gone)))
        let key = try #require(all[0])
        #expect(await instance.call("/api/now/table/incident/\(key)").status == 200)
    }

    @Test("has the links and the count of what remains")
    func links() async throws {
        let instance = try await FaultyInstance("shrink:by=60,most=240")
        let page = FaultyInstance.list + "&sysparm_limit=100"
        func link(_ offset: Int, _ relation: String) -> String {
            "<http://demo.example\(FaultyInstance.list)&sysparm_offset=\(offset)&sysparm_limit=100>;rel=\"\(relation)\""
        }
        let start = page + "&sysparm_offset=100"
        #expect(
            await instance.call(start).headers["Link"]
                == [link(0, "first"), link(0, "prev"), link(200, "next"), link(200, "last")].joined(separator: ","))
        let second = await instance.call(start)
        #expect(second.headers["X-Total-Count"] == "240")
        let third = await instance.call(start, method: "HEAD")
        #expect(third.headers["X-Total-Count"] == "180")
        #expect(
            third.headers["Link"]
                == [link(0, "first"), link(0, "prev"), link(100, "last")].joined(separator: ","))
        _ = await instance.call(start)
        let last = await instance.call(page)
        #expect(last.headers["X-Total-Count"] == "60" && last.headers["Link"] == nil)
        #expect(try last.keys().count == 60)
    }
}
