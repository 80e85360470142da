public import Pagination

/// Where requests to one instance ask for permission. Implemented in this process by `LocalGate`; replicas can share one.
public protocol RequestGate: Sendable {
    /// Waits until a request may be sent.
    ///
    /// Whoever gets a slot gives it back with `leave`, however the request ends.
    /// - Parameter deadline: until when to wait, by the gate's clock.
    /// - Throws: `PageSourceError.unavailable` while the instance is left alone, `.rateLimited` where its limit would
    ///   take too long to wait for, `.timedOut` past the deadline, `.stopping` for a cancelled task or a closed gate.
    func enter(_ urgency: RequestUrgency, deadline: Duration) async throws(PageSourceError) -> RequestSlot

    /// Hears that an urgency has grown: the request that waits with it, if there is one, goes before those that are less
    /// urgent now.
    func raise(_ urgency: RequestUrgency)

    /// Gives a slot back and tells how its request ended.
    func leave(_ slot: RequestSlot, _ report: RequestReport) async

    /// Whether a failed request may be repeated, by what the instance is still good for. Each yes is counted.
    func takeRetry() async -> Bool
}

extension RequestGate {
    /// Waits until a request may be sent that stays as urgent as that; see above.
    public func enter(
        _ priority: PageRequest.Priority, deadline: Duration
    ) async throws(PageSourceError) -> RequestSlot {
        try await enter(RequestUrgency(priority), deadline: deadline)
    }
}

/// The permission to have one request under way.
public struct RequestSlot: Sendable, Hashable {
    /// Which of the instance's slots, from 0 on. It carries one request at a time, so that what must not be used by two
    /// requests at once, such as a jar of cookies, can be kept by slot.
    public let index: Int
}

/// How a request ended, as far as it tells something of the instance.
public enum RequestOutcome: Sendable, Equatable {
    /// The instance answered, be it with an error of the query's own, or at least began to.
    case answered
    /// No connection, no answer until the time was up, or a status from 500 on.
    case failed
    /// It allows no more requests (429), for that long where it said so.
    case limited(Duration?)
    /// Nothing was learnt: the request was not sent, or its caller went away.
    case unknown
}

/// What a request has shown of its instance.
public struct RequestReport: Sendable, Equatable {
    /// How it ended.
    public var outcome: RequestOutcome
    /// What the answer said about the instance's own limit.
    public var allowance: RateAllowance?
    /// How many requests the slot really carried, one after the other: credentials may have had to be got first.
    public var requests: Int

    /// Makes a report.
    public init(_ outcome: RequestOutcome, allowance: RateAllowance? = nil, requests: Int = 1) {
        self.outcome = outcome
        self.allowance = allowance
        self.requests = requests
    }
}
