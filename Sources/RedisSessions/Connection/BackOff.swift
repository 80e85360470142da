/// How long to rest before the next attempt to connect: longer each time, and never the same for two who lost the server at
/// the same moment.
struct BackOff {
    private static let shortest = 25
    private static let longest = 2000
    private var attempts = 0

    /// Begins anew: the server was there.
    mutating func reset() {
        attempts = 0
    }

    /// The next rest, between half and the whole of 25 ms, 50 ms, 100 ms and so on up to two seconds.
    mutating func next(using generator: inout some RandomNumberGenerator) -> Duration {
        let whole = min(Self.longest, Self.shortest << min(attempts, 10))
        attempts += 1
        return .milliseconds(Int.random(in: whole / 2...whole, using: &generator))
    }

    /// The next rest.
    mutating func next() -> Duration {
        var generator = SystemRandomNumberGenerator()
        return next(using: &generator)
    }
}
