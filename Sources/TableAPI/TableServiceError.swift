/// Why a table cannot be fetched as configured; nothing was asked of the instance.
public enum TableServiceError: Error, Sendable, Equatable {
    /// The table's name is not a lower-case letter followed by at most 79 lower-case letters, digits and underscores.
    case invalidTableName(String)
    /// A field's name is empty or holds a comma, white space or a control character.
    case invalidField(String)
    /// The limit is outside 1…10,000.
    case invalidLimit(Int)
}
