/// One owner's sessions in the order of their opening.
struct OwnedSessions {
    private var entries: [(sequence: Int, id: SessionID?)] = []
    private(set) var count = 0

    /// Adds the session that was opened last.
    mutating func append(_ id: SessionID, sequence: Int) {
        entries.append((sequence, id))
        count += 1
    }

    /// Takes a session out. Its place stays as a hole until half of all places are holes.
    mutating func remove(sequence: Int) {
        let index = firstIndex(from: sequence)
        guard index < entries.count, entries[index].sequence == sequence, entries[index].id != nil else { return }
        entries[index].id = nil
        count -= 1
        if entries.count > 2 * count + 16 { entries.removeAll { $0.id == nil } }
    }

    /// The sessions opened before the one with that sequence, or all of them; the newest first.
    func ids(before sequence: Int?) -> some Sequence<SessionID> {
        let end = sequence.map { firstIndex(from: $0) } ?? entries.count
        return entries[..<end].reversed().lazy.compactMap(\.id)
    }

    private func firstIndex(from sequence: Int) -> Int {
        var range = 0..<entries.count
        while !range.isEmpty {
            let middle = range.lowerBound + range.count / 2
            range =
                entries[middle].sequence < sequence
                ? middle + 1..<range.upperBound : range.lowerBound..<middle
        }
        return range.lowerBound
    }
}
