internal import HTTPModel

extension HeaderFields {
    /// Whether the sender takes JSON: its `Accept` field names it, or a range that it is in, with a quality above 0
    /// (RFC 9110 §12.5.1). Without the field it does.
    var acceptJSON: Bool {
        let ranges = values(of: "Accept").flatMap { $0.split(separator: ",") }.map(MediaRange.init)
        guard !ranges.isEmpty else { return true }
        for name in ["application/json", "application/*", "*/*"] {
            if let range = ranges.first(where: { equalIgnoringCase($0.name, name) }) { return range.isWanted }
        }
        return false
    }
}

/// One element of an `Accept` field.
private struct MediaRange {
    var name: String
    var isWanted: Bool

    init(_ text: Substring) {
        let parts = text.split(separator: ";").map(\.trimmingSpaces)
        name = parts.first ?? ""
        let quality = parts.dropFirst().first { $0.hasPrefix("q=") || $0.hasPrefix("Q=") }
        isWanted = quality.flatMap { Double($0.dropFirst(2)) } != 0
    }
}
