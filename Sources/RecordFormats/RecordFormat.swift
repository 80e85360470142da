/// How records are written down.
public enum RecordFormat: String, Sendable, CaseIterable {
    /// One JSON object a line (NDJSON).
    case ndjson
    /// Comma-separated values (RFC 4180) with a line of names in front.
    case csv
    /// One JSON array.
    case json

    /// The media type, without parameters.
    public var mediaType: String {
        switch self {
        case .ndjson: "application/x-ndjson"
        case .csv: "text/csv"
        case .json: "application/json"
        }
    }

    /// What a `Content-Type` says: the media type, with the parameters of `text/csv` (RFC 4180 §3).
    public var contentType: String {
        switch self {
        case .ndjson, .json: mediaType
        case .csv: "\(mediaType); charset=utf-8; header=present"
        }
    }

    /// The format that the ending of a file's name stands for; `nil` where it stands for none of them.
    public init?(fileName: String) {
        switch fileName.lowercased().split(separator: ".", omittingEmptySubsequences: false).dropFirst().last {
        case "ndjson", "jsonl": self = .ndjson
        case "csv": self = .csv
        case "json": self = .json
        default: return nil
        }
    }
}
