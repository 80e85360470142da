public import Pagination

/// All restraint toward one instance as one value: slots, the queue in front of them, rate limits, the circuit breaker and
/// the budget of repetitions. It has no clock and no task; whoever holds it tells the time and does what it decides.
///
/// Times are durations since any fixed moment.
public struct InstanceGate: Sendable {
    /// What becomes of a request that asks to be sent.
    public enum Admission: Sendable, Equatable {
        /// It is sent now.
        case enters(RequestSlot)
        /// It waits for a decision about its ticket.
        case waits(RequestTicket)
        /// It is not sent.
        case refused(Refusal)
    }

    /// Why a request is not sent.
    public enum Refusal: Error, Sendable, Equatable {
        /// A rate limit would take too long to wait for.
        case limited(retryAfter: Duration)
        /// The instance is left alone after repeated failure; `nil` while a probe is under way.
        case unavailable(retryAfter: Duration?)
        /// Its deadline has passed.
        case late
        /// It was withdrawn, or the gate is closed.
        case stopped
    }

    /// What has become of a request that waited.
    public struct Decision: Sendable, Equatable {
        /// Which one.
        public let ticket: RequestTicket
        /// Whether it is sent now.
        public let verdict: Result<RequestSlot, Refusal>
    }

    /// How long an instance is let alone that allows no more requests and does not say for how long.
    private static let defaultCoolDown = Duration.seconds(1)
    /// The longest rate limit that is believed: instances count by the hour.
    private static let longestCoolDown = Duration.seconds(3600)

    private let restraint: Restraint
    private var freeSlots: [Int]
    private var waiting = WaitingRequests()
    private var bucket: TokenBucket?
    private var windows = AllowanceWindows()
    private var circuit: CircuitBreaker
    private var budget = RetryBudget()
    private var coolsUntil: Duration
    private var coolsSince: Duration
    private var isClosed = false

    /// An open gate to an instance about which nothing is known.
    public init(_ restraint: Restraint, now: Duration) {
        self.restraint = restraint
        // Taken from the end: the lowest one first, then whichever was used last.
        freeSlots = (0..<max(1, restraint.concurrency)).reversed()
        bucket = restraint.requestsPerHour.map { TokenBucket(requestsPerHour: max(1, $0), now: now) }
        circuit = CircuitBreaker(restraint.circuit, now: now)
        coolsUntil = now
        coolsSince = now
    }

    /// Decides about a newcomer. To be called when `advance` has nothing to decide at that time.
    public mutating func admit(
        _ priority: PageRequest.Priority, deadline: Duration, now: Duration
    ) -> Admission {
        guard !isClosed else { return .refused(.stopped) }
        let passage = circuit.passage(now)
        if case .shut(let wait) = passage { return .refused(.unavailable(retryAfter: wait)) }
        guard deadline > now else { return .refused(.late) }
        let wait = limit(for: waiting.count(before: priority) + 1, now: now)
        guard wait <= restraint.maxRetryAfter else { return .refused(.limited(retryAfter: wait)) }
        if let scarcity = scarcity(for: priority, now: now) { return .refused(scarcity) }
        if wait == .zero, waiting.isEmpty, let slot = takeSlot(now: now) { return .enters(slot) }
        guard passage == .clear else { return .refused(.unavailable(retryAfter: wait == .zero ? nil : wait)) }
        return .waits(waiting.append(priority, deadline: deadline))
    }

    /// Decides about those who wait, as far as that is possible at that time.
    public mutating func advance(now: Duration) -> [Decision] {
        guard !waiting.isEmpty else { return [] }
        var decisions: [Decision] = []
        while !waiting.isEmpty {
            if isClosed { return decisions + refuseAll(.stopped) }
            let passage = circuit.passage(now)
            if case .shut(let wait) = passage { return decisions + refuseAll(.unavailable(retryAfter: wait)) }
            let wait = limit(for: 1, now: now)
            if wait > restraint.maxRetryAfter { return decisions + refuseAll(.limited(retryAfter: wait)) }
            guard wait == .zero, !freeSlots.isEmpty else { return decisions }
            guard let entry = waiting.popFirst() else { return decisions }
            if entry.deadline <= now {
                decisions.append(Decision(ticket: entry.ticket, verdict: .failure(.late)))
            } else if let scarcity = scarcity(for: entry.priority, now: now) {
                decisions.append(Decision(ticket: entry.ticket, verdict: .failure(scarcity)))
            } else if let slot = takeSlot(now: now) {
                decisions.append(Decision(ticket: entry.ticket, verdict: .success(slot)))
            }
        }
        return decisions
    }

    /// When `advance` may decide something for no other reason than the time; `nil` where nobody waits for that.
    public func nextAdvance(now: Duration) -> Duration? {
        guard !waiting.isEmpty else { return nil }
        let wait = limit(for: 1, now: now)
        return wait == .zero ? nil : now + wait
    }

    /// Puts a request that waits before all that are less urgent than that.
    public mutating func raise(_ ticket: RequestTicket, to priority: PageRequest.Priority) {
        waiting.raise(ticket, to: priority)
    }

    /// Takes a request out of the queue; `false` where it has been decided about already.
    public mutating func withdraw(_ ticket: RequestTicket) -> Bool {
        waiting.remove(ticket)
    }

    /// Takes a slot back and learns from how its request ended; `advance` then knows who comes next.
    public mutating func report(_ report: RequestReport, of slot: RequestSlot, now: Duration) {
        freeSlots.append(slot.index)
        circuit.note(report.outcome, of: slot.index, now: now)
        if report.outcome == .answered { budget.deposit() }
        // One was counted when the slot was taken.
        if report.requests != 1 { bucket?.take(report.requests - 1, now: now) }
        var isSpent = false
        if case .limited(let wait) = report.outcome {
            isSpent = true
            cool(until: now + min(wait ?? Self.defaultCoolDown, Self.longestCoolDown), now: now)
        }
        if let allowance = report.allowance {
            windows.note(allowance, isSpent: isSpent, now: now)
        }
        coolIfSpent(now: now)
    }

    /// Whether a failed request may be repeated. Each yes is counted.
    public mutating func takeRetry() -> Bool {
        budget.take()
    }

    /// Refuses everybody from now on; `advance` sends away who waits.
    public mutating func close() {
        isClosed = true
    }

    /// How the instance is doing.
    public func state(now: Duration) -> GateState {
        let isCooling = coolsUntil > now
        var state = GateState(
            passage: isCooling ? .cooling : .ok, since: isCooling ? coolsSince : max(circuit.since, coolsUntil),
            inFlight: max(1, restraint.concurrency) - freeSlots.count, queued: waiting.count,
            retryAfter: isCooling ? coolsUntil - now : nil)
        let passage = circuit.passage(now)
        if passage == .clear { return state }
        state.since = circuit.since(now)
        if case .shut(let wait?) = passage {
            (state.passage, state.retryAfter) = (.open, wait)
        } else {
            (state.passage, state.retryAfter) = (.probing, nil)
        }
        return state
    }

    private mutating func takeSlot(now: Duration) -> RequestSlot? {
        guard let index = freeSlots.popLast() else { return nil }
        if circuit.passage(now) == .probe { circuit.begin(probe: index, now: now) }
        bucket?.take(now: now)
        coolIfSpent(now: now)
        return RequestSlot(index: index)
    }

    /// How long the rate limits hold back the next, or the next but so many.
    private func limit(for count: Int, now: Duration) -> Duration {
        let cooling = coolsUntil > now ? coolsUntil - now : .zero
        return max(cooling, bucket?.wait(for: count, now: now) ?? .zero, windows.wait(now: now))
    }

    /// Why nothing is read ahead: the last quarter of what a rate limit allows is for requests that somebody waits for.
    private func scarcity(for priority: PageRequest.Priority, now: Duration) -> Refusal? {
        guard priority == .readAhead else { return nil }
        let wait = max(bucket?.waitForMore(than: 0.25, now: now) ?? .zero, windows.wait(now: now, sparing: 0.25))
        return wait > .zero ? .limited(retryAfter: wait) : nil
    }

    /// A limit that is spent is a cool-down like the one after a 429.
    private mutating func coolIfSpent(now: Duration) {
        let wait = max(bucket?.wait(for: 1, now: now) ?? .zero, windows.wait(now: now))
        if wait > .zero { cool(until: now + wait, now: now) }
    }

    private mutating func cool(until moment: Duration, now: Duration) {
        guard moment > coolsUntil else { return }
        if coolsUntil <= now { coolsSince = now }
        coolsUntil = moment
    }

    private mutating func refuseAll(_ refusal: Refusal) -> [Decision] {
        var decisions: [Decision] = []
        while let entry = waiting.popFirst() {
            decisions.append(Decision(ticket: entry.ticket, verdict: .failure(refusal)))
        }
        return decisions
    }
}
