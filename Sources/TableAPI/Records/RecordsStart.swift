/// Where a reading of all records begins.
public enum RecordsStart: Sendable, Equatable {
    /// At the first record.
    case beginning
    /// At that page, 1-based, in pages of the reading's `itemsPerPage`; records are then read by offset, whatever their
    /// query.
    case page(Int)
    /// Behind that `sys_id`, 32 hexadecimal digits, in the order of `sys_id`: the records up to it, itself included, are
    /// there already. Only where records are read by key.
    case afterKey(String)

    /// Whether a text can be such a key.
    public static func isKey(_ text: String) -> Bool {
        keyBound(text) != nil
    }
}

/// Why all records of a table cannot be read as asked for; nothing was asked of the instance.
public enum RecordsRequestError: Error, Sendable, Equatable {
    /// The table, a field or the page size cannot be sent.
    case table(TableServiceError)
    /// The page is below 1, or its offset does not fit an `Int`.
    case invalidPage(Int)
    /// A start behind something that is no `sys_id` of 32 hexadecimal digits.
    case invalidKey(String)
    /// A start behind a key, but the query has an order of its own, or a part that keeps it from being divided by key.
    case notReadByKey
}
