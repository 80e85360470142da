/// What the registry allows.
public struct SessionConfiguration: Sendable {
    /// How many sessions there may be.
    public var limits: SessionLimits
    /// How many moves of one session may wait for their turn.
    public var waitingMoves: Int
    /// The room for pages that were read ahead, of all sessions together, in bytes.
    public var readAheadMemory: Int
    /// How old a page that was read ahead may be when it is delivered.
    public var readAheadMaxAge: Duration

    /// Makes a configuration.
    public init(
        limits: SessionLimits = SessionLimits(perOwner: nil, total: 100_000), waitingMoves: Int = 16,
        readAheadMemory: Int = 256 << 20, readAheadMaxAge: Duration = .seconds(30)
    ) {
        self.limits = limits
        self.waitingMoves = waitingMoves
        self.readAheadMemory = readAheadMemory
        self.readAheadMaxAge = readAheadMaxAge
    }
}
