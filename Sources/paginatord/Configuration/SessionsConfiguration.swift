/// How sessions are kept.
struct SessionsConfiguration: Sendable {
    /// Where they live.
    var store = SessionStoreKind.memory
    /// How long an unused session lives, where its creator does not say.
    var idleTimeout: Duration = .seconds(15 * 60)
    /// The most that its creator may say.
    var maxIdleTimeout: Duration = .seconds(24 * 3600)
    /// The most sessions at once.
    var maxTotal = 100_000
    /// How many bytes of pages are kept to be sent again.
    var replayMemory = 256 << 20
    /// The largest page, in bytes, that is kept.
    var replayPageBytes = 1 << 20
}

/// The kinds of session store.
enum SessionStoreKind: String, Sendable, CaseIterable {
    /// In this process; sessions end with it.
    case memory
}

extension SessionsConfiguration {
    /// Takes `sessions`.
    init(in root: inout ConfigurationSection) {
        var section = root.section("sessions")
        store = section.value("store", .choice(), default: store)
        idleTimeout = section.value(
            "idleTimeout", .duration(.seconds(1)...(.seconds(365 * 86_400))), default: idleTimeout)
        maxIdleTimeout = section.value(
            "maxIdleTimeout", .duration(.seconds(1)...(.seconds(365 * 86_400))), default: maxIdleTimeout)
        maxTotal = section.value("maxTotal", .integer(1...100_000_000), default: maxTotal)
        replayMemory = section.value("replayMemory", .size(0...1 << 44), default: replayMemory)
        replayPageBytes = section.value("replayPageBytes", .size(0...1 << 31), default: replayPageBytes)
        if idleTimeout > maxIdleTimeout {
            section.complain("idleTimeout", "must not be longer than maxIdleTimeout")
        }
        section.finish()
    }
}
