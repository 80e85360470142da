import Clocks

/// When to look at a session again: one place per session, in buckets of a second.
///
/// A session that was used meanwhile is found alive when its bucket is due, and gets a new place then; so using a session
/// costs nothing here. Nor does closing one: its place is found to be nobody's, or goes when there are too many such.
struct ExpiryQueue {
    private var buckets: [Int: [SessionID]] = [:]
    /// The number of places.
    private(set) var count = 0

    /// Looks at the session once that time has come.
    mutating func add(_ id: SessionID, at time: Timestamp) {
        buckets[Self.second(of: time), default: []].append(id)
        count += 1
    }

    /// When the next session ends, up to a second: one of those that end in the same second. Whoever was used meanwhile
    /// gets a new place on the way, so that a second question costs next to nothing.
    ///
    /// - Parameter expiry: when a session really ends; `nil` where there is no such session any more.
    mutating func nearest(_ expiry: (SessionID) -> Timestamp?) -> Timestamp? {
        while let second = buckets.keys.min() {
            while let id = buckets[second]?.last {
                let time = expiry(id)
                if let time, Self.second(of: time) <= second { return time }
                buckets[second]?.removeLast()
                count -= 1
                if let time { add(id, at: time) }
            }
            buckets[second] = nil
        }
        return nil
    }

    /// Takes out whoever is due.
    mutating func due(at now: Timestamp) -> [SessionID] {
        let second = now.milliseconds / 1000
        let due = buckets.keys.filter { $0 <= second }.sorted().flatMap { buckets.removeValue(forKey: $0) ?? [] }
        count -= due.count
        return due
    }

    /// Gives up the places of those who need none any more.
    mutating func keep(where isNeeded: (SessionID) -> Bool) {
        buckets = buckets.mapValues { $0.filter(isNeeded) }.filter { !$0.value.isEmpty }
        count = buckets.values.reduce(0) { $0 + $1.count }
    }

    private static func second(of time: Timestamp) -> Int {
        (time.milliseconds + 999) / 1000
    }
}
