public import Pagination

/// Neighbouring records of a reading of all, at least one.
public struct RecordBatch: Sendable, Equatable {
    /// The records, as they came.
    public var rows: Rows
    /// Where to go on once this batch is safe: no record that is missing then stands in front of it, and none that was
    /// delivered behind it.
    ///
    /// The exception are more records than a page has at a place where keys cannot be told apart by 32 hexadecimal
    /// digits: while these are under way it stays in front of them.
    public var resume: RecordsStart
}
