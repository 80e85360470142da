/// How an instance is doing, by the clock of its gate.
public struct GateState: Sendable, Equatable {
    /// What is let through to the instance.
    public enum Passage: Sendable {
        /// Everything.
        case ok
        /// Nothing until a rate limit is over.
        case cooling
        /// Nothing, after repeated failure.
        case open
        /// One request, to see whether the instance is back.
        case probing
    }

    /// What is let through.
    public var passage: Passage
    /// Since when.
    public var since: Duration
    /// The requests under way.
    public var inFlight: Int
    /// The requests that wait.
    public var queued: Int
    /// How long until more is let through, where that is known.
    public var retryAfter: Duration?

    /// Makes a state.
    public init(passage: Passage, since: Duration, inFlight: Int, queued: Int, retryAfter: Duration?) {
        self.passage = passage
        self.since = since
        self.inFlight = inFlight
        self.queued = queued
        self.retryAfter = retryAfter
    }
}
