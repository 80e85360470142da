internal import SQLite

/// Conditions that compare a field with values.
extension QueryTranslator {
    /// No text field of this instance is longer, so longer values need no search. SQLite's own limit for patterns is
    /// 50,000 bytes.
    private static let longestText = 20000

    // MARK: Equality

    /// Whether the field has one of the values; an empty one means the empty field.
    func oneOf(_ field: ScopedField, _ operands: [String]) -> SQLFragment {
        let found = member(field, values(of: operands, field.field.type), isPositive: true)
        guard operands.contains("") else { return found ?? .never }
        let empty = field.expression.followed(by: " IS NULL")
        return found.flatMap { SQLFragment.joined([$0, empty], by: "OR") } ?? empty
    }

    /// Whether the field has none of the values.
    func noneOf(_ field: ScopedField, _ operands: [String]) -> SQLFragment {
        let value = field.expression
        let other = member(field, values(of: operands, field.field.type), isPositive: false)
        if operands.contains("") {
            let full = value.followed(by: " IS NOT NULL")
            return other.flatMap { SQLFragment.joined([$0, full], by: "AND") } ?? full
        }
        guard let other else { return .always }
        return SQLFragment(text: "(\(other.text) OR \(value.text) IS NULL)", values: other.values + value.values)
    }

    /// Whether the field has a value, or shows it: the label of a choice, or the name of the record that it leads to.
    mutating func shows(_ field: ScopedField, _ path: String, _ operand: String) -> SQLFragment {
        let lowered = operand.lowercased()
        var alternatives = [oneOf(field, [operand])]
        switch field.field.type {
        case .choice(let labels):
            let values = labels.filter { $0.value.lowercased() == lowered }.keys.sorted()
            alternatives.append(oneOf(field, values))
        case .integerChoice(let labels):
            let values = labels.filter { $0.value.lowercased() == lowered }.keys.sorted()
            alternatives.append(oneOf(field, values.map(String.init)))
        case .reference:
            if !operand.isEmpty, let display = scope.display(of: path) {
                alternatives.append(oneOf(display, [operand]))
            }
        default: break
        }
        return SQLFragment.joined(alternatives, by: "OR") ?? .never
    }

    /// Whether the field's value is, or is not, in a list; `nil` for an empty list.
    private func member(_ field: ScopedField, _ values: [SQLiteValue], isPositive: Bool) -> SQLFragment? {
        guard !values.isEmpty else { return nil }
        let value = field.expression
        let marks = Array(repeating: "?", count: values.count).joined(separator: ", ")
        let collation = field.field.type.isText ? " COLLATE NOCASE" : ""
        let right: String
        if case .reference(let target) = field.field.type {
            guard let table = scope.catalog.table(named: target) else { return nil }
            right = "(SELECT id FROM \(table.storage) WHERE sys_id IN (\(marks)))"
        } else {
            right = "(\(marks))"
        }
        let isSingle = values.count == 1 && isPositive
        let comparison = isSingle ? "=" : isPositive ? "IN" : "NOT IN"
        return SQLFragment(
            text: "\(value.text)\(collation) \(comparison) \(right)", values: value.values + values)
    }

    /// The operands as values of that type, each once; those that no such field can have are left out.
    private func values(of operands: [String], _ type: FieldType) -> [SQLiteValue] {
        var seen: Set<SQLiteValue> = []
        return operands.filter { !$0.isEmpty }.compactMap { value(of: $0, type) }.filter { seen.insert($0).inserted }
    }

    // MARK: Order

    /// Whether the field is smaller or larger than a value.
    mutating func ordered(
        _ field: ScopedField, _ path: String, _ comparison: String, _ operand: String
    ) -> SQLFragment? {
        var field = field
        if case .reference = field.field.type {
            guard let display = scope.display(of: path) else { return .never }
            field = display
        }
        guard let limit = value(of: operand, field.field.type) else { return .never }
        if field.field.name == "sys_id", field.table.isSortedBySysID {
            return identifierOrdered(field, comparison, limit)
        }
        let collation = field.field.type.isText ? " COLLATE NOCASE" : ""
        let value = field.expression
        return SQLFragment(text: "\(value.text)\(collation) \(comparison) ?", values: value.values + [limit])
    }

    /// Where row numbers are in the order of the `sys_id`, they are compared instead, with the last one below the
    /// limit: that works with every index.
    private func identifierOrdered(_ field: ScopedField, _ comparison: String, _ limit: SQLiteValue) -> SQLFragment {
        let isBelow = comparison == "<" || comparison == ">="
        let last =
            "coalesce((SELECT i.id FROM \(field.table.storage) AS i WHERE i.sys_id \(isBelow ? "<" : "<=") ? "
            + "ORDER BY i.sys_id DESC LIMIT 1), 0)"
        let isAbove = comparison.hasPrefix(">")
        return SQLFragment(text: "\(field.alias).id \(isAbove ? ">" : "<=") \(last)", values: [limit])
    }

    // MARK: Texts

    /// Whether a text contains another one.
    func contains(_ value: SQLFragment, _ operand: String) -> SQLFragment {
        guard operand.utf8.count <= Self.longestText, !operand.utf8.contains(0) else { return .never }
        return SQLFragment(text: "text_contains(\(value.text), ?)", values: value.values + [.text(operand)])
    }

    /// Whether a text begins or ends with another one.
    func like(_ value: SQLFragment, _ before: String, _ operand: String, _ after: String) -> SQLFragment {
        guard operand.utf8.count <= Self.longestText, !operand.utf8.contains(0) else { return .never }
        var pattern = before
        for character in operand.unicodeScalars {
            if character == "%" || character == "_" || character == "\\" { pattern += "\\" }
            pattern.unicodeScalars.append(character)
        }
        return SQLFragment(text: "\(value.text) LIKE ? ESCAPE '\\'", values: value.values + [.text(pattern + after)])
    }

    /// The field's value as the text that the Table API shows; a reference's display value.
    mutating func text(of field: ScopedField, _ path: String) -> SQLFragment {
        let value = field.expression
        switch field.field.type {
        case .string, .choice, .foreignReference: return value
        case .integer, .integerChoice: return value.between("CAST(", " AS TEXT)")
        case .boolean: return value.between("CASE ", " WHEN 1 THEN 'true' WHEN 0 THEN 'false' END")
        case .dateTime: return value.between("strftime('%Y-%m-%d %H:%M:%S', ", ", 'unixepoch')")
        case .date: return value.between("strftime('%Y-%m-%d', ", ", 'unixepoch')")
        case .reference: return scope.display(of: path)?.expression ?? SQLFragment(text: "NULL")
        }
    }
}

extension FieldType {
    /// Whether SQLite keeps values as text.
    var isText: Bool {
        switch self {
        case .string, .choice, .foreignReference: true
        case .integer, .integerChoice, .boolean, .dateTime, .date, .reference: false
        }
    }

    /// Whether values are moments.
    var isMoment: Bool {
        switch self {
        case .dateTime, .date: true
        default: false
        }
    }
}
