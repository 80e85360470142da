internal import CSQLite

/// The owner of one prepared statement; used on the database's thread only.
final class SQLiteStatement {
    /// SQLite's handle; finalised with this object.
    let handle: OpaquePointer
    /// Whether it is between `start` and `stop`.
    private(set) var isRunning = false
    private let parameterCount: Int

    /// Takes over a prepared handle.
    init(_ handle: OpaquePointer) {
        self.handle = handle
        parameterCount = Int(sqlite3_bind_parameter_count(handle))
    }

    deinit {
        sqlite3_finalize(handle)
    }

    /// Binds the parameters and marks the statement as running. Returns SQLite's result code; a number of values that
    /// is not the number of parameters gives `SQLITE_RANGE`.
    func start(_ values: [SQLiteValue]) -> Int32 {
        isRunning = true
        guard values.count == parameterCount else { return SQLITE_RANGE }
        for (index, value) in values.enumerated() {
            let status = bind(value, at: Int32(index + 1))
            guard status == SQLITE_OK else { return status }
        }
        return SQLITE_OK
    }

    /// Ends the run and forgets the values, so that the statement holds no lock and no memory.
    func stop() {
        sqlite3_reset(handle)
        sqlite3_clear_bindings(handle)
        isRunning = false
    }

    private func bind(_ value: SQLiteValue, at index: Int32) -> Int32 {
        switch value {
        case .null: return sqlite3_bind_null(handle, index)
        case .integer(let value): return sqlite3_bind_int64(handle, index, value)
        case .real(let value): return sqlite3_bind_double(handle, index, value)
        case .text(var text):
            // Safe because UTF-8 bytes and C's characters have the same layout, and SQLite copies them during the call.
            return text.withUTF8 { bytes in
                bytes.withMemoryRebound(to: CChar.self) { bytes in
                    // A null pointer would bind NULL instead of the empty text.
                    guard let base = bytes.baseAddress else {
                        return sqlite3_bind_text(handle, index, "", 0, copied)
                    }
                    return sqlite3_bind_text64(
                        handle, index, base, UInt64(bytes.count), copied, UInt8(SQLITE_UTF8))
                }
            }
        case .blob(let bytes):
            // Safe because SQLite copies the bytes during the call.
            return bytes.withUnsafeBytes { bytes in
                guard let base = bytes.baseAddress, !bytes.isEmpty else {
                    return sqlite3_bind_zeroblob(handle, index, 0)
                }
                return sqlite3_bind_blob64(handle, index, base, UInt64(bytes.count), copied)
            }
        }
    }
}

/// `SQLITE_TRANSIENT`, a macro that Swift cannot import. Safe because SQLite compares this pointer and never calls it.
private var copied: sqlite3_destructor_type {
    unsafeBitCast(-1, to: sqlite3_destructor_type.self)
}
