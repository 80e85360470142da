import EventLoops
import Locks
import Pagination
import PaginatordTesting
import TableAPI
import Testing

@testable import RedisSessions

@Suite(.timeLimit(.minutes(1)), .serialized) struct RedisGateTests {
    /// The gate of one replica, and the server behind it.
    private struct Side {
        let replica: Replica
        let gate: RedisGate
        let clock: RequestClock

        init(_ server: RedisServer, _ restraint: Restraint) async throws {
            let replica = try Replica(server)
            self.replica = replica
            let group = replica.group
            clock = RequestClock(uptime: RequestClock.system.uptime) { duration throws(CancellationError) in
                try await group.currentOrNext().sleep(for: duration)
            }
            gate = RedisGate(
                LocalGate(restraint, clock: clock), name: "default", restraint: restraint, client: replica.client)
            try await eventually("it is connected") { replica.client.isAvailable }
        }

        func enter(within seconds: Int = 20) async throws(PageSourceError) -> RequestSlot {
            try await gate.enter(.interactive, deadline: clock.uptime() + .seconds(seconds))
        }
    }

    /// How many requests are under way, and were at the most.
    private final class Counter: Sendable {
        private let state = Lock((now: 0, most: 0))

        var most: Int { state.withLock { $0.most } }

        func begin() {
            state.withLock { state in
                state.now += 1
                state.most = max(state.most, state.now)
            }
        }

        func end() {
            state.withLock { $0.now -= 1 }
        }
    }

    @Test("All replicas together have no more requests under way than one alone may have, and all get their turn")
    func concurrency() async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: 3)
        let sides = [try await Side(server, restraint), try await Side(server, restraint)]
        let two = [try await sides[0].enter(), try await sides[0].enter()]
        let third = try await sides[1].enter()
        for side in sides {
            let late = await #expect(throws: PageSourceError.self) { try await side.enter(within: 1) }
            #expect(late == .timedOut(nil))
        }
        for slot in two { await sides[0].gate.leave(slot, RequestReport(.answered)) }
        await sides[1].gate.leave(third, RequestReport(.answered))
        let underWay = Counter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<60 {
                group.addTask {
                    let side = sides[number % 2]
                    let slot = try await side.enter()
                    underWay.begin()
                    for _ in 0..<20 { await Task.yield() }
                    underWay.end()
                    await side.gate.leave(slot, RequestReport(.answered))
                }
            }
            try await group.waitForAll()
        }
        #expect((1...3).contains(underWay.most))
        try await eventually("all is given back") { server.command("ZCARD paginatord:permits:default") == ":0\r\n" }
        for side in sides { await side.replica.stop() }
    }

    @Test("A 429 that one replica gets holds for the others, with the rest of its time")
    func coolDown() async throws {
        let server = try RedisServer()
        let sides = [try await Side(server, Restraint()), try await Side(server, Restraint())]
        await sides[0].gate.leave(try await sides[0].enter(), RequestReport(.limited(.seconds(30))))
        for side in sides {
            let failure = await #expect(throws: PageSourceError.self) { try await side.enter() }
            guard case .rateLimited(nil, let seconds?) = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
            #expect((28...30).contains(seconds))
        }
        for side in sides { await side.replica.stop() }
    }

    @Test("A short cool-down is waited out by every replica")
    func shortCoolDown() async throws {
        let server = try RedisServer()
        let sides = [try await Side(server, Restraint()), try await Side(server, Restraint())]
        let start = sides[0].clock.uptime()
        await sides[0].gate.leave(try await sides[0].enter(), RequestReport(.limited(.milliseconds(400))))
        let slot = try await sides[1].enter()
        #expect(sides[1].clock.uptime() - start >= .milliseconds(390))
        await sides[1].gate.leave(slot, RequestReport(.answered))
        for side in sides { await side.replica.stop() }
    }

    @Test("The requests of an hour are those of all replicas together; what was not sent is not spent")
    func hourly() async throws {
        let server = try RedisServer()
        let restraint = Restraint(requestsPerHour: 10)
        let sides = [try await Side(server, restraint), try await Side(server, restraint)]
        for number in 0..<9 {
            let side = sides[number % 2]
            // One of them carried a second request.
            await side.gate.leave(try await side.enter(), RequestReport(.answered, requests: number == 4 ? 2 : 1))
        }
        try await eventually("all is given back") { server.command("ZCARD paginatord:permits:default") == ":0\r\n" }
        for side in sides {
            for _ in 0..<3 {
                let failure = await #expect(throws: PageSourceError.self) { try await side.enter() }
                guard case .rateLimited(nil, let seconds?) = failure else {
                    Issue.record("\(String(describing: failure))")
                    continue
                }
                #expect((300...360).contains(seconds))
            }
        }
        for side in sides { await side.replica.stop() }
    }

    @Test("What a process that is gone had under way lapses")
    func lapsed() async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: 1)
        let (gone, stays) = (try await Side(server, restraint), try await Side(server, restraint))
        _ = try await gone.enter()
        await gone.replica.stop()
        let late = await #expect(throws: PageSourceError.self) { try await stays.enter(within: 1) }
        #expect(late == .timedOut(nil))
        let slot = try await stays.enter()
        await stays.gate.leave(slot, RequestReport(.answered))
        await stays.replica.stop()
    }

    @Test("A permission is kept for as long as its request takes")
    func renewed() async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: 1)
        let sides = [try await Side(server, restraint), try await Side(server, restraint)]
        let slot = try await sides[0].enter()
        let late = await #expect(throws: PageSourceError.self) { try await sides[1].enter(within: 7) }
        #expect(late == .timedOut(nil))
        await sides[0].gate.leave(slot, RequestReport(.answered))
        await sides[1].gate.leave(try await sides[1].enter(), RequestReport(.answered))
        for side in sides { await side.replica.stop() }
    }

    @Test("Who is cancelled while it waits leaves nothing behind")
    func cancelled() async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: 1)
        let sides = [try await Side(server, restraint), try await Side(server, restraint)]
        let slot = try await sides[0].enter()
        let waiting = Task { try await sides[1].enter() }
        try await eventually("it waits") { server.command("INFO commandstats")?.contains("evalsha") == true }
        waiting.cancel()
        let failure = await #expect(throws: PageSourceError.self) { try await waiting.value }
        #expect(failure == .stopping)
        await sides[0].gate.leave(slot, RequestReport(.answered))
        await sides[1].gate.leave(try await sides[1].enter(), RequestReport(.answered))
        for side in sides { await side.replica.stop() }
    }

    @Test("While Redis is away each replica keeps the limits for itself")
    func away() async throws {
        let server = try RedisServer()
        let side = try await Side(server, Restraint(concurrency: 2))
        let held = try await side.enter()
        server.kill()
        try await eventually("it is lost") { !side.replica.client.isAvailable }
        let second = try await side.enter()
        let late = await #expect(throws: PageSourceError.self) { try await side.enter(within: 1) }
        #expect(late == .timedOut(nil))
        for slot in [held, second] { await side.gate.leave(slot, RequestReport(.answered)) }
        await side.replica.stop()
    }
}
