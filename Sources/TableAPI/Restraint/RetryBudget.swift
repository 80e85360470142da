/// Repeated requests that an instance is still good for, shared by all callers, so that an outage does not multiply what
/// is asked of it: a few to begin with, and half of one for every answer.
struct RetryBudget: Sendable {
    private static let capacity = 20.0
    private static let perAnswer = 0.5
    private var left = Self.capacity

    /// Notes an answer.
    mutating func deposit() {
        left = min(Self.capacity, left + Self.perAnswer)
    }

    /// Takes one repetition, if there is one.
    mutating func take() -> Bool {
        guard left >= 1 else { return false }
        left -= 1
        return true
    }
}
