internal import SQLite

/// A piece of SQL with the values of its parameters. The text is made of this target's own words and of names from the
/// catalog alone; whatever a caller sent is a value.
struct SQLFragment: Equatable, Sendable {
    /// The SQL, with a `?` for each value.
    var text: String
    /// The values, in the order of the marks.
    var values: [SQLiteValue] = []

    /// A condition that every row meets.
    static let always = SQLFragment(text: "1")
    /// A condition that no row meets.
    static let never = SQLFragment(text: "0")

    /// Joins conditions with AND or OR. The joins are nested by halves: SQLite refuses expressions deeper than 1000.
    static func joined(_ parts: [SQLFragment], by word: String) -> SQLFragment? {
        guard parts.count > 1 else { return parts.first }
        let middle = parts.count / 2
        guard let left = joined(Array(parts[..<middle]), by: word),
            let right = joined(Array(parts[middle...]), by: word)
        else { return nil }
        return SQLFragment(text: "(\(left.text) \(word) \(right.text))", values: left.values + right.values)
    }
}
