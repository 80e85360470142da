internal import SQLite

/// Turns encoded queries into SQL over the columns of a table.
///
/// The rules, as instances follow them where that is known: texts compare without regard to case (here: of ASCII
/// letters); an operator that says "not" also finds empty fields; a condition on a field that does not exist is dropped,
/// and so is a group of which nothing is left; a reference compares as the `sys_id` with `=`, `!=` and IN, and by its
/// display value otherwise, which also orders it.
struct QueryTranslator {
    /// The tables that the query's dotted fields lead to are joined here.
    var scope: QueryScope

    /// No text field of this instance is longer, so longer values need no search. SQLite's own limit for patterns is
    /// 50,000 bytes.
    private static let longestText = 20000
    /// Far below the number of terms that SQLite takes.
    private static let maxOrders = 64

    /// Translates the restriction; `nil` where there is none.
    mutating func condition(_ query: EncodedQuery) -> SQLFragment? {
        var groups: [SQLFragment] = []
        for group in query.groups {
            var required: [SQLFragment] = []
            for alternatives in group.alternatives {
                var parts: [SQLFragment] = []
                for condition in alternatives.conditions {
                    if let part = self.condition(condition) { parts.append(part) }
                }
                if let joined = SQLFragment.joined(parts, by: "OR") { required.append(joined) }
            }
            if let joined = SQLFragment.joined(required, by: "AND") { groups.append(joined) }
        }
        return SQLFragment.joined(groups, by: "OR")
    }

    /// Translates the orders into terms of ORDER BY; unknown fields are dropped, and so are constant ones, which order
    /// nothing.
    mutating func orders(_ query: EncodedQuery) -> [String] {
        var terms: [String] = []
        for order in query.orders {
            let direction = order.isDescending ? "DESC" : "ASC"
            guard let field = scope.display(of: order.field) ?? scope.resolve(order.field) else { continue }
            guard case .column = field.field.content, terms.count < Self.maxOrders else { continue }
            terms.append("\(field.expression.text) \(direction)")
        }
        return terms
    }

    private mutating func condition(_ condition: EncodedQuery.Condition) -> SQLFragment? {
        guard let field = scope.resolve(condition.field) else { return nil }
        let value = field.expression
        let operand = condition.operand
        switch condition.comparison {
        case .anything: return .always
        case .isEmpty, .isEmptyText: return wrap(value, " IS NULL")
        case .isNotEmpty: return wrap(value, " IS NOT NULL")
        case .equals: return oneOf(field, [operand])
        case .differs: return noneOf(field, [operand])
        case .isOneOf: return oneOf(field, parts(of: operand, by: 0x2C))
        case .isNoneOf: return noneOf(field, parts(of: operand, by: 0x2C))
        case .less: return ordered(field, condition.field, "<", operand)
        case .lessOrEqual: return ordered(field, condition.field, "<=", operand)
        case .greater: return ordered(field, condition.field, ">", operand)
        case .greaterOrEqual: return ordered(field, condition.field, ">=", operand)
        case .between:
            let limits = parts(of: operand, by: 0x40)
            guard limits.count == 2, let low = ordered(field, condition.field, ">=", limits[0]),
                let high = ordered(field, condition.field, "<=", limits[1])
            else { return .never }
            return SQLFragment.joined([low, high], by: "AND")
        case .contains: return like(text(of: field, condition.field), "%", operand, "%")
        case .startsWith: return like(text(of: field, condition.field), "", operand, "%")
        case .endsWith: return like(text(of: field, condition.field), "%", operand, "")
        case .lacks:
            let value = text(of: field, condition.field)
            let found = like(value, "%", operand, "%")
            return SQLFragment(
                text: "(NOT \(found.text) OR \(value.text) IS NULL)", values: found.values + value.values)
        }
    }

    // MARK: Equality

    private func oneOf(_ field: ScopedField, _ operands: [String]) -> SQLFragment {
        let value = field.expression
        let found = member(field, values(of: operands, field.field.type), isPositive: true)
        // An empty operand means the empty field.
        guard operands.contains("") else { return found ?? .never }
        let empty = wrap(value, " IS NULL")
        return found.flatMap { SQLFragment.joined([$0, empty], by: "OR") } ?? empty
    }

    private func noneOf(_ field: ScopedField, _ operands: [String]) -> SQLFragment {
        let value = field.expression
        let other = member(field, values(of: operands, field.field.type), isPositive: false)
        if operands.contains("") {
            let full = wrap(value, " IS NOT NULL")
            return other.flatMap { SQLFragment.joined([$0, full], by: "AND") } ?? full
        }
        guard let other else { return .always }
        return SQLFragment(text: "(\(other.text) OR \(value.text) IS NULL)", values: other.values + value.values)
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
        return operands.filter { !$0.isEmpty }.compactMap { type.value(of: $0) }.filter { seen.insert($0).inserted }
    }

    // MARK: Order

    private mutating func ordered(
        _ field: ScopedField, _ path: String, _ comparison: String, _ operand: String
    ) -> SQLFragment? {
        var field = field
        if case .reference = field.field.type {
            guard let display = scope.display(of: path) else { return .never }
            field = display
        }
        guard let limit = field.field.type.value(of: operand) else { return .never }
        let collation = field.field.type.isText ? " COLLATE NOCASE" : ""
        let value = field.expression
        return SQLFragment(text: "\(value.text)\(collation) \(comparison) ?", values: value.values + [limit])
    }

    // MARK: Texts

    private func like(_ value: SQLFragment, _ before: String, _ operand: String, _ after: String) -> SQLFragment {
        guard operand.utf8.count <= Self.longestText, !operand.utf8.contains(0) else { return .never }
        var pattern = before
        for character in operand.unicodeScalars {
            if character == "%" || character == "_" || character == "\\" { pattern += "\\" }
            pattern.unicodeScalars.append(character)
        }
        return SQLFragment(text: "\(value.text) LIKE ? ESCAPE '\\'", values: value.values + [.text(pattern + after)])
    }

    /// The field's value as the text that the Table API shows; a reference's display value.
    private mutating func text(of field: ScopedField, _ path: String) -> SQLFragment {
        let value = field.expression
        switch field.field.type {
        case .string, .choice, .foreignReference: return value
        case .integer, .integerChoice: return wrap("CAST(", value, " AS TEXT)")
        case .boolean: return wrap("CASE ", value, " WHEN 1 THEN 'true' WHEN 0 THEN 'false' END")
        case .dateTime: return wrap("strftime('%Y-%m-%d %H:%M:%S', ", value, ", 'unixepoch')")
        case .reference: return scope.display(of: path)?.expression ?? SQLFragment(text: "NULL")
        }
    }

    private func wrap(_ before: String, _ value: SQLFragment, _ after: String) -> SQLFragment {
        SQLFragment(text: before + value.text + after, values: value.values)
    }

    private func wrap(_ value: SQLFragment, _ after: String) -> SQLFragment {
        wrap("", value, after)
    }

    private func parts(of operand: String, by separator: UInt8) -> [String] {
        operand.utf8.split(separator: separator, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }
}

extension FieldType {
    /// Whether SQLite keeps values as text.
    var isText: Bool {
        switch self {
        case .string, .choice, .foreignReference: true
        case .integer, .integerChoice, .boolean, .dateTime, .reference: false
        }
    }

    /// An operand as a value of this type; `nil` where it can be none. For references it is the `sys_id`.
    func value(of operand: String) -> SQLiteValue? {
        switch self {
        case .string, .choice, .foreignReference, .reference: return .text(operand)
        case .integer, .integerChoice: return Int64(operand).map { .integer($0) }
        case .boolean:
            switch operand.lowercased() {
            case "true", "1": return .integer(1)
            case "false", "0": return .integer(0)
            default: return nil
            }
        case .dateTime: return DateText.seconds(operand).map { .integer($0) }
        }
    }
}
