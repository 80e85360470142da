/// Reads encoded queries: conditions parted by `^`, with `^OR`, `^NQ`, `ORDERBY`, `ORDERBYDESC`, `GROUPBY` and `EQ`.
///
/// A caret cannot stand inside a value: there is no public statement of an escape for it. Parts that cannot be read are
/// dropped, as instances do; names, operators and values are case-sensitive as they are written
/// (ServiceNow, "Operators available for filters and queries"). All is done on bytes, so that a combining mark cannot
/// hide a caret or an operator.
enum EncodedQueryParser {
    /// Reads a query; every text is one.
    static func parse(_ text: String) -> EncodedQuery {
        var query = EncodedQuery()
        var groups = [EncodedQuery.Group()]
        var isInRelatedList = false
        for part in text.utf8.split(separator: 0x5E) {
            if isInRelatedList || part.starts(with: "RLQUERY".utf8) {
                // Conditions on related lists are dropped with all that is between their ends.
                isInRelatedList = !part.starts(with: "ENDRLQUERY".utf8)
            } else if let field = suffix(of: part, after: "ORDERBYDESC") {
                query.orders.append(EncodedQuery.Order(field: string(field), isDescending: true))
            } else if let field = suffix(of: part, after: "ORDERBY") {
                query.orders.append(EncodedQuery.Order(field: string(field), isDescending: false))
            } else if part.elementsEqual("EQ".utf8) || part.starts(with: "GROUPBY".utf8) {
                // The end of a query, which others may follow; and grouping, which lists do not do.
                continue
            } else if let rest = suffix(of: part, after: "NQ") {
                groups.append(EncodedQuery.Group(alternatives: [alternatives(rest)]))
            } else if let rest = suffix(of: part, after: "OR"), let last = groups.last?.alternatives.indices.last {
                groups[groups.count - 1].alternatives[last].conditions += alternatives(rest).conditions
            } else {
                groups[groups.count - 1].alternatives.append(alternatives(suffix(of: part, after: "OR") ?? part))
            }
        }
        for index in groups.indices { groups[index].alternatives.removeAll { $0.conditions.isEmpty } }
        query.groups = groups.filter { !$0.alternatives.isEmpty }
        return query
    }

    /// The one condition that a part states; none where it cannot be read.
    private static func alternatives(_ part: Substring.UTF8View) -> EncodedQuery.Alternatives {
        let name = part.prefix { isPartOfName($0) }
        let rest = part[name.endIndex...]
        guard !name.isEmpty, let spelling = Comparison.spellings.first(where: { rest.starts(with: $0.text.utf8) }),
            let comparison = spelling.comparison
        else { return EncodedQuery.Alternatives(conditions: []) }
        let operand = comparison.hasOperand ? string(rest.dropFirst(spelling.text.utf8.count)) : ""
        return EncodedQuery.Alternatives(conditions: [
            EncodedQuery.Condition(field: string(name), comparison: comparison, operand: operand)
        ])
    }

    private static func suffix(of part: Substring.UTF8View, after prefix: String) -> Substring.UTF8View? {
        part.starts(with: prefix.utf8) ? part.dropFirst(prefix.utf8.count) : nil
    }

    private static func string(_ bytes: Substring.UTF8View) -> String {
        String(Substring(bytes))
    }

    /// Field names are written in small letters, so a capital begins the operator.
    private static func isPartOfName(_ byte: UInt8) -> Bool {
        switch byte {
        case 0x2E, 0x30...0x39, 0x5F, 0x61...0x7A: true
        default: false
        }
    }
}
