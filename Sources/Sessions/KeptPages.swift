/// Which sessions keep the rows of a page, and which of them lose them when there are too many bytes: the pages that were
/// kept longest ago, since their repeat is the least likely to come.
package struct KeptPages: Sendable {
    private let budget: Int
    private var kept: [SessionID: (stamp: Int, bytes: Int)] = [:]
    private var order: [(id: SessionID, stamp: Int)] = []
    private var oldest = 0
    private var latestStamp = 0
    /// The bytes of all pages that are counted in.
    package private(set) var bytes = 0

    /// Keeps at most `budget` bytes.
    package init(budget: Int) {
        self.budget = budget
    }

    /// Counts a page in.
    ///
    /// - Returns: the sessions whose pages have to go, the one kept longest ago first; possibly the new one.
    package mutating func add(_ id: SessionID, bytes: Int) -> [SessionID] {
        remove(id)
        // One that has no room by itself shall not cost the others theirs.
        guard bytes <= budget else { return [id] }
        latestStamp += 1
        kept[id] = (latestStamp, bytes)
        order.append((id, latestStamp))
        self.bytes += bytes
        var dropped: [SessionID] = []
        while self.bytes > budget, oldest < order.count {
            let candidate = order[oldest]
            oldest += 1
            guard kept[candidate.id]?.stamp == candidate.stamp else { continue }
            remove(candidate.id)
            dropped.append(candidate.id)
        }
        compact()
        return dropped
    }

    /// Counts a page out.
    package mutating func remove(_ id: SessionID) {
        guard let entry = kept.removeValue(forKey: id) else { return }
        bytes -= entry.bytes
    }

    /// Pages that were replaced leave stale places behind; clears them once they are the larger part.
    private mutating func compact() {
        guard order.count - oldest > 2 * kept.count + 64 || oldest > 1024 else { return }
        order = order[oldest...].filter { kept[$0.id]?.stamp == $0.stamp }
        oldest = 0
    }
}
