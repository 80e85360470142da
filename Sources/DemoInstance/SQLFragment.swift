internal import SQLite

/// A piece of SQL with the values of its parameters. The text is made of this target's own words and of names from the
/// catalog alone; whatever a caller sent is a value.
struct SQLFragment: Hashable, Sendable {
    /// The SQL, with a `?` for each value.
    var text: String
    /// The values, in the order of the marks.
    var values: [SQLiteValue] = []

    /// A condition that every row meets.
    static let always = SQLFragment(text: "1")
    /// A condition that no row meets.
    static let never = SQLFragment(text: "0")

    /// The fragment with words before and after it.
    func between(_ before: String, _ after: String) -> SQLFragment {
        SQLFragment(text: before + text + after, values: values)
    }

    /// The fragment with words after it.
    func followed(by after: String) -> SQLFragment {
        between("", after)
    }

    /// The opposite of a condition, which also holds where a value is NULL.
    func negated(orNull value: SQLFragment) -> SQLFragment {
        SQLFragment(text: "(NOT (\(text)) OR \(value.text) IS NULL)", values: values + value.values)
    }

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
