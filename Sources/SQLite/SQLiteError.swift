internal import CSQLite

/// What SQLite reports when a call fails.
public struct SQLiteError: Error, Equatable, Sendable {
    /// What a caller may want to tell apart.
    public enum Kind: Sendable, Equatable {
        /// The disk, or the database's size limit, is full.
        case full
        /// The file or its folder cannot be written.
        case readOnly
        /// The file is damaged.
        case corrupt
        /// The file is no SQLite database.
        case notADatabase
        /// Another connection holds a lock.
        case busy
        /// The file cannot be opened or created.
        case cannotOpen
        /// Reading or writing failed below SQLite.
        case inputOutput
        /// A uniqueness, type or key rule was broken.
        case constraint
        /// The file is not at its path any more.
        case moved
        /// The connection was closed before.
        case closed
        /// Anything else: wrong SQL, a wrong number of parameters, a limit, no memory.
        case other
    }

    /// What went wrong, in the terms above.
    public var kind: Kind
    /// SQLite's primary result code.
    public var code: Int32
    /// SQLite's extended result code; the low eight bits are the primary one.
    public var extendedCode: Int32
    /// One line for a person.
    public var message: String

    /// Makes an error from an extended result code.
    init(extendedCode: Int32, message: String) {
        self.extendedCode = extendedCode
        self.message = message
        code = extendedCode & 0xFF
        kind =
            switch code {
            case SQLITE_FULL: .full
            case SQLITE_READONLY: .readOnly
            case SQLITE_CORRUPT: .corrupt
            case SQLITE_NOTADB: .notADatabase
            case SQLITE_BUSY, SQLITE_LOCKED: .busy
            case SQLITE_CANTOPEN: .cannotOpen
            case SQLITE_IOERR: .inputOutput
            case SQLITE_CONSTRAINT: .constraint
            default: .other
            }
    }

    /// Makes an error that this wrapper found itself.
    public init(_ kind: Kind, _ message: String) {
        self.kind = kind
        self.message = message
        code = SQLITE_MISUSE
        extendedCode = SQLITE_MISUSE
    }
}
