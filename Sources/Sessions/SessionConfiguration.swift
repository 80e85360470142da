/// What the registry allows.
public struct SessionConfiguration: Sendable {
    /// How many sessions there may be.
    public var limits: SessionLimits
    /// How many moves of one session may wait for their turn.
    public var waitingMoves: Int

    /// Makes a configuration.
    public init(limits: SessionLimits = SessionLimits(perOwner: nil, total: 100_000), waitingMoves: Int = 16) {
        self.limits = limits
        self.waitingMoves = waitingMoves
    }
}
