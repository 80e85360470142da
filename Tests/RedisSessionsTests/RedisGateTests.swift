import EventLoops
import Locks
import Pagination
import PaginatordTesting
import TableAPI
import Testing

@testable import RedisSessions

@Suite(.timeLimit(.minutes(10)), .serialized) struct RedisGateTests {
    /// The gate of one replica, and the server behind it.
    private struct Side {
        let replica: Replica
        let gate: RedisGate
        let clock: RequestClock

        init(
            _ server: RedisServer, _ restraint: Restraint, _ change: (inout SilenceLimits) -> Void = { _ in }
        ) async throws {
            var configuration = RedisConfiguration.patient(.socket(path: server.socketPath))
            change(&configuration.silenceLimits)
            replica = try Replica(configuration)
            let group = replica.group
            clock = RequestClock(uptime: RequestClock.system.uptime) { duration throws(CancellationError) in
                try await group.currentOrNext().sleep(for: duration)
            }
            gate = RedisGate(
                LocalGate(restraint, clock: clock), name: "default", restraint: restraint, client: replica.client)
            try await replica.isConnected()
        }

        func enter(
            _ priority: PageRequest.Priority = .interactive, within seconds: Int = 240
        ) async throws(PageSourceError) -> RequestSlot {
            try await gate.enter(priority, deadline: clock.uptime() + .seconds(seconds))
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

    private func eventuallyEmpty(_ server: RedisServer) async throws {
        for set in ["permits", "waiting", "asked"] {
            try await eventually("nothing is left in \(set)") {
                server.command("ZCARD paginatord:\(set):default") == ":0\r\n"
            }
        }
    }

    @Test(
        "All replicas together have no more requests under way than one alone may have, whoever hangs up, and all get a turn",
        arguments: [1, 3])
    func concurrency(limit: Int) async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: limit)
        var sides: [Side] = []
        for _ in 0..<3 { sides.append(try await Side(server, restraint)) }
        let (underWay, served) = (Counter(), Counter())
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<120 {
                let side = sides[number % 3]
                let hangsUp = number.isMultiple(of: 4)
                group.addTask {
                    let request = Task {
                        let slot = try await side.enter(number.isMultiple(of: 5) ? .bulk : .interactive)
                        underWay.begin()
                        for _ in 0..<20 { await Task.yield() }
                        underWay.end()
                        await side.gate.leave(slot, RequestReport(.answered))
                    }
                    if hangsUp {
                        for _ in 0..<number { await Task.yield() }
                        request.cancel()
                        _ = await request.result
                    } else {
                        try await request.value
                        served.begin()
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect((1...limit).contains(underWay.most) && served.most == 90)
        try await eventuallyEmpty(server)
        for side in sides { await side.replica.stop() }
    }

    /// Who came to the instance, in order.
    private final class Turns: Sendable {
        private let state = Lock<[Int]>([])

        var all: [Int] { state.withLock { $0 } }

        func add(_ number: Int) {
            state.withLock { $0.append(number) }
        }
    }

    @Test("Whoever came first goes first, on whatever replica, and what is more urgent before that")
    func order() async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: 1)
        var sides: [Side] = []
        for _ in 0..<5 { sides.append(try await Side(server, restraint)) }
        let priorities: [PageRequest.Priority] = [.readAhead, .bulk, .interactive, .interactive]
        let turns = Turns()
        // Comes back for more at once, as a busy replica does: that is no reason to leave the others waiting.
        var slot = try await sides[4].enter()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for number in 0..<4 {
                let (side, priority) = (sides[number], priorities[number])
                group.addTask {
                    let slot = try await side.enter(priority)
                    turns.add(number)
                    await side.gate.leave(slot, RequestReport(.answered))
                }
                try await eventually("it waits") {
                    server.command("ZCARD paginatord:waiting:default") == ":\(number + 1)\r\n"
                }
            }
            for _ in 0..<3 {
                await sides[4].gate.leave(slot, RequestReport(.answered))
                slot = try await sides[4].enter(.bulk)
            }
            await sides[4].gate.leave(slot, RequestReport(.answered))
            try await group.waitForAll()
        }
        #expect(turns.all == [2, 3, 1, 0])
        try await eventuallyEmpty(server)
        for side in sides { await side.replica.stop() }
    }

    @Test("What nobody waits for leaves its slot to what somebody waits for, while others have all the instance's")
    func gaveWay() async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: 1)
        let sides = [try await Side(server, restraint), try await Side(server, restraint)]
        let slot = try await sides[0].enter()
        let turns = Turns()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for priority in [PageRequest.Priority.readAhead, .interactive] {
                let side = sides[1]
                group.addTask {
                    let slot = try await side.enter(priority)
                    turns.add(priority.rawValue)
                    await side.gate.leave(slot, RequestReport(.answered))
                }
                let (rank, next) = (priority.rawValue * 3, (priority.rawValue + 1) * 3)
                try await eventually("it waits") {
                    server.command("ZCOUNT paginatord:waiting:default \(rank)e15 \(next)e15") == ":1\r\n"
                }
            }
            await sides[0].gate.leave(slot, RequestReport(.answered))
            try await group.waitForAll()
        }
        #expect(turns.all == [PageRequest.Priority.interactive.rawValue, PageRequest.Priority.readAhead.rawValue])
        for side in sides { await side.replica.stop() }
    }

    @Test("The place of a process that is gone while it waits lapses")
    func lapsedPlace() async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: 1)
        var sides: [Side] = []
        for _ in 0..<2 { sides.append(try await Side(server, restraint) { $0.place = SilenceLimits().place }) }
        let slot = try await sides[0].enter()
        // As one that was killed leaves it.
        for key in ["waiting", "asked"] {
            let time = server.command("TIME")?.split(separator: "\r\n")[2] ?? ""
            server.command("ZADD paginatord:\(key):default \(time)000 gone")
        }
        await sides[0].gate.leave(slot, RequestReport(.answered))
        await sides[1].gate.leave(try await sides[1].enter(), RequestReport(.answered))
        try await eventuallyEmpty(server)
        for side in sides { await side.replica.stop() }
    }

    enum Loss: CaseIterable {
        case flushed, restarted, absentAtFirst, lapsed
    }

    @Test(
        "A request under way that the server does not know of, or no longer, is counted all the same",
        arguments: Loss.allCases)
    func counted(loss: Loss) async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: 1)
        let sides = [try await Side(server, restraint), try await Side(server, restraint)]
        func isLost() async throws {
            server.kill()
            for side in sides { try await side.replica.isCutOff() }
        }
        func isBack() async throws {
            try server.start()
            for side in sides { try await side.replica.isConnected() }
        }
        if loss == .absentAtFirst { try await isLost() }
        let slot = try await sides[0].enter()
        switch loss {
        case .flushed: server.command("FLUSHALL")
        case .restarted:
            try await isLost()
            try await isBack()
        case .absentAtFirst: try await isBack()
        case .lapsed: server.command("DEL paginatord:permits:default")
        }
        try await eventually("it is counted") { server.command("ZCARD paginatord:permits:default") == ":1\r\n" }
        let late = await #expect(throws: PageSourceError.self) { try await sides[1].enter(within: 1) }
        #expect(late == .timedOut(nil))
        await sides[0].gate.leave(slot, RequestReport(.answered))
        try await eventuallyEmpty(server)
        await sides[1].gate.leave(try await sides[1].enter(), RequestReport(.answered))
        for side in sides { await side.replica.stop() }
    }

    @Test("Moments in the future, behind a clock that was put back, hold nobody up")
    func clockPutBack() async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: 1, requestsPerHour: 3600, maxRetryAfter: .seconds(30))
        let side = try await Side(server, restraint)
        let future = "9999999999999"
        server.command("ZADD paginatord:permits:default \(future) gone")
        server.command("ZADD paginatord:waiting:default 1 gone")
        server.command("ZADD paginatord:asked:default \(future) gone")
        server.command("HSET paginatord:bucket:default tokens 0 at \(future)")
        await side.gate.leave(try await side.enter(), RequestReport(.answered))
        try await eventuallyEmpty(server)
        await side.replica.stop()
    }

    @Test("Limits are shared as long as commands are answered, be nobody able to listen")
    func deaf() async throws {
        let server = try RedisServer()
        let group = try EventLoopGroup(count: 2)
        // Without a store nobody listens.
        let client = RedisClient(RedisConfiguration.patient(.socket(path: server.socketPath)), on: group)
        try await eventually("it is connected") { client.takesCommands }
        #expect(!client.isAvailable)
        let budget = SharedBudget(client, name: "default", restraint: Restraint())
        var permit = budget.permit()
        #expect(await budget.acquire(&permit, for: .bulk) == .granted)
        #expect(server.command("ZCARD paginatord:permits:default") == ":1\r\n")
        await budget.release(permit, RequestReport(.answered))
        try await eventuallyEmpty(server)
        await client.shutdown()
        await group.shutdown()
    }

    @Test("A 429 that one replica gets holds for the others, with the rest of its time")
    func coolDown() async throws {
        let server = try RedisServer()
        let sides = [try await Side(server, Restraint()), try await Side(server, Restraint())]
        await sides[0].gate.leave(try await sides[0].enter(), RequestReport(.limited(.seconds(600))))
        for side in sides {
            let failure = await #expect(throws: PageSourceError.self) { try await side.enter() }
            guard case .rateLimited(nil, let seconds?) = failure else {
                Issue.record("\(String(describing: failure))")
                continue
            }
            #expect((500...600).contains(seconds))
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
                #expect((1...360).contains(seconds))
            }
        }
        for side in sides { await side.replica.stop() }
    }

    @Test("What a process that is gone had under way lapses")
    func lapsed() async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: 1)
        let gone = try await Side(server, restraint) { $0.permit = SilenceLimits().permit }
        let stays = try await Side(server, restraint)
        let start = stays.clock.uptime()
        _ = try await gone.enter()
        await gone.replica.stop()
        // It is the permission that lapses, and not all that is kept.
        server.command("PERSIST paginatord:permits:default")
        let slot = try await stays.enter()
        #expect(stays.clock.uptime() - start >= SilenceLimits().permit - .milliseconds(10))
        await stays.gate.leave(slot, RequestReport(.answered))
        await stays.replica.stop()
    }

    @Test("A permission is kept for as long as its request takes")
    func renewed() async throws {
        let server = try RedisServer()
        let restraint = Restraint(concurrency: 1)
        let sides = [try await Side(server, restraint), try await Side(server, restraint)]
        let slot = try await sides[0].enter()
        func end() -> Int? {
            server.command("ZRANGE paginatord:permits:default 0 -1 WITHSCORES")?.split(separator: "\r\n").last.flatMap {
                Int($0)
            }
        }
        for _ in 0..<2 {
            let former = try #require(end())
            try await eventually("it is renewed") { try #require(end()) > former }
        }
        #expect(SharedBudget.renewal * 2 < SilenceLimits().permit)
        let late = await #expect(throws: PageSourceError.self) { try await sides[1].enter(within: 1) }
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
        try await eventually("it waits") { server.command("ZCARD paginatord:waiting:default") == ":1\r\n" }
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
        try await side.replica.isCutOff()
        let second = try await side.enter()
        let late = await #expect(throws: PageSourceError.self) { try await side.enter(within: 1) }
        #expect(late == .timedOut(nil))
        for slot in [held, second] { await side.gate.leave(slot, RequestReport(.answered)) }
        await side.replica.stop()
    }
}
