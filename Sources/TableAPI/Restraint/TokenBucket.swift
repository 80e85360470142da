/// Requests per hour, as a bucket of tokens that fills evenly: full at first, so that a pause leaves room for a burst.
struct TokenBucket: Sendable {
    private let capacity: Double
    private let tokensPerSecond: Double
    private var tokens: Double
    private var filledAt: Duration

    init(requestsPerHour: Int, now: Duration) {
        capacity = Double(requestsPerHour)
        tokensPerSecond = capacity / 3600
        tokens = capacity
        filledAt = now
    }

    /// Takes so many tokens; to be called when there is one. More than there are have to be waited for by whoever comes
    /// next; a negative number puts some back.
    mutating func take(_ count: Int = 1, now: Duration) {
        tokens = level(now) - Double(count)
        filledAt = max(filledAt, now)
    }

    /// How long until that many tokens are there.
    func wait(for count: Int, now: Duration) -> Duration {
        let missing = Double(count) - level(now)
        // A token that is all but whole counts: fractions of a second do not add up exactly.
        return missing <= 1e-6 ? .zero : .seconds(missing / tokensPerSecond)
    }

    /// How long until there is a token beyond that part of all there can be.
    func waitForMore(than part: Double, now: Duration) -> Duration {
        let missing = min(capacity, capacity * part + 1) - level(now)
        return missing <= 1e-6 ? .zero : .seconds(missing / tokensPerSecond)
    }

    private func level(_ now: Duration) -> Double {
        min(capacity, tokens + max(0, (now - filledAt) / .seconds(1)) * tokensPerSecond)
    }
}
