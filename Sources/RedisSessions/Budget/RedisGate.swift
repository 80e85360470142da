internal import Locks
public import Pagination
public import TableAPI

/// A gate to an instance that replicas share: how many requests are under way, how many an hour has, and when the instance is
/// left alone holds for all of them together. Whoever has a slot of its replica's own gate waits in one row with those of the
/// others; who waits for such a slot does so by the order of its replica.
///
/// While the Redis server is away each replica keeps the limits for itself.
public final class RedisGate: RequestGate {
    private let local: LocalGate
    private let budget: SharedBudget
    private let restraint: Restraint
    /// By slot, each of which carries one request at a time.
    private let permits = Lock<[Int: SharedBudget.Permit]>([:])

    /// The rests between two questions while as many requests are under way as may be, in milliseconds: shorter ones for
    /// those whose turn comes with one of the requests that are under way now.
    private static let rests = (soon: 3...9, later: 10...30)

    /// A gate to the instance of that name.
    ///
    /// - Parameter local: this replica's own gate, under the same restraint.
    public init(_ local: LocalGate, name: String, restraint: Restraint, client: RedisClient) {
        self.local = local
        self.restraint = restraint
        budget = SharedBudget(client, name: name, restraint: restraint)
    }

    /// Waits until a request may be sent; see `RequestGate`.
    public func enter(
        _ urgency: RequestUrgency, deadline: Duration
    ) async throws(PageSourceError) -> RequestSlot {
        var permit = budget.permit()
        while true {
            let slot: RequestSlot
            do throws(PageSourceError) {
                slot = try await local.enter(urgency, deadline: deadline)
            } catch {
                budget.withdraw(permit)
                throw error
            }
            guard let refusal = await ask(&permit, urgency, deadline: deadline) else {
                permits.withLock { [permit] in $0[slot.index] = permit }
                return slot
            }
            // It was not sent, so nothing was spent.
            await local.leave(slot, RequestReport(refusal.outcome, requests: 0))
            if let error = refusal.error {
                budget.withdraw(permit)
                throw error
            }
        }
    }

    /// Why a request that has a slot is not sent, and what this replica's gate has to know; without an error it asks again.
    private struct Refusal {
        var outcome: RequestOutcome
        var error: PageSourceError?
    }

    private func ask(
        _ permit: inout SharedBudget.Permit, _ urgency: RequestUrgency, deadline: Duration
    ) async -> Refusal? {
        while true {
            let wait: Duration
            var isFull = false
            switch await budget.acquire(&permit, for: urgency.priority) {
            case .granted, .away: return nil
            case .cooling(let rest):
                // The own gate waits or refuses, as if the instance had said so here.
                return Refusal(outcome: .limited(.milliseconds(rest)))
            case .spent(let rest):
                wait = .milliseconds(rest)
                guard wait <= restraint.maxRetryAfter else {
                    return Refusal(outcome: .unknown, error: .rateLimited(nil, retryAfter: wholeSeconds(wait)))
                }
            case .full(let ahead):
                let rests = ahead < max(1, restraint.concurrency) ? Self.rests.soon : Self.rests.later
                wait = .milliseconds(Int.random(in: rests))
                isFull = true
            }
            guard local.clock.uptime() + wait < deadline else {
                return Refusal(outcome: .unknown, error: .timedOut(nil))
            }
            do {
                try await local.clock.sleep(wait)
            } catch {
                return Refusal(outcome: .unknown, error: .stopping)
            }
            // What is less urgent leaves its slot to whatever is more urgent here, which would not even be in the row.
            if isFull, urgency.priority != .interactive { return Refusal(outcome: .unknown) }
        }
    }

    /// Hears that an urgency has grown; see `RequestGate`.
    public func raise(_ urgency: RequestUrgency) {
        local.raise(urgency)
    }

    /// Gives a slot back; see `RequestGate`.
    public func leave(_ slot: RequestSlot, _ report: RequestReport) async {
        if let permit = permits.withLock({ $0.removeValue(forKey: slot.index) }) {
            await budget.release(permit, report)
        }
        await local.leave(slot, report)
    }

    /// Whether a failed request may be repeated; see `RequestGate`.
    public func takeRetry() async -> Bool {
        await local.takeRetry()
    }
}
