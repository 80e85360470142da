/// What one caller, or all of them, may use.
struct LimitsConfiguration: Sendable {
    /// The most connections at once.
    var connections = 10_000
    /// The most requests of one access token that are under way.
    var requestsPerToken = 256
    /// The largest body of a request, in bytes.
    var requestBody = 1 << 20
    /// The largest head of a request, in bytes.
    var requestHead = 32 << 10
    /// How long a request's head may take.
    var headTimeout: Duration = .seconds(10)
    /// How long a request's body may take.
    var bodyTimeout: Duration = .seconds(30)
    /// How long a connection may be idle.
    var idleTimeout: Duration = .seconds(60)
    /// How long a caller may take for the next part of an answer.
    var stallTimeout: Duration = .seconds(30)
    /// How many moves may wait for their turn in one session.
    var waitingMoves = 16
}

extension LimitsConfiguration {
    /// Takes `limits`.
    init(in root: inout ConfigurationSection) {
        var section = root.section("limits")
        connections = section.value("connections", .integer(1...1_000_000), default: connections)
        requestsPerToken = section.value("requestsPerToken", .integer(1...1_000_000), default: requestsPerToken)
        requestBody = section.value("requestBody", .size(0...1 << 30), default: requestBody)
        requestHead = section.value("requestHead", .size(1024...1 << 24), default: requestHead)
        // The connections are looked at twice a second.
        let time = SettingKind.duration(.milliseconds(500)...(.seconds(86_400)))
        headTimeout = section.value("headTimeout", time, default: headTimeout)
        bodyTimeout = section.value("bodyTimeout", time, default: bodyTimeout)
        idleTimeout = section.value("idleTimeout", .duration(.seconds(1)...(.seconds(86_400))), default: idleTimeout)
        stallTimeout = section.value("stallTimeout", time, default: stallTimeout)
        waitingMoves = section.value("waitingMoves", .integer(0...100_000), default: waitingMoves)
        section.finish()
    }
}
