/// How records are shown: the `sysparm_` parameters that shape a row.
struct RecordShape: Equatable, Sendable {
    /// The fields to show, as paths; `nil` for all.
    var fields: [String]?
    /// Whether values, display values or both are shown.
    var display = DisplayMode.values
    /// Whether references are plain texts.
    var excludesReferenceLink = false
    /// What the links of references begin with, up to the table's name.
    var linkBase: String
}

/// What is shown of a field's value: the values of `sysparm_display_value`.
enum DisplayMode: String, Sendable {
    /// The value as stored.
    case values = "false"
    /// What a person is shown: labels of choices, names of records. Dates look the same in both: the demo's user lives
    /// in UTC.
    case displayValues = "true"
    /// An object with both.
    case both = "all"
}
