import EventLoops
import Testing

@Suite struct EventLoopGroupTests {
    @Test("Loops are given out in turn, and to a caller on a loop its own", arguments: [1, 3])
    func turns(count: Int) async throws {
        let group = try EventLoopGroup(count: count)
        #expect(group.loops.count == count)
        #expect((0..<count * 2).map { _ in group.next().name } == (group.loops + group.loops).map(\.name))
        for loop in group.loops {
            let isOwn = await Task(executorPreference: loop) { group.currentOrNext() === loop }.value
            #expect(isOwn)
        }
        await group.shutdown()
    }

    @Test("A loop of another group is not taken for one of this")
    func foreignLoop() async throws {
        let (first, second) = (try EventLoopGroup(count: 1), try EventLoopGroup(count: 1))
        let loop = await Task(executorPreference: first.next()) { second.currentOrNext() }.value
        #expect(loop === second.loops[0])
        await first.shutdown()
        await second.shutdown()
    }

    @Test("There is at least one loop")
    func atLeastOne() async throws {
        for count in [nil, 0, -1] {
            let group = try EventLoopGroup(count: count)
            #expect(group.loops.count >= 1)
            await group.shutdown()
        }
    }
}
