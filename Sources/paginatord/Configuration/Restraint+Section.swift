import TableAPI

extension Restraint {
    private static let durations = Duration.milliseconds(1)...Duration.seconds(3600)

    /// Takes how much an instance is asked at most.
    init(in section: inout ConfigurationSection) {
        self.init()
        concurrency = section.value("concurrency", .integer(1...1024), default: concurrency)
        requestsPerHour = section.value("requestsPerHour", .integer(1...1_000_000_000))
        deadline = section.value("deadline", .duration(Self.durations), default: deadline)
        retries = section.value("retries", .integer(0...100), default: retries)
        maxRetryAfter = section.value(
            "maxRetryAfter", .duration(.zero...Self.durations.upperBound), default: maxRetryAfter)
        var rule = section.section("circuit")
        circuit.failures = rule.value("failures", .integer(0...1000), default: circuit.failures)
        circuit.open = rule.value("open", .duration(Self.durations), default: circuit.open)
        rule.finish()
    }
}
