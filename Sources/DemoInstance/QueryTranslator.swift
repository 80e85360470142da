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
    /// The moment that counts as now, in seconds since 1970.
    let present: Int64

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
    /// nothing. Behind a reference a constant still tells the records that it leads to from none.
    mutating func orders(_ query: EncodedQuery) -> [OrderTerm] {
        var terms: [OrderTerm] = []
        for order in query.orders {
            guard let field = scope.display(of: order.field) ?? scope.resolve(order.field),
                terms.count < Self.maxOrders
            else { continue }
            guard let name = field.field.column else {
                if field.alias != "t", case .constant(let value) = field.field.content, value != .null {
                    terms.append(
                        OrderTerm(
                            alias: field.alias, column: "id", isDescending: order.isDescending, isPresence: true))
                }
                continue
            }
            let column = name == "sys_id" && field.table.isSortedBySysID ? "id" : name
            terms.append(OrderTerm(alias: field.alias, column: column, isDescending: order.isDescending))
        }
        return terms
    }

    private mutating func condition(_ condition: EncodedQuery.Condition) -> SQLFragment? {
        guard let field = scope.resolve(condition.field) else { return nil }
        let value = field.expression
        let operand = condition.operand
        switch condition.comparison {
        case .anything: return .always
        case .isEmpty, .isEmptyText: return value.followed(by: " IS NULL")
        case .isNotEmpty: return value.followed(by: " IS NOT NULL")
        case .equals: return oneOf(field, [operand])
        case .differs: return noneOf(field, [operand])
        case .isOneOf: return oneOf(field, Self.parts(of: operand, by: 0x2C))
        case .isNoneOf: return noneOf(field, Self.parts(of: operand, by: 0x2C))
        case .shows: return shows(field, condition.field, operand)
        case .instanceOf: return field.field.type.isText ? oneOf(field, TableClasses.extensions(of: operand)) : nil
        case .less: return ordered(field, condition.field, "<", operand)
        case .lessOrEqual: return ordered(field, condition.field, "<=", operand)
        case .greater: return ordered(field, condition.field, ">", operand)
        case .greaterOrEqual: return ordered(field, condition.field, ">=", operand)
        case .between:
            let limits = Self.parts(of: operand, by: 0x40)
            guard limits.count == 2, let low = ordered(field, condition.field, ">=", limits[0]),
                let high = ordered(field, condition.field, "<=", limits[1])
            else { return .never }
            return SQLFragment.joined([low, high], by: "AND")
        case .contains: return contains(text(of: field, condition.field), operand)
        case .startsWith: return like(text(of: field, condition.field), "", operand, "%")
        case .endsWith: return like(text(of: field, condition.field), "%", operand, "")
        case .lacks:
            let value = text(of: field, condition.field)
            return contains(value, operand).negated(orNull: value)
        case .sameAsField: return sameness(field, operand)?.condition
        case .notSameAsField: return sameness(field, operand)?.opposite
        case .greaterThanField: return compared(field, ">", operand)
        case .greaterOrEqualField: return compared(field, ">=", operand)
        case .lessThanField: return compared(field, "<", operand)
        case .lessOrEqualField: return compared(field, "<=", operand)
        case .moreThanField: return span(field, operand, isMore: true)
        case .lessThanSpanFromField: return span(field, operand, isMore: false)
        case .on: return on(field, operand)
        case .notOn: return on(field, operand)?.negated(orNull: value)
        case .datePart: return datePart(field, operand)
        case .relativeGreater: return relative(field, ">", operand)
        case .relativeGreaterOrEqual: return relative(field, ">=", operand)
        case .relativeLess: return relative(field, "<", operand)
        case .relativeLessOrEqual: return relative(field, "<=", operand)
        case .relativeEqual: return relative(field, "=", operand)
        }
    }

    /// An operand as a value of a type; `nil` where it can be none. For references it is the `sys_id`.
    func value(of operand: String, _ type: FieldType) -> SQLiteValue? {
        switch type {
        case .string, .choice, .foreignReference, .reference: return .text(operand)
        case .integer, .integerChoice: return Int64(operand).map { .integer($0) }
        case .boolean:
            switch operand.lowercased() {
            case "true", "1": return .integer(1)
            case "false", "0": return .integer(0)
            default: return nil
            }
        case .dateTime, .date: return DateScript(present: present).moment(operand).map { .integer($0) }
        }
    }

    /// The pieces of an operand.
    static func parts(of operand: String, by separator: UInt8) -> [String] {
        operand.utf8.split(separator: separator, omittingEmptySubsequences: false).map { String(Substring($0)) }
    }
}
