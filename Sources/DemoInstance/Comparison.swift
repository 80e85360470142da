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
    /// The field has the value of another field, or with `field@unit` lies in the same day, month and so on.
    case sameAsField = "SAMEAS"
    /// The opposite of `sameAsField`, also where one of them is empty.
    case notSameAsField = "NSAMEAS"
    /// The field is larger than another.
    case greaterThanField = "GT_FIELD"
    /// The field is larger than another or the same.
    case greaterOrEqualField = "GT_OR_EQUALS_FIELD"
    /// The field is smaller than another.
    case lessThanField = "LT_FIELD"
    /// The field is smaller than another or the same.
    case lessOrEqualField = "LT_OR_EQUALS_FIELD"
    /// With `field@unit@before@number`: the moment lies more than that before the other one; also with `after`.
    case moreThanField = "MORETHAN"
    /// With `field@unit@before@number`: the moment lies less than that before the other one; also with `after`.
    case lessThanSpanFromField = "LESSTHAN"
    /// With `name@start@end`: the moment lies between two others. Also with one day.
    case on = "ON"
    /// The opposite of `on`, also for empty fields.
    case notOn = "NOTON"
    /// With `name@javascript:gs.datePart('unit','value','operator')`: compares a part of the date, such as its month.
    case datePart = "DATEPART"
    /// With `@unit@ago@number`: the moment lies later than so many units before now; also with `ahead`.
    case relativeGreater = "RELATIVEGT"
    /// Later or the same.
    case relativeGreaterOrEqual = "RELATIVEGE"
    /// Earlier.
    case relativeLess = "RELATIVELT"
    /// Earlier or the same.
    case relativeLessOrEqual = "RELATIVELE"
    /// In the unit so many units before now.
    case relativeEqual = "RELATIVEEE"
    /// The field names a table or one that extends it.
    case instanceOf = "INSTANCEOF"
    /// The field has that value or shows it: what a parameter `name=value` asks for. Encoded queries have no operator
    /// for it.
    case shows = ""

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
            ("*", .contains), ("CONTAINS", .contains), ("!*", .lacks), ("NOTLIKE", .lacks),
            ("DOES NOT CONTAIN", .lacks), ("%", .endsWith),
            ("NOTIN", .isNoneOf), ("IN_HIERARCHY", nil),
        ]
        let spellings = allCases.filter { $0 != .shows }.map { ($0.rawValue, Optional($0)) } + aliases
        return spellings.sorted { $0.0.utf8.count > $1.0.utf8.count }.map { (text: $0.0, comparison: $0.1) }
    }()
}
