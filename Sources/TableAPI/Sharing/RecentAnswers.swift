import Pagination

/// Answers that are kept for a while, within a number of bytes: whichever was not asked for the longest has to go first.
struct RecentAnswers {
    private struct Entry {
        var answer: PageAnswer
        var bytes: Int
        var end: Duration
        var stamp: Int
    }

    private struct Use {
        var key: FetchKey
        var stamp: Int
    }

    /// What an entry takes beside its rows and its URL, generously.
    static let overhead = 512

    private let maxBytes: Int
    private let timeToLive: Duration
    private var entries: [FetchKey: Entry] = [:]
    /// Every use, in order. Only the last one of an entry counts, which has its stamp.
    private var uses: [Use] = []
    private var firstUse = 0
    private var latestStamp = 0
    /// The bytes of all that is kept.
    private(set) var bytes = 0

    /// Keeps nothing yet.
    init(timeToLive: Duration, maxBytes: Int) {
        self.timeToLive = timeToLive
        self.maxBytes = maxBytes
    }

    /// How many answers there are, those included whose time is up and that nobody has asked for since.
    var count: Int { entries.count }

    /// The answer, if there is one whose time is not up.
    mutating func answer(for key: FetchKey, now: Duration) -> PageAnswer? {
        guard let entry = entries[key] else { return nil }
        guard entry.end > now else {
            remove(key)
            return nil
        }
        let stamp = use(key)
        entries[key]?.stamp = stamp
        compact()
        return entry.answer
    }

    /// Keeps an answer, from now on.
    mutating func keep(_ answer: PageAnswer, for key: FetchKey, now: Duration) {
        remove(key)
        let size = Self.size(of: answer, key)
        // One that has no room by itself shall not cost the others theirs.
        guard size <= maxBytes else { return }
        bytes += size
        let stamp = use(key)
        entries[key] = Entry(answer: answer, bytes: size, end: now + timeToLive, stamp: stamp)
        while firstUse < uses.count {
            let use = uses[firstUse]
            if let entry = entries[use.key], entry.stamp == use.stamp {
                guard bytes > maxBytes || entry.end <= now else { break }
                remove(use.key)
            }
            firstUse += 1
        }
        compact()
    }

    /// What an answer counts for.
    static func size(of answer: PageAnswer, _ key: FetchKey) -> Int {
        answer.rows.byteCount + answer.rows.count * MemoryLayout<Range<Int>>.stride + key.url.text.utf8.count
            + key.holder.utf8.count + overhead
    }

    private mutating func use(_ key: FetchKey) -> Int {
        latestStamp += 1
        uses.append(Use(key: key, stamp: latestStamp))
        return latestStamp
    }

    private mutating func remove(_ key: FetchKey) {
        if let entry = entries.removeValue(forKey: key) { bytes -= entry.bytes }
    }

    /// Clears the uses that count no more once they are the larger part.
    private mutating func compact() {
        guard uses.count > 2 * entries.count + 64 else { return }
        uses = uses[firstUse...].filter { entries[$0.key]?.stamp == $0.stamp }
        firstUse = 0
    }
}
