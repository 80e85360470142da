/// An encoded query as a value (servicenow.md and `EncodedQueryParser` say how it is written).
struct EncodedQuery: Equatable, Sendable {
    /// The groups that `^NQ` parts; a record that matches one of them is found. Empty for no restriction at all.
    var groups: [Group] = []
    /// The orders, the first one first.
    var orders: [Order] = []

    /// Alternatives that all have to hold: `^` parts them.
    struct Group: Equatable, Sendable {
        /// The lists of alternatives.
        var alternatives: [Alternatives] = []
    }

    /// Conditions of which one has to hold: `^OR` parts them.
    struct Alternatives: Equatable, Sendable {
        /// The conditions, at least one.
        var conditions: [Condition]
    }

    /// A field compared with a value.
    struct Condition: Equatable, Sendable {
        /// The field's name; dots walk along references.
        var field: String
        /// How it is compared.
        var comparison: Comparison
        /// The operand as written; empty for comparisons without one.
        var operand: String
    }

    /// A field by which records are ordered.
    struct Order: Equatable, Sendable {
        /// The field's name; dots walk along references.
        var field: String
        /// Whether the largest value comes first.
        var isDescending: Bool
    }
}

/// How a condition compares its field. The raw value is how it is written.
enum Comparison: String, CaseIterable, Sendable {
    /// The field has that value.
    case equals = "="
    /// The field has another value, or none.
    case differs = "!="
    /// The field is smaller.
    case less = "<"
    /// The field is smaller or the same.
    case lessOrEqual = "<="
    /// The field is larger.
    case greater = ">"
    /// The field is larger or the same.
    case greaterOrEqual = ">="
    /// The field's text contains the value.
    case contains = "LIKE"
    /// The field's text does not contain the value, or there is none.
    case lacks = "NOT LIKE"
    /// The field's text begins with the value.
    case startsWith = "STARTSWITH"
    /// The field's text ends with the value.
    case endsWith = "ENDSWITH"
    /// The field has one of the values, which commas part.
    case isOneOf = "IN"
    /// The field has none of the values, or is empty.
    case isNoneOf = "NOT IN"
    /// The field lies between two values, which an `@` parts, or is one of them.
    case between = "BETWEEN"
    /// The field has no value.
    case isEmpty = "ISEMPTY"
    /// The field has a value.
    case isNotEmpty = "ISNOTEMPTY"
    /// Always true.
    case anything = "ANYTHING"
    /// The field has the empty text, which this instance does not tell from no value.
    case isEmptyText = "EMPTYSTRING"

    /// Whether a value follows it.
    var hasOperand: Bool {
        switch self {
        case .isEmpty, .isNotEmpty, .anything, .isEmptyText: false
        default: true
        }
    }

    /// Every way to write a comparison, the longest first, so that `INSTANCEOF` is not taken for `IN`. `nil` stands for
    /// operators of an instance that this one does not have: their conditions are dropped as invalid.
    static let spellings: [(text: String, comparison: Comparison?)] = {
        let aliases: [(String, Comparison?)] = [
            ("*", .contains), ("CONTAINS", .contains), ("!*", .lacks), ("NOTLIKE", .lacks), ("%", .endsWith),
            ("NOTIN", .isNoneOf), ("INSTANCEOF", nil), ("IN_HIERARCHY", nil),
        ]
        let spellings = allCases.map { ($0.rawValue, Optional($0)) } + aliases
        return spellings.sorted { $0.0.utf8.count > $1.0.utf8.count }.map { (text: $0.0, comparison: $0.1) }
    }()
}
