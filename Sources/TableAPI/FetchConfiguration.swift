/// What is fetched from a table: which records, how many at once, and how their fields are given.
public struct FetchConfiguration: Sendable, Equatable {
    /// The records to fetch; `nil` for all.
    public var filter: Filter?
    /// The records per page, 1…10,000; `nil` for the paginator's default of 20.
    public var limit: Int?
    /// How the records' fields are given.
    public var readConfiguration: FieldReadConfiguration
    /// Whether records with equal keys are put in order by `sys_id`. Without it the instance may give them in another
    /// order for every page, so that some come twice and others never.
    public var stableOrder: Bool

    /// Makes a configuration.
    public init(
        filter: Filter? = nil, limit: Int? = nil, readConfiguration: FieldReadConfiguration = FieldReadConfiguration(),
        stableOrder: Bool = true
    ) {
        self.filter = filter
        self.limit = limit
        self.readConfiguration = readConfiguration
        self.stableOrder = stableOrder
    }
}
