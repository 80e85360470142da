/// Prepared statements by their SQL text; past the capacity the one unused for longest goes.
struct StatementCache {
    private let capacity: Int
    private var entries: [String: (statement: SQLiteStatement, lastUse: UInt64)] = [:]
    private var uses: UInt64 = 0

    /// Makes an empty cache.
    init(capacity: Int) {
        self.capacity = capacity
    }

    /// The kept statement for that text, unless it is running at this moment.
    mutating func idleStatement(for sql: String) -> SQLiteStatement? {
        guard let entry = entries[sql], !entry.statement.isRunning else { return nil }
        uses += 1
        entries[sql]?.lastUse = uses
        return entry.statement
    }

    /// Keeps a statement; one that is there for the same text goes once it has run.
    mutating func insert(_ statement: SQLiteStatement, for sql: String) {
        guard capacity > 0 else { return }
        if entries.count >= capacity, entries[sql] == nil,
            let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse })
        {
            entries[oldest.key] = nil
        }
        uses += 1
        entries[sql] = (statement, uses)
    }

    /// Forgets all.
    mutating func removeAll() {
        entries.removeAll()
    }
}
