/// Where a database lives and how it is opened.
public enum SQLiteLocation: Sendable, Equatable {
    /// In memory, for one connection alone; gone when that is closed.
    case memory
    /// In a file that is created where there is none.
    case file(String)
    /// In a file that is created where there is none, and that nobody but its owner may read: it, and what SQLite keeps beside
    /// it, loses whatever rights others have.
    case privateFile(String)
    /// In a file that has to exist and is only read.
    case readOnlyFile(String)
}
