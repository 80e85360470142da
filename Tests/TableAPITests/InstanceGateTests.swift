import Pagination
import PaginatordTesting
import Testing

@testable import TableAPI

private let far = Duration.seconds(1_000_000)

/// A gate and the time, moved by hand.
private struct Bench {
    var gate: InstanceGate
    var now = Duration.seconds(100)

    init(_ restraint: Restraint = Restraint()) {
        gate = InstanceGate(restraint, now: now)
    }

    mutating func admit(
        _ priority: PageRequest.Priority = .interactive, deadline: Duration = far
    ) -> InstanceGate.Admission {
        gate.admit(priority, deadline: deadline, now: now)
    }

    /// A slot that has to be free.
    mutating func enter() throws -> RequestSlot {
        guard case .enters(let slot) = admit() else { throw Refused() }
        return slot
    }

    mutating func wait(_ priority: PageRequest.Priority = .interactive, deadline: Duration = far) throws
        -> RequestTicket
    {
        guard case .waits(let ticket) = admit(priority, deadline: deadline) else { throw Refused() }
        return ticket
    }

    mutating func leave(
        _ slot: RequestSlot, _ outcome: RequestOutcome = .answered, _ allowance: RateAllowance? = nil
    ) -> [InstanceGate.Decision] {
        gate.report(RequestReport(outcome, allowance: allowance), of: slot, now: now)
        return gate.advance(now: now)
    }

    /// Sends one request and lets it end.
    @discardableResult mutating func request(
        _ outcome: RequestOutcome = .answered, _ allowance: RateAllowance? = nil
    ) throws -> [InstanceGate.Decision] {
        leave(try enter(), outcome, allowance)
    }

    var state: GateState { gate.state(now: now) }

    struct Refused: Error {}
}

struct InstanceGateTests {
    @Test("No more requests than slots are under way, each in a slot of its own", arguments: [1, 2, 8, 33])
    func slots(concurrency: Int) throws {
        var bench = Bench(Restraint(concurrency: concurrency))
        var slots: [RequestSlot] = []
        for _ in 0..<concurrency { slots.append(try bench.enter()) }
        #expect(slots.map(\.index) == Array(0..<concurrency))
        let ticket = try bench.wait()
        #expect(bench.state.inFlight == concurrency && bench.state.queued == 1)
        #expect(bench.gate.advance(now: bench.now).isEmpty)
        #expect(bench.gate.nextAdvance(now: bench.now) == nil)
        let decisions = bench.leave(slots[0])
        #expect(decisions == [.init(ticket: ticket, verdict: .success(slots[0]))])
        #expect(bench.state.inFlight == concurrency && bench.state.queued == 0)
    }

    @Test("The more urgent goes first, then who came first")
    func order() throws {
        var bench = Bench(Restraint(concurrency: 1))
        let slot = try bench.enter()
        let priorities: [PageRequest.Priority] = [.readAhead, .bulk, .interactive, .bulk, .interactive, .readAhead]
        let tickets = try priorities.map { try bench.wait($0) }
        var order: [RequestTicket] = []
        for _ in tickets { order += bench.leave(slot).map(\.ticket) }
        #expect(order == [2, 4, 1, 3, 0, 5].map { tickets[$0] })
    }

    @Test("Whoever leaves the queue is not served, and its slot goes to the next", arguments: 0..<4)
    func withdrawal(leaving: Int) throws {
        var bench = Bench(Restraint(concurrency: 1))
        let slot = try bench.enter()
        var tickets: [RequestTicket] = []
        for _ in 0..<4 { tickets.append(try bench.wait()) }
        let hasLeft = bench.gate.withdraw(tickets[leaving])
        let again = bench.gate.withdraw(tickets[leaving])
        #expect(hasLeft && !again)
        tickets.remove(at: leaving)
        for ticket in tickets { #expect(bench.leave(slot).map(\.ticket) == [ticket]) }
        #expect(bench.leave(slot).isEmpty && bench.state.inFlight == 0)
    }

    @Test("Past its deadline nobody is sent")
    func deadlines() throws {
        var bench = Bench(Restraint(concurrency: 1))
        #expect(bench.admit(deadline: bench.now) == .refused(.late))
        let slot = try bench.enter()
        let late = try bench.wait(deadline: bench.now + .seconds(5))
        let inTime = try bench.wait(deadline: bench.now + .seconds(6))
        bench.now += .seconds(5)
        #expect(
            bench.leave(slot) == [
                .init(ticket: late, verdict: .failure(.late)), .init(ticket: inTime, verdict: .success(slot)),
            ])
    }

    @Test("After a 429 nothing is sent for as long as the instance said, or a second", arguments: [nil, 0, 3, 5])
    func coolDown(seconds: Int?) throws {
        var bench = Bench(Restraint(concurrency: 2))
        let start = bench.now
        try bench.request(.limited(seconds.map { .seconds($0) }))
        let wait = Duration.seconds(seconds ?? 1)
        guard wait > .zero else {
            _ = try bench.enter()
            return
        }
        #expect(
            bench.state
                == GateState(passage: .cooling, since: bench.now, inFlight: 0, queued: 0, retryAfter: wait))
        let ticket = try bench.wait()
        #expect(bench.gate.nextAdvance(now: bench.now) == start + wait)
        bench.now = start + wait - .milliseconds(1)
        #expect(bench.gate.advance(now: bench.now).isEmpty)
        bench.now = start + wait
        #expect(bench.gate.advance(now: bench.now).map(\.ticket) == [ticket])
        #expect(bench.state.passage == .ok && bench.state.since == start + wait)
    }

    @Test(
        "A cool-down longer than callers may wait refuses them, those in the queue too", arguments: [6, 3600, 1 << 40])
    func longCoolDown(seconds: Int) throws {
        var bench = Bench(Restraint(concurrency: 1))
        let slot = try bench.enter()
        let ticket = try bench.wait()
        let wait = Duration.seconds(min(seconds, 3600))
        #expect(
            bench.leave(slot, .limited(.seconds(seconds)))
                == [.init(ticket: ticket, verdict: .failure(.limited(retryAfter: wait)))])
        #expect(bench.admit() == .refused(.limited(retryAfter: wait)))
        bench.now += wait - .seconds(5)
        #expect(bench.gate.nextAdvance(now: bench.now) == nil)
        _ = try bench.wait()
        #expect(bench.gate.nextAdvance(now: bench.now) == bench.now + .seconds(5))
    }

    @Test("With a maxRetryAfter of 0 nobody waits for a rate limit, and everybody for a slot")
    func impatience() throws {
        var bench = Bench(Restraint(concurrency: 1, maxRetryAfter: .zero))
        let slot = try bench.enter()
        _ = try bench.wait()
        #expect(bench.leave(slot).count == 1)
        _ = bench.leave(slot, .limited(.seconds(1)))
        #expect(bench.admit() == .refused(.limited(retryAfter: .seconds(1))))
    }

    @Test("The configured requests per hour are a bucket that fills evenly", arguments: [1, 60, 3600])
    func bucket(requestsPerHour: Int) throws {
        var bench = Bench(Restraint(requestsPerHour: requestsPerHour, maxRetryAfter: .zero))
        for _ in 0..<requestsPerHour { try bench.request() }
        let interval = Duration.seconds(3600.0 / Double(requestsPerHour))
        guard case .refused(.limited(let wait)) = bench.admit() else {
            Issue.record("let through")
            return
        }
        #expect(abs(wait / .seconds(1) - interval / .seconds(1)) < 0.001)
        #expect(bench.state.passage == .cooling)
        bench.now += wait
        try bench.request()
        #expect(bench.admit() != .enters(RequestSlot(index: 0)))
    }

    @Test("Callers wait for as many tokens as come in time, in their order, and one more is refused")
    func bucketQueue() throws {
        var bench = Bench(Restraint(requestsPerHour: 1800, maxRetryAfter: .seconds(5)))
        for _ in 0..<1800 { try bench.request() }
        let tickets = [try bench.wait(), try bench.wait()]
        #expect(bench.admit() == .refused(.limited(retryAfter: .seconds(6))))
        var served: [RequestTicket] = []
        for _ in tickets {
            bench.now = try #require(bench.gate.nextAdvance(now: bench.now))
            served += bench.gate.advance(now: bench.now).map(\.ticket)
        }
        #expect(served == tickets)
        #expect(abs((bench.now - .seconds(100)) / .seconds(1) - 4) < 0.001)
    }

    @Test(
        "The instance's own limit is counted with it, up to its reset",
        arguments: [(3, nil, 3), (1, nil, 1), (100, 0, 1), (3, 100, 3)] as [(Int, Int?, Int)])
    func allowance(limit: Int, remaining: Int?, allowed: Int) throws {
        var bench = Bench()
        let start = bench.now
        for second in 0..<allowed {
            bench.now = start + .seconds(second)
            // The reset is told in whole seconds and wobbles.
            let allowance = RateAllowance(
                limit: limit, remaining: remaining, resetsIn: .seconds(1000 - second + second % 2))
            try bench.request(.answered, allowance)
        }
        guard case .refused(.limited(let wait)) = bench.admit() else {
            Issue.record("let through")
            return
        }
        #expect(bench.now + wait == start + .seconds(1000))
        #expect(bench.state.passage == .cooling)
        bench.now += wait
        try bench.request(.answered, RateAllowance(limit: 100, resetsIn: .seconds(3600)))
        try bench.request()
    }

    @Test(
        "The last quarter of what is allowed is not spent on what nobody waits for", arguments: [4, 10, 100],
        [false, true])
    func scarcity(limit: Int, isOwnLimit: Bool) throws {
        var bench = Bench(Restraint(requestsPerHour: isOwnLimit ? limit : nil))
        let allowance = isOwnLimit ? nil : RateAllowance(limit: limit, resetsIn: .seconds(1000))
        try bench.request(.answered, allowance)
        var ahead = 0
        while case .enters(let slot) = bench.admit(.readAhead) {
            _ = bench.leave(slot, .answered, allowance)
            ahead += 1
        }
        guard case .refused(.limited) = bench.admit(.readAhead) else {
            Issue.record("read ahead")
            return
        }
        let left = limit - 1 - ahead
        #expect(left >= limit / 4 && left <= limit / 4 + 1)
        for _ in 0..<left { try bench.request(.answered, allowance) }
        guard case .refused(.limited) = bench.admit() else {
            Issue.record("more than the limit")
            return
        }
    }

    @Test(
        "What waits to be read ahead is given up once little is allowed, unless somebody waits for it",
        arguments: [false, true])
    func scarcityInQueue(isRaised: Bool) throws {
        var bench = Bench(Restraint(concurrency: 1))
        let slot = try bench.enter()
        let ticket = try bench.wait(.readAhead)
        if isRaised { bench.gate.raise(ticket, to: .interactive) }
        let decisions = bench.leave(slot, .answered, RateAllowance(limit: 8, remaining: 2, resetsIn: .seconds(9)))
        #expect(
            decisions.map(\.verdict)
                == [isRaised ? .success(slot) : .failure(.limited(retryAfter: .seconds(9)))])
        #expect(decisions.map(\.ticket) == [ticket])
    }

    @Test("A refusal that names an earlier end of the count is believed")
    func earlierReset() throws {
        var bench = Bench()
        try bench.request(.answered, RateAllowance(limit: 100, resetsIn: .seconds(3600)))
        try bench.request(.limited(.seconds(1)), RateAllowance(limit: 100, resetsIn: .seconds(1)))
        #expect(bench.state.retryAfter == .seconds(1))
        bench.now += .seconds(1)
        try bench.request()
    }

    @Test("Each of the instance's rules has a count of its own")
    func rules() throws {
        var bench = Bench()
        for _ in 0..<3 {
            try bench.request(.answered, RateAllowance(limit: 4, resetsIn: .seconds(900), rule: "a"))
            try bench.request(.answered, RateAllowance(limit: 100, resetsIn: .seconds(900), rule: "b"))
        }
        try bench.request(.answered, RateAllowance(limit: 4, resetsIn: .seconds(900), rule: "a"))
        #expect(bench.admit() == .refused(.limited(retryAfter: .seconds(900))))
    }

    @Test("A circuit opens after so many failures in a row, and then nobody is sent", arguments: [1, 2, 5])
    func circuit(failures: Int) throws {
        var bench = Bench(
            Restraint(concurrency: failures + 1, circuit: Restraint.Circuit(failures: failures, open: .seconds(10))))
        for _ in 0..<failures - 1 { try bench.request(.failed) }
        try bench.request(.answered)
        for _ in 0..<failures - 1 { try bench.request(.failed) }
        let slots = try (0...failures).map { _ in try bench.enter() }
        let ticket = try bench.wait()
        #expect(
            bench.leave(slots[0], .failed)
                == [.init(ticket: ticket, verdict: .failure(.unavailable(retryAfter: .seconds(10))))])
        #expect(
            bench.state
                == GateState(
                    passage: .open, since: bench.now, inFlight: failures, queued: 0, retryAfter: .seconds(10)))
        bench.now += .seconds(4)
        #expect(bench.admit() == .refused(.unavailable(retryAfter: .seconds(6))))
        // What was under way fails as well, which opens nothing anew.
        for slot in slots.dropFirst() { _ = bench.leave(slot, .failed) }
        #expect(bench.state.retryAfter == .seconds(6))
    }

    @Test("A circuit of 0 failures never opens")
    func noCircuit() throws {
        var bench = Bench(Restraint(circuit: Restraint.Circuit(failures: 0)))
        for _ in 0..<1000 { try bench.request(.failed) }
        #expect(bench.state.passage == .ok)
    }

    @Test(
        "After an open circuit's time one request at a time is let through, and its end decides",
        arguments: [RequestOutcome.answered, .failed, .limited(.seconds(2)), .unknown])
    func probe(outcome: RequestOutcome) throws {
        var bench = Bench(Restraint(circuit: Restraint.Circuit(failures: 1, open: .seconds(10))))
        let old = try bench.enter()
        try bench.request(.failed)
        bench.now += .seconds(10)
        let halfOpen = bench.now
        #expect(bench.state == GateState(passage: .probing, since: halfOpen, inFlight: 1, queued: 0, retryAfter: nil))
        let probe = try bench.enter()
        #expect(bench.admit() == .refused(.unavailable(retryAfter: nil)))
        bench.now += .seconds(1)
        #expect(bench.state == GateState(passage: .probing, since: halfOpen, inFlight: 2, queued: 0, retryAfter: nil))
        // A request from before tells nothing new by failing.
        _ = bench.leave(old, .failed)
        #expect(bench.admit() == .refused(.unavailable(retryAfter: nil)))
        _ = bench.leave(probe, outcome)
        switch outcome {
        case .answered:
            #expect(bench.state.passage == .ok && bench.state.since == bench.now)
            _ = (try bench.enter(), try bench.enter())
        case .limited: #expect(bench.state.passage == .cooling)
        case .failed:
            #expect(bench.state.passage == .open && bench.state.since == bench.now)
            #expect(bench.admit() == .refused(.unavailable(retryAfter: .seconds(10))))
        case .unknown: _ = try bench.enter()
        }
    }

    @Test("Any answer closes an open circuit, that of an old request too")
    func recovery() throws {
        var bench = Bench(Restraint(circuit: Restraint.Circuit(failures: 1)))
        let old = try bench.enter()
        try bench.request(.failed)
        #expect(bench.state.passage == .open)
        _ = bench.leave(old, .answered)
        #expect(bench.state.passage == .ok)
        _ = try bench.enter()
    }

    @Test("Repetitions are a few without an answer, and then half as many as answers")
    func budget() throws {
        var bench = Bench(Restraint(circuit: Restraint.Circuit(failures: 0)))
        func repetitions() -> Int { (0..<100).filter { _ in bench.gate.takeRetry() }.count }
        #expect(repetitions() == 20)
        for _ in 0..<10 { try bench.request(.failed) }
        #expect(repetitions() == 0)
        for _ in 0..<10 { try bench.request(.answered) }
        #expect(repetitions() == 5)
        for _ in 0..<1000 { try bench.request(.answered) }
        #expect(repetitions() == 20)
    }

    @Test("A closed gate sends everybody away")
    func closed() throws {
        var bench = Bench(Restraint(concurrency: 1))
        let slot = try bench.enter()
        let ticket = try bench.wait()
        bench.gate.close()
        #expect(
            bench.gate.advance(now: bench.now) == [.init(ticket: ticket, verdict: .failure(.stopped))])
        #expect(bench.admit() == .refused(.stopped))
        #expect(bench.leave(slot).isEmpty && bench.state.inFlight == 0)
    }

    @Test("Whatever happens, no slot is lost or given twice, and nobody is forgotten", arguments: 0..<200)
    func property(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let concurrency = Int.random(in: 1...6, using: &random)
        var bench = Bench(
            Restraint(
                concurrency: concurrency, requestsPerHour: Bool.random(using: &random) ? 3600 : nil,
                circuit: Restraint.Circuit(failures: Int.random(in: 0...4, using: &random), open: .seconds(3))))
        var held: Set<RequestSlot> = []
        var waiting: Set<RequestTicket> = []
        func settle(_ decisions: [InstanceGate.Decision]) {
            for decision in decisions {
                #expect(waiting.remove(decision.ticket) != nil)
                if case .success(let slot) = decision.verdict { #expect(held.insert(slot).inserted) }
            }
        }
        for _ in 0..<400 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4:
                settle(bench.gate.advance(now: bench.now))
                let priority = PageRequest.Priority(rawValue: Int.random(in: 0...2, using: &random)) ?? .bulk
                let deadline = bench.now + .seconds(Int.random(in: 0...8, using: &random))
                switch bench.admit(priority, deadline: deadline) {
                case .enters(let slot): #expect(held.insert(slot).inserted)
                case .waits(let ticket): #expect(waiting.insert(ticket).inserted)
                case .refused: break
                }
            case 4..<7:
                let slots = held.sorted { $0.index < $1.index }
                guard let slot = slots.randomElement(using: &random) else { continue }
                held.remove(slot)
                let outcomes: [RequestOutcome] = [
                    .answered, .answered, .failed, .unknown, .limited(nil), .limited(.seconds(7)),
                ]
                let outcome = outcomes.randomElement(using: &random) ?? .answered
                let allowance = RateAllowance(
                    limit: Int.random(in: 1...30, using: &random), resetsIn: .seconds(20))
                settle(bench.leave(slot, outcome, Bool.random(using: &random) ? allowance : nil))
            case 7:
                let tickets = waiting.sorted { $0.number < $1.number }
                guard let ticket = tickets.randomElement(using: &random) else { continue }
                waiting.remove(ticket)
                let hasLeft = bench.gate.withdraw(ticket)
                #expect(hasLeft)
            default:
                bench.now += .milliseconds(Int.random(in: 0...2000, using: &random))
                settle(bench.gate.advance(now: bench.now))
            }
            #expect(bench.state.inFlight == held.count && held.count <= concurrency)
            #expect(bench.state.queued == waiting.count)
            // Whoever waits, waits for a slot or for a moment that is known.
            let next = bench.gate.nextAdvance(now: bench.now)
            #expect(waiting.isEmpty || held.count == concurrency || next != nil)
        }
        bench.now += .seconds(4000)
        settle(bench.gate.advance(now: bench.now))
        while let slot = held.popFirst() { settle(bench.leave(slot, .answered)) }
        #expect(waiting.isEmpty && bench.state.inFlight == 0)
    }
}
