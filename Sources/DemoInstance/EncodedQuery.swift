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
