/// Why a file cannot keep sessions.
public enum SessionFileError: Error, Sendable, Equatable, CustomStringConvertible {
    /// Another process has it open.
    case inUse(path: String)
    /// It is damaged, or no database at all.
    case damaged(path: String, detail: String)
    /// A newer version of the service has written it.
    case newer(path: String, version: Int, known: Int)
    /// It is a database of something else.
    case foreign(path: String)
    /// It cannot be opened or made.
    case cannotOpen(path: String, detail: String)
    /// It cannot be written for now: its disk is full, or it may only be read.
    case notWritable(path: String, detail: String)

    /// Whether it may pass while the service runs.
    var isPassing: Bool {
        if case .notWritable = self { true } else { false }
    }

    /// What is wrong, without naming the file: for callers, who have no business with paths.
    var reason: String {
        switch self {
        case .inUse: "it is in use by another process"
        case .damaged(_, let detail): "it is damaged (\(detail))"
        case .newer(_, let version, let known):
            "a newer version of the service has written it (schema \(version), known here up to \(known)): start that one, or "
                + "name another file"
        case .foreign: "it is a database of another program"
        case .cannotOpen(_, let detail):
            "it cannot be opened (\(detail)): its folder has to be there, and this user has to be allowed to write in it"
        case .notWritable(_, let detail): "it cannot be written (\(detail))"
        }
    }

    /// One line for a person.
    public var description: String {
        switch self {
        case .inUse(let path), .damaged(let path, _), .newer(let path, _, _), .foreign(let path),
            .cannotOpen(let path, _), .notWritable(let path, _):
            "the sessions' file \(path): \(reason)"
        }
    }
}
