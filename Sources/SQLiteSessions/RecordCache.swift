import Pagination
import Sessions

/// The records that were read or written last, with their pages, so that a session that is in use is not read from the file.
///
/// Two generations: what is looked at moves to the younger one, and when that is full the older one goes.
struct RecordCache {
    /// What a record takes apart from its rows, roughly.
    private static let recordBytes = 1024

    private let bytesPerGeneration: Int
    private var young: [SessionID: SessionRecord] = [:]
    private var old: [SessionID: SessionRecord] = [:]
    private var youngBytes = 0

    /// Remembers about so many bytes of rows, and some records in any case.
    init(bytes: Int) {
        bytesPerGeneration = max(bytes, 2 << 20) / 2
    }

    /// What is remembered of a session.
    mutating func record(_ id: SessionID) -> SessionRecord? {
        if let record = young[id] { return record }
        guard let record = old.removeValue(forKey: id) else { return nil }
        put(record)
        return record
    }

    /// Remembers a session as it stands in the file.
    mutating func put(_ record: SessionRecord) {
        let bytes = Self.bytes(of: record)
        // Alone larger than a generation, it would only push out the others.
        guard bytes <= bytesPerGeneration else { return remove(record.id) }
        if youngBytes + bytes > bytesPerGeneration {
            old = young
            young = [:]
            youngBytes = 0
        }
        youngBytes += bytes - (young.updateValue(record, forKey: record.id).map(Self.bytes) ?? 0)
    }

    /// Forgets a session.
    mutating func remove(_ id: SessionID) {
        old[id] = nil
        if let record = young.removeValue(forKey: id) { youngBytes -= Self.bytes(of: record) }
    }

    /// Forgets all.
    mutating func removeAll() {
        self = RecordCache(bytes: 2 * bytesPerGeneration)
    }

    private static func bytes(of record: SessionRecord) -> Int {
        guard case .page(let page) = record.keptPage else { return recordBytes }
        return recordBytes + page.rows.byteCount + page.rows.count * MemoryLayout<Range<Int>>.stride
    }
}
