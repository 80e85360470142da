/// Leaves an instance alone that keeps failing, and lets one request at a time find out whether it is back.
struct CircuitBreaker: Sendable {
    /// Who may pass.
    enum Passage: Equatable {
        /// Everybody.
        case clear
        /// Whoever comes next, alone.
        case probe
        /// Nobody, for that long; unknown while a probe is under way.
        case shut(Duration?)
    }

    private enum State {
        case closed(failures: Int)
        case open(until: Duration)
        case probing(slot: Int)
    }

    private let rule: Restraint.Circuit
    private var state = State.closed(failures: 0)
    /// Since when the passage is as it is; while an open circuit waits for its probe, since when it waits.
    private(set) var since: Duration

    init(_ rule: Restraint.Circuit, now: Duration) {
        self.rule = rule
        since = now
    }

    /// Who may pass now.
    func passage(_ now: Duration) -> Passage {
        switch state {
        case .closed: .clear
        case .open(let until): until > now ? .shut(until - now) : .probe
        case .probing: .shut(nil)
        }
    }

    /// Since when it is `passage`.
    func since(_ now: Duration) -> Duration {
        if case .open(let until) = state, until <= now { return until }
        return since
    }

    /// Notes that the request of that slot is the probe.
    mutating func begin(probe slot: Int, now: Duration) {
        since = since(now)
        state = .probing(slot: slot)
    }

    /// Takes note of how the request of a slot ended.
    mutating func note(_ outcome: RequestOutcome, of slot: Int, now: Duration) {
        switch (outcome, state) {
        case (.answered, .closed), (.limited, .closed): state = .closed(failures: 0)
        // Whichever request it was: the instance answers again.
        case (.answered, _), (.limited, _):
            state = .closed(failures: 0)
            since = now
        case (.failed, .closed(let failures)):
            state = .closed(failures: failures + 1)
            if rule.failures > 0, failures + 1 >= rule.failures { open(now) }
        case (.failed, .probing(slot)): open(now)
        // Nothing was learnt: the next one tries.
        case (.unknown, .probing(slot)): state = .open(until: now)
        // Requests from before the circuit opened tell nothing new by failing.
        case (.failed, .open), (.failed, .probing), (.unknown, _): break
        }
    }

    private mutating func open(_ now: Duration) {
        state = .open(until: now + rule.open)
        since = now
    }
}
