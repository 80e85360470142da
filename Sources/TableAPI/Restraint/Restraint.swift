/// How much is asked of an instance at most, and how long a caller is made to wait for it.
public struct Restraint: Sendable, Equatable {
    /// When an instance that keeps failing is left alone.
    public struct Circuit: Sendable, Equatable {
        /// After how many failures in a row: connection failures, statuses from 500 on, silence until the time was up.
        /// 0: never.
        public var failures: Int
        /// For how long, before one request is let through to see whether the instance is back.
        public var open: Duration

        /// Makes a rule.
        public init(failures: Int = 5, open: Duration = .seconds(10)) {
            self.failures = failures
            self.open = open
        }
    }

    /// The requests that are on their way at once, ≥ 1.
    public var concurrency: Int
    /// The requests of an hour, ≥ 1; `nil`: as many as the instance itself allows.
    public var requestsPerHour: Int?
    /// The time that one fetch may take in all: waiting, every attempt and the waits between them.
    public var deadline: Duration
    /// The attempts that may follow the first one, ≥ 0.
    public var retries: Int
    /// The longest wait for a rate limit; what would take longer is refused at once.
    public var maxRetryAfter: Duration
    /// When an instance that keeps failing is left alone.
    public var circuit: Circuit

    /// Makes a set of limits.
    public init(
        concurrency: Int = 8, requestsPerHour: Int? = nil, deadline: Duration = .seconds(180), retries: Int = 4,
        maxRetryAfter: Duration = .seconds(5), circuit: Circuit = Circuit()
    ) {
        self.concurrency = concurrency
        self.requestsPerHour = requestsPerHour
        self.deadline = deadline
        self.retries = retries
        self.maxRetryAfter = maxRetryAfter
        self.circuit = circuit
    }
}
