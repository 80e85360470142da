/// A value that SQLite stores: one of its five storage classes (sqlite.org/datatype3.html).
public enum SQLiteValue: Sendable, Hashable {
    /// NULL
    case null
    /// A signed integer of 64 bits.
    case integer(Int64)
    /// A floating-point number; NaN is stored as NULL.
    case real(Double)
    /// A text in UTF-8.
    case text(String)
    /// Bytes.
    case blob([UInt8])
}
