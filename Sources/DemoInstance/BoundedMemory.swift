/// Answers kept by the SQL that gives them; past a bound those unused for longest go. The records never change, so
/// nothing kept is ever wrong.
struct BoundedMemory<Value> {
    private var entries: [SQLFragment: (value: Value, size: Int, lastUse: UInt64)] = [:]
    private var size = 0
    private var uses: UInt64 = 0
    private let bound: Int

    /// Makes an empty memory. The sizes of what it keeps add up to no more than the bound.
    init(bound: Int) {
        self.bound = bound
    }

    /// What is kept for a key.
    mutating func value(of key: SQLFragment) -> Value? {
        guard let entry = entries[key] else { return nil }
        uses += 1
        entries[key]?.lastUse = uses
        return entry.value
    }

    /// Keeps a value of a size, unless it alone is larger than a quarter of the bound. The key's own text counts too.
    mutating func keep(_ value: Value, size added: Int, for key: SQLFragment) {
        let added = added + 16 + key.text.utf8.count + key.values.count * 8
        guard added <= bound / 4, entries[key] == nil else { return }
        while size + added > bound, let oldest = entries.min(by: { $0.value.lastUse < $1.value.lastUse }) {
            size -= oldest.value.size
            entries[oldest.key] = nil
        }
        uses += 1
        size += added
        entries[key] = (value, added, uses)
    }
}
