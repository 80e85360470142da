/// A delivered page, with the paginator's properties as they were right after its arrival.
public struct Page: Sendable, Equatable {
    /// Its number, 1-based; 0 for the page of an empty record set.
    public var page: Int
    /// How many pages there are by the latest count; `Int.max` while unknown, 0 for an empty record set.
    public var numberOfPages: Int
    /// The size of a whole page, in rows.
    public var itemsPerPage: Int
    /// The latest count of the record set, hidden rows included; `nil` where the source does not count.
    public var totalItems: Int?
    /// Whether there is a page behind this one.
    public var hasNext: Bool
    /// Whether there is a page in front of this one.
    public var hasPrevious: Bool
    /// Whether this page has finished its paginator.
    public var isFinished: Bool
    /// The rows that were really received. Fewer than `itemsPerPage` on a page that is not the last means that the
    /// source hid rows.
    public var rows: Rows

    /// Makes a page of all that it says.
    package init(
        page: Int, numberOfPages: Int, itemsPerPage: Int, totalItems: Int?, hasNext: Bool, hasPrevious: Bool,
        isFinished: Bool, rows: Rows
    ) {
        self.page = page
        self.numberOfPages = numberOfPages
        self.itemsPerPage = itemsPerPage
        self.totalItems = totalItems
        self.hasNext = hasNext
        self.hasPrevious = hasPrevious
        self.isFinished = isFinished
        self.rows = rows
    }
}
