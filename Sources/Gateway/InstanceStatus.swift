public import Clocks

/// How an instance is doing, as `GET /instances` shows it.
public struct InstanceStatus: Sendable, Equatable {
    /// What the service lets through to the instance.
    public enum State: String, Sendable {
        /// Everything.
        case ok
        /// Nothing until the instance's rate limit is over.
        case cooling
        /// Nothing, after repeated failure.
        case open
        /// One request, to see whether the instance is back.
        case probing
    }

    /// The configured name.
    public var name: String
    /// What is let through.
    public var state: State
    /// Since when.
    public var since: Timestamp
    /// The requests that the instance has not answered yet.
    public var inFlight: Int
    /// The requests that wait to be sent.
    public var queued: Int
    /// The seconds until more is let through, where that is known.
    public var retryAfter: Int?

    /// Makes a status.
    public init(name: String, state: State, since: Timestamp, inFlight: Int, queued: Int, retryAfter: Int?) {
        self.name = name
        self.state = state
        self.since = since
        self.inFlight = inFlight
        self.queued = queued
        self.retryAfter = retryAfter
    }
}
