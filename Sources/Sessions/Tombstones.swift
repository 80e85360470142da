import Clocks

/// The sessions that ended within the last hour, so that their owners hear "expired" and not "unknown".
struct Tombstones {
    /// Past this many the oldest are forgotten early: about 100 MB at the most.
    private static let limit = 1_000_000
    private var owners: [SessionID: String] = [:]
    private var order: [(id: SessionID, time: Timestamp)] = []
    private var oldest = 0

    /// Whose the session was.
    func owner(of id: SessionID) -> String? {
        owners[id]
    }

    /// Keeps a tombstone.
    mutating func add(_ id: SessionID, owner: String, at now: Timestamp) {
        owners[id] = owner
        order.append((id, now))
        if owners.count > Self.limit { forgetOldest() }
    }

    /// Forgets those set before that time.
    mutating func forget(before time: Timestamp) {
        while oldest < order.count, order[oldest].time < time { forgetOldest() }
        guard oldest > 1024, oldest > order.count / 2 else { return }
        order.removeFirst(oldest)
        oldest = 0
    }

    private mutating func forgetOldest() {
        owners[order[oldest].id] = nil
        oldest += 1
    }
}
