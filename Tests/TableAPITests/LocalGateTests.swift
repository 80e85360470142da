import Pagination
import PaginatordTesting
import Testing

@testable import TableAPI

struct LocalGateTests {
    private let time = ManualTime()

    private func gate(_ restraint: Restraint) -> LocalGate {
        LocalGate(restraint, clock: time.clock)
    }

    private var far: Duration { time.now + .seconds(1000) }

    @Test("Nothing is timed where nobody waits")
    func quiet() async throws {
        let gate = gate(Restraint(concurrency: 2))
        for _ in 0..<10 {
            let slots = [try await gate.enter(.bulk, deadline: far), try await gate.enter(.bulk, deadline: far)]
            #expect(Set(slots.map(\.index)) == [0, 1])
            for slot in slots { await gate.leave(slot, RequestReport(.answered)) }
        }
        #expect(time.slept.isEmpty)
    }

    @Test("Callers are served by their urgency and then in the order in which they came")
    func order() async throws {
        let gate = gate(Restraint(concurrency: 1))
        let slot = try await gate.enter(.interactive, deadline: far)
        let served = Shared<[Int]>([])
        let priorities: [PageRequest.Priority] = [.readAhead, .bulk, .interactive, .interactive, .bulk, .readAhead]
        let deadline = far
        try await withThrowingTaskGroup(of: Void.self) { group in
            for (number, priority) in priorities.enumerated() {
                group.addTask {
                    let slot = try await gate.enter(priority, deadline: deadline)
                    served.change { $0.append(number) }
                    await gate.leave(slot, RequestReport(.answered))
                }
                try await eventually("it waits") { gate.current.queued == number + 1 }
            }
            await gate.leave(slot, RequestReport(.answered))
            try await group.waitForAll()
        }
        #expect(served.current == [2, 3, 1, 4, 0, 5])
        #expect(time.sleeping == 0)
    }

    @Test("An urgency that grows counts before its request waits, and while it does", arguments: [true, false])
    func raised(isWaiting: Bool) async throws {
        let gate = gate(Restraint(concurrency: 1))
        let slot = try await gate.enter(.interactive, deadline: far)
        let (served, deadline) = (Shared<[String]>([]), far)
        let urgency = RequestUrgency(.readAhead)
        func raise() {
            #expect(urgency.raise(to: .interactive) && !urgency.raise(to: .bulk) && urgency.priority == .interactive)
            gate.raise(urgency)
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            func wait(_ name: String, _ urgency: RequestUrgency, _ count: Int) async throws {
                group.addTask {
                    let slot = try await gate.enter(urgency, deadline: deadline)
                    served.change { $0.append(name) }
                    await gate.leave(slot, RequestReport(.answered))
                }
                try await eventually("it waits") { gate.current.queued == count }
            }
            if !isWaiting { raise() }
            try await wait("ahead", urgency, 1)
            try await wait("export", RequestUrgency(.bulk), 2)
            try await wait("move", RequestUrgency(.interactive), 3)
            if isWaiting { raise() }
            await gate.leave(slot, RequestReport(.answered))
            try await group.waitForAll()
        }
        #expect(served.current == ["ahead", "move", "export"])
        // Nobody waits with it any more.
        gate.raise(urgency)
        #expect(gate.current.inFlight == 0 && gate.current.queued == 0 && time.sleeping == 0)
    }

    @Test("Who waits past the deadline is told so, at the deadline and not later")
    func deadline() async throws {
        let gate = gate(Restraint(concurrency: 1))
        _ = try await gate.enter(.interactive, deadline: far)
        let deadline = time.now + .seconds(30)
        let waiting = Task { try await gate.enter(.interactive, deadline: deadline) }
        try await eventually("it sleeps") { time.sleeping == 1 }
        time.advance(.seconds(29))
        #expect(gate.current.queued == 1)
        time.advance(.seconds(1))
        await #expect(throws: PageSourceError.timedOut(nil)) { _ = try await waiting.value }
        #expect(gate.current.queued == 0)
    }

    @Test(
        "A caller whose task is cancelled leaves the queue, before it waits or while it does", arguments: [true, false])
    func cancellation(isWaiting: Bool) async throws {
        let gate = gate(Restraint(concurrency: 1))
        let slot = try await gate.enter(.interactive, deadline: far)
        let (go, deadline) = (Gate(), far)
        let waiting = Task { () -> PageSourceError? in
            if !isWaiting { await go.wait() }
            do throws(PageSourceError) {
                _ = try await gate.enter(.interactive, deadline: deadline)
                return nil
            } catch {
                return error
            }
        }
        if isWaiting { try await eventually("it waits") { gate.current.queued == 1 && time.sleeping == 1 } }
        waiting.cancel()
        go.open()
        #expect(await waiting.value == .stopping)
        #expect(gate.current.queued == 0 && time.sleeping == 0)
        await gate.leave(slot, RequestReport(.answered))
        #expect(gate.current.inFlight == 0)
    }

    @Test("Callers that wait for a slot go on when a cool-down that began meanwhile is over")
    func coolDown() async throws {
        let gate = gate(Restraint(concurrency: 2))
        let slots = [try await gate.enter(.bulk, deadline: far), try await gate.enter(.bulk, deadline: far)]
        let deadline = far
        try await withThrowingTaskGroup(of: RequestSlot.self) { group in
            for number in 1...2 {
                group.addTask { try await gate.enter(.interactive, deadline: deadline) }
                try await eventually("it sleeps") { time.sleeping == number }
            }
            await gate.leave(slots[0], RequestReport(.limited(.seconds(3))))
            await gate.leave(slots[1], RequestReport(.answered))
            #expect(gate.current.queued == 2)
            // One of them now sleeps until the end of the cool-down.
            try await eventually("the alarm is set") { time.slept.contains(.seconds(3)) && time.sleeping == 2 }
            time.advance(.seconds(3))
            var served: Set<RequestSlot> = []
            for try await slot in group { served.insert(slot) }
            #expect(served == Set(slots))
        }
    }

    @Test("The caller that was to wake the others up can leave without leaving them behind")
    func alarm() async throws {
        let gate = gate(Restraint(concurrency: 1))
        let slot = try await gate.enter(.bulk, deadline: far)
        await gate.leave(slot, RequestReport(.limited(.seconds(4))))
        let deadline = far
        var waiting: [Task<RequestSlot, any Error>] = []
        for number in 1...3 {
            waiting.append(Task { try await gate.enter(.interactive, deadline: deadline) })
            try await eventually("they sleep") { time.sleeping == number }
        }
        // Whoever holds the alarm is one of the first two to leave, or the third.
        for task in waiting.dropLast() {
            task.cancel()
            await #expect(throws: PageSourceError.stopping) { try await task.value }
        }
        try await eventually("the last one has the alarm") { time.sleeping == 1 && time.slept.last == .seconds(4) }
        time.advance(.seconds(4))
        #expect(try await waiting[2].value == slot)
    }

    @Test("A closed gate sends away who waits and who comes")
    func closing() async throws {
        let gate = gate(Restraint(concurrency: 1))
        let slot = try await gate.enter(.bulk, deadline: far)
        let deadline = far
        let waiting = Task { try await gate.enter(.bulk, deadline: deadline) }
        try await eventually("it waits") { gate.current.queued == 1 }
        gate.close()
        await #expect(throws: PageSourceError.stopping) { _ = try await waiting.value }
        await #expect(throws: PageSourceError.stopping) { _ = try await gate.enter(.bulk, deadline: deadline) }
        await gate.leave(slot, RequestReport(.answered))
        #expect(gate.current.inFlight == 0)
    }

    @Test("Under load no slot is lost or held twice, whoever is cancelled and however requests end", arguments: 0..<8)
    func load(seed: Int) async throws {
        let concurrency = seed % 4 + 1
        let gate = LocalGate(
            Restraint(concurrency: concurrency, circuit: Restraint.Circuit(failures: 0)), clock: time.clock)
        let held = Shared<(now: Set<Int>, most: Int)>(([], 0))
        let deadline = far
        let tasks = (0..<400).map { number in
            Task { () -> Bool in
                var random = SeededGenerator(seed: UInt64(seed * 1000 + number))
                let priority = PageRequest.Priority(rawValue: number % 3) ?? .bulk
                guard let slot = try? await gate.enter(priority, deadline: deadline) else { return false }
                held.change { held in
                    #expect(held.now.insert(slot.index).inserted)
                    held.most = max(held.most, held.now.count)
                }
                for _ in 0..<Int.random(in: 0...3, using: &random) { await Task.yield() }
                held.change { $0.now.remove(slot.index) }
                let outcomes: [RequestOutcome] = [.answered, .failed, .unknown, .limited(.zero)]
                await gate.leave(slot, RequestReport(outcomes.randomElement(using: &random) ?? .answered))
                return true
            }
        }
        var random = SeededGenerator(seed: UInt64(seed))
        for task in tasks where Int.random(in: 0..<4, using: &random) == 0 {
            task.cancel()
            await Task.yield()
        }
        var served = 0
        for task in tasks where await task.value { served += 1 }
        #expect(served > 200)
        #expect(held.current.most <= concurrency)
        #expect(gate.current.inFlight == 0 && gate.current.queued == 0 && time.sleeping == 0)
        _ = try await gate.enter(.interactive, deadline: deadline)
    }
}
