/// What a session pages through: the members with which it was opened, with their values in force.
public struct SessionDefinition: Sendable, Equatable {
    /// How field values are shown (`sysparm_display_value`).
    public enum DisplayValue: String, Sendable, CaseIterable {
        /// Stored values.
        case actual = "false"
        /// Values as the user sees them.
        case display = "true"
        /// Both, as an object per field.
        case all
    }

    /// The configured name of the instance.
    public var instance: String
    /// The table.
    public var table: String
    /// The encoded query, as the caller gave it.
    public var query: String?
    /// The fields of each row, in their order; `nil` for all.
    public var fields: [String]?
    /// How values are shown.
    public var displayValue = DisplayValue.actual
    /// Whether reference fields come without their link.
    public var excludeReferenceLink = false
    /// The view whose fields are wanted; `fields` wins over it.
    public var view: String?
    /// The query category, which chooses a read replica.
    public var queryCategory: String?
    /// Whether records of other domains are wanted too.
    public var queryNoDomain = false
    /// Whether `sys_id` is made the last key of the order, so that no row changes its page by chance.
    public var stableOrder = true
    /// How many pages are fetched ahead of the cursor.
    public var readAhead = ReadAheadDepth.auto
    /// The size of a whole page, in rows.
    public var itemsPerPage: Int
    /// For how long the session lives without being used, in seconds.
    public var idleTimeout: Int

    /// Makes a definition with the defaults of a request that names only its table.
    public init(instance: String, table: String, itemsPerPage: Int, idleTimeout: Int) {
        self.instance = instance
        self.table = table
        self.itemsPerPage = itemsPerPage
        self.idleTimeout = idleTimeout
    }
}
