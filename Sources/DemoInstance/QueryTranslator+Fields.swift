internal import SQLite

/// Conditions that compare a field with another field. Where the two cannot be compared they are invalid.
extension QueryTranslator {
    /// Whether two fields have the same value, and the opposite; with `field@unit` whether they lie in the same one.
    mutating func sameness(
        _ field: ScopedField, _ operand: String
    ) -> (condition: SQLFragment, opposite: SQLFragment)? {
        let parts = Self.parts(of: operand, by: 0x40)
        guard let first = parts.first, let other = scope.resolve(first), areComparable(field, other) else { return nil }
        var left = field.expression
        var right = other.expression
        if parts.count == 2 {
            guard field.field.type.isMoment, let unit = CalendarUnit(name: parts[1]) else { return nil }
            left = Self.number(of: unit, left)
            right = Self.number(of: unit, right)
        } else if parts.count > 2 {
            return nil
        }
        let collation = field.field.type.isText ? " COLLATE NOCASE" : ""
        let same = SQLFragment(text: "\(left.text)\(collation) = \(right.text)", values: left.values + right.values)
        return (same, same.between("NOT coalesce(", ", 0)"))
    }

    /// Whether the field is smaller or larger than another.
    mutating func compared(_ field: ScopedField, _ comparison: String, _ operand: String) -> SQLFragment? {
        guard let other = scope.resolve(operand), areComparable(field, other) else { return nil }
        if case .reference = field.field.type { return nil }
        let (left, right) = (field.expression, other.expression)
        let collation = field.field.type.isText ? " COLLATE NOCASE" : ""
        return SQLFragment(
            text: "\(left.text)\(collation) \(comparison) \(right.text)", values: left.values + right.values)
    }

    /// `field@unit@before@number`: how far the moment lies before, or after, that of another field.
    mutating func span(_ field: ScopedField, _ operand: String, isMore: Bool) -> SQLFragment? {
        let parts = Self.parts(of: operand, by: 0x40)
        guard parts.count == 4, let other = scope.resolve(parts[0]), field.field.type.isMoment,
            other.field.type.isMoment, let length = CalendarUnit(name: parts[1])?.seconds,
            ["before", "after"].contains(parts[2]), let count = Int64(parts[3]), (0...100_000).contains(count)
        else { return nil }
        let (earlier, later) =
            parts[2] == "before" ? (field.expression, other.expression) : (other.expression, field.expression)
        let distance = SQLFragment(text: "(\(later.text) - \(earlier.text))", values: later.values + earlier.values)
        let limit = SQLiteValue.integer(count * length)
        if isMore { return SQLFragment(text: "\(distance.text) > ?", values: distance.values + [limit]) }
        return SQLFragment(
            text: "(\(distance.text) >= 0 AND \(distance.text) < ?)",
            values: distance.values + distance.values + [limit])
    }

    private func areComparable(_ left: ScopedField, _ right: ScopedField) -> Bool {
        switch (left.field.type, right.field.type) {
        case (.reference(let first), .reference(let second)):
            guard let first = scope.catalog.table(named: first), let second = scope.catalog.table(named: second) else {
                return false
            }
            return first.storage == second.storage
        case (.reference, _), (_, .reference): return false
        case (let first, let second): return first.isText == second.isText && first.isMoment == second.isMoment
        }
    }

    /// A number that moments have in common which lie in the same unit.
    private static func number(of unit: CalendarUnit, _ moment: SQLFragment) -> SQLFragment {
        switch unit {
        case .minute, .hour, .day: moment.between("", " / \(unit.seconds ?? 1)")
        case .week: moment.between("(", " / 86400 + 3) / 7")
        case .month: moment.between("strftime('%Y%m', ", ", 'unixepoch')")
        case .year: moment.between("strftime('%Y', ", ", 'unixepoch')")
        case .quarter:
            SQLFragment(
                text: "strftime('%Y', \(moment.text), 'unixepoch') * 4 "
                    + "+ (strftime('%m', \(moment.text), 'unixepoch') + 2) / 3",
                values: moment.values + moment.values)
        }
    }
}
