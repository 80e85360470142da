internal import CSQLite

/// One row of a running statement, read by column, from 0. Reading converts as SQLite does; a column that is not there
/// reads as NULL.
public struct SQLiteRow: ~Copyable {
    private let handle: OpaquePointer

    /// Looks at the row that a statement stands on.
    init(_ handle: OpaquePointer) {
        self.handle = handle
    }

    /// The number of columns.
    public var columnCount: Int {
        Int(sqlite3_column_count(handle))
    }

    /// Whether the column is NULL.
    public func isNull(at column: Int) -> Bool {
        sqlite3_column_type(handle, Int32(column)) == SQLITE_NULL
    }

    /// The column as an integer; 0 for NULL.
    public func integer(at column: Int) -> Int64 {
        sqlite3_column_int64(handle, Int32(column))
    }

    /// The column as a floating-point number; 0 for NULL.
    public func real(at column: Int) -> Double {
        sqlite3_column_double(handle, Int32(column))
    }

    /// The column as a text; `nil` for NULL. Bytes that are no UTF-8 are replaced.
    public func text(at column: Int) -> String? {
        withText(at: column) { String(decoding: $0, as: UTF8.self) }
    }

    /// The column's bytes; `nil` for NULL.
    public func blob(at column: Int) -> [UInt8]? {
        guard !isNull(at: column) else { return nil }
        // Safe because the bytes are copied before the statement moves on; an empty blob has no pointer and no count.
        let start = sqlite3_column_blob(handle, Int32(column))
        return Array(UnsafeRawBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }

    /// Appends the column's text as UTF-8 bytes, without making a `String`. Returns whether there was one: `false` for
    /// NULL.
    public func appendText(at column: Int, to bytes: inout [UInt8]) -> Bool {
        withText(at: column) { bytes.append(contentsOf: $0) } != nil
    }

    /// The column as the value that SQLite stores.
    public func value(at column: Int) -> SQLiteValue {
        switch sqlite3_column_type(handle, Int32(column)) {
        case SQLITE_INTEGER: .integer(integer(at: column))
        case SQLITE_FLOAT: .real(real(at: column))
        case SQLITE_TEXT: .text(text(at: column) ?? "")
        case SQLITE_BLOB: .blob(blob(at: column) ?? [])
        default: .null
        }
    }

    /// Safe because the pointer stays valid until the statement moves on or the column is read in another form, and
    /// the closure ends before either can happen.
    private func withText<Output>(at column: Int, _ body: (UnsafeBufferPointer<UInt8>) -> Output) -> Output? {
        guard let start = sqlite3_column_text(handle, Int32(column)) else { return nil }
        return body(UnsafeBufferPointer(start: start, count: Int(sqlite3_column_bytes(handle, Int32(column)))))
    }
}
