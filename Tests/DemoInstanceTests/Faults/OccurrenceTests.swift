import HTTPModel
import Testing

@testable import DemoInstance

@Suite("When a fault happens")
struct OccurrenceTests {
    private func statuses(_ faults: FaultyInstance, _ count: Int) async -> [Int] {
        var statuses: [Int] = []
        for _ in 0..<count { statuses.append(await faults.call("/api/now/table/sys_user?sysparm_limit=1").status) }
        return statuses
    }

    @Test("each Nth request, the first N, or all")
    func counted() async throws {
        #expect(await statuses(try FaultyInstance("status:502,every=3"), 7) == [200, 200, 502, 200, 200, 502, 200])
        #expect(await statuses(try FaultyInstance("status:502,requests=2"), 4) == [502, 502, 200, 200])
        #expect(await statuses(try FaultyInstance("status:502"), 2) == [502, 502])
    }

    @Test("a share of requests, the same ones for the same seed and others for another")
    func share() async throws {
        let first = await statuses(try FaultyInstance("status:502,ratio=0.25"), 400)
        #expect((60...140).contains(first.count { $0 == 502 }))
        #expect(await statuses(try FaultyInstance("status:502,ratio=0.25"), 400) == first)
        #expect(await statuses(try FaultyInstance("status:502,ratio=0.25", seed: 2), 400) != first)
        #expect(await statuses(try FaultyInstance("status:502,ratio=0"), 50).allSatisfy { $0 == 200 })
        #expect(await statuses(try FaultyInstance("status:502,ratio=1"), 50).allSatisfy { $0 == 502 })
    }

    @Test("not at once with another of the same share, though the seed is one")
    func independent() async throws {
        let faults = try await FaultyInstance("status:502,ratio=0.5", "status:503,ratio=0.5")
        let statuses = await statuses(faults, 200)
        #expect(statuses.contains(502) && statuses.contains(503) && statuses.contains(200))
    }

    @Test("a fault that stands in front hides the request from those behind it")
    func order() async throws {
        let faults = try await FaultyInstance("status:503,every=2", "status:502,every=2")
        #expect(await statuses(faults, 8) == [200, 503, 502, 503, 200, 503, 502, 503])
        #expect(faults.faults.counts.map(\.requests) == [8, 4] && faults.faults.counts.map(\.times) == [4, 2])
    }

    @Test(
        "a refusal of the instance's own leaves tokens alone, one of a proxy does not",
        arguments: [("rate-limit", false), ("unauthorized", false), ("empty-202", false), ("status:502", true)])
    func tokens(fault: String, isMet: Bool) async throws {
        let faults = try await FaultyInstance(fault)
        #expect((await faults.call("/oauth_token.do").status == 502) == isMet)
        #expect(faults.faults.counts.map(\.requests) == [isMet ? 1 : 0])
        #expect(await faults.call().status != 200)
    }

    @Test("a fault that changes lists counts lists only")
    func eligible() async throws {
        let faults = try await FaultyInstance("append-error:every=2")
        _ = await faults.call("/api/now/table/nothing")
        _ = await faults.call("/api/now/table/incident", method: "HEAD")
        #expect(await faults.call().text.hasPrefix("{\"result\":["))
        #expect(faults.faults.counts.map(\.requests) == [1])
        #expect(await faults.call().text.contains("Transaction cancelled"))
        #expect(faults.faults.counts.map(\.times) == [1])
    }

    @Test(
        "exactly so often when many requests come at once",
        arguments: [
            ("status:502,every=10", 40), ("status:502,requests=7", 7), ("truncate:as=json,every=7", 57),
            ("shrink:every=3", 133),
        ])
    func concurrent(fault: String, times: Int) async throws {
        let instance = try await FaultyInstance(fault)
        let target = "/api/now/table/sys_user?sysparm_limit=1&sysparm_fields=sys_id"
        let plain = await instance.call("/nothing")
        let faulty = await withTaskGroup(of: Bool.self) { group in
            for _ in 0..<400 {
                group.addTask {
                    let answer = await instance.call(target)
                    return answer.status == 502 || (try? answer.keys()) == nil
                }
            }
            return await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        let count = try #require(instance.faults.counts.first)
        let isRefusal = fault.hasPrefix("status")
        #expect(count.requests == (isRefusal ? 401 : 400))
        #expect(count.times == times)
        if fault.hasPrefix("truncate") { #expect(faulty == times) }
        if isRefusal { #expect(faulty + (plain.status == 502 ? 1 : 0) == times) }
    }
}
