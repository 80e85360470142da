import Locks
public import Pagination

/// A gate in this process: an `InstanceGate` behind a lock, and the tasks that wait at it.
///
/// A lock and not an actor, so that a request that need not wait stays on its thread and its state can be read at any
/// time. Nothing is timed while nobody waits; of those who wait each sleeps until its own deadline, and one of them until
/// the moment at which the gate can go on by itself.
public final class LocalGate: RequestGate {
    /// The clock that deadlines and `state` are told by.
    public let clock: RequestClock

    private struct State {
        var gate: InstanceGate
        var tasks = WaitingTasks()
        /// The requests that wait and could become more urgent.
        var raisable: [ObjectIdentifier: RequestTicket] = [:]

        /// Decides about those for whom the time has come, and tells them.
        mutating func advance(now: Duration, _ calls: inout [WaitingTasks.Call]) {
            for decision in gate.advance(now: now) { tasks.tell(decision.ticket, .decided(decision.verdict), &calls) }
            tasks.setAlarm(gate.nextAdvance(now: now), now: now, &calls)
        }
    }

    private let state: Lock<State>

    /// An open gate.
    public init(_ restraint: Restraint, clock: RequestClock = .system) {
        self.clock = clock
        state = Lock(State(gate: InstanceGate(restraint, now: clock.uptime())))
    }

    /// How the instance is doing now.
    public var current: GateState {
        let now = clock.uptime()
        return state.withLock { $0.gate.state(now: now) }
    }

    /// Waits until a request may be sent; see `RequestGate`.
    public func enter(
        _ urgency: RequestUrgency, deadline: Duration
    ) async throws(PageSourceError) -> RequestSlot {
        let now = clock.uptime()
        var calls: [WaitingTasks.Call] = []
        let admission = state.withLock { state in
            // The time may have come for somebody who has not woken up yet.
            state.advance(now: now, &calls)
            // The urgency is looked at under the lock that `raise` takes, too, so what grows is seen here or there.
            let admission = state.gate.admit(urgency.priority, deadline: deadline, now: now)
            if case .waits(let ticket) = admission {
                state.tasks.expect(ticket)
                if let id = urgency.id { state.raisable[id] = ticket }
                state.tasks.setAlarm(state.gate.nextAdvance(now: now), now: now, &calls)
            }
            return admission
        }
        resume(calls)
        switch admission {
        case .enters(let slot): return slot
        case .refused(let refusal): throw PageSourceError(refusal)
        case .waits(let ticket):
            defer { if let id = urgency.id { state.withLock { _ = $0.raisable.removeValue(forKey: id) } } }
            do throws(InstanceGate.Refusal) {
                return try await wait(with: ticket, deadline: deadline).get()
            } catch {
                throw PageSourceError(error)
            }
        }
    }

    /// Puts the request that waits with that urgency in its new place; see `RequestGate`.
    public func raise(_ urgency: RequestUrgency) {
        guard let id = urgency.id else { return }
        state.withLock { state in
            guard let ticket = state.raisable[id] else { return }
            state.gate.raise(ticket, to: urgency.priority)
        }
    }

    /// Gives a slot back; see `RequestGate`.
    public func leave(_ slot: RequestSlot, _ report: RequestReport) async {
        change { state, now, _ in state.gate.report(report, of: slot, now: now) }
    }

    /// Whether a failed request may be repeated; see `RequestGate`.
    public func takeRetry() async -> Bool {
        state.withLock { $0.gate.takeRetry() }
    }

    /// Sends away whoever waits, and whoever comes from now on.
    public func close() {
        change { state, _, _ in state.gate.close() }
    }

    private func wait(
        with ticket: RequestTicket, deadline: Duration
    ) async -> Result<RequestSlot, InstanceGate.Refusal> {
        await withTaskCancellationHandler {
            while true {
                switch state.withLock({ $0.tasks.step(ticket) }) {
                case .end(let verdict): return verdict
                case .wait(let alarm):
                    async let _ = watch(ticket, until: min(alarm ?? deadline, deadline), deadline: deadline)
                    if case .decided(let verdict) = await news(for: ticket) { return verdict }
                }
            }
        } onCancel: {
            withdraw(ticket, because: .stopped)
        }
    }

    /// Waits for the next news of a ticket.
    private func news(for ticket: RequestTicket) async -> WaitingTasks.News {
        await withCheckedContinuation { continuation in
            let news = state.withLock { $0.tasks.suspend(ticket, continuation) }
            if let news { continuation.resume(returning: news) }
        }
    }

    /// Sleeps for somebody who waits, and then looks at what the time has changed.
    private func watch(_ ticket: RequestTicket, until moment: Duration, deadline: Duration) async {
        do throws(CancellationError) {
            try await clock.sleep(max(.zero, moment - clock.uptime()))
        } catch {
            return
        }
        guard deadline > clock.uptime() else { return withdraw(ticket, because: .late) }
        change { _, _, _ in }
        // It has to sleep again, for another reason.
        var calls: [WaitingTasks.Call] = []
        state.withLock { $0.tasks.tell(ticket, .alarmChanged, &calls) }
        resume(calls)
    }

    private func withdraw(_ ticket: RequestTicket, because refusal: InstanceGate.Refusal) {
        change { state, _, calls in
            if state.gate.withdraw(ticket) { state.tasks.tell(ticket, .decided(.failure(refusal)), &calls) }
        }
    }

    /// Changes something and decides about those for whom that makes a difference.
    private func change(_ body: (inout State, Duration, inout [WaitingTasks.Call]) -> Void) {
        let now = clock.uptime()
        var calls: [WaitingTasks.Call] = []
        state.withLock { state in
            body(&state, now, &calls)
            state.advance(now: now, &calls)
        }
        resume(calls)
    }

    private func resume(_ calls: [WaitingTasks.Call]) {
        for call in calls { call.continuation.resume(returning: call.news) }
    }
}

extension PageSourceError {
    /// What it means for a page that its request was not sent.
    init(_ refusal: InstanceGate.Refusal) {
        switch refusal {
        case .limited(let wait): self = .rateLimited(nil, retryAfter: wholeSeconds(wait))
        case .unavailable(let wait): self = .unavailable(nil, retryAfter: wait.map { wholeSeconds($0) })
        case .late: self = .timedOut(nil)
        case .stopped: self = .stopping
        }
    }
}

/// The seconds of a wait, rounded up, so that whoever comes back then does not come too early.
package func wholeSeconds(_ duration: Duration) -> Int {
    let (seconds, fraction) = duration.components
    return Int(seconds) + (fraction > 0 ? 1 : 0)
}
