import Clocks

/// When to look at a session again: one place per session, in buckets of a second.
///
/// A session that was used meanwhile is found alive when its bucket is due, and gets a new place then; so using a session
/// costs nothing here.
struct ExpiryQueue {
    private var buckets: [Int: [SessionID]] = [:]

    /// Looks at the session once that time has come.
    mutating func add(_ id: SessionID, at time: Timestamp) {
        buckets[(time.milliseconds + 999) / 1000, default: []].append(id)
    }

    /// Takes out whoever is due.
    mutating func due(at now: Timestamp) -> [SessionID] {
        let second = now.milliseconds / 1000
        return buckets.keys.filter { $0 <= second }.sorted().flatMap { buckets.removeValue(forKey: $0) ?? [] }
    }
}
