/// Why stored bytes are not taken for a session.
public enum SessionEncodingError: Error, Sendable, Equatable, CustomStringConvertible {
    /// They were written by a newer version of the service, which this one does not understand.
    case newer(version: Int)
    /// They hold more than this version knows.
    case unknownFields
    /// They are not what was written; this says where that shows.
    case damaged(String)

    /// One line for a person.
    public var description: String {
        switch self {
        case .newer(let version):
            "the session was written by a newer version of the service (format \(version), here \(Seal.version))"
        case .unknownFields: "the session holds fields that this version of the service does not know"
        case .damaged(let what): "the stored session is damaged: \(what)"
        }
    }
}
