import HTTPModel

/// From where a move says that it starts, and whether it is ready to wait.
struct MovePrecondition: Sendable, Equatable {
    /// The position that the caller believes the session to stand at; `nil` for wherever it stands. −1 stands at no session:
    /// a tag that can never match.
    var position: Int?
    /// Whether the move waits while another one is under way.
    var waits: Bool

    /// Reads `?after=`, `If-Match` (RFC 9110 §13.1.1) and `Prefer: wait=0` (RFC 7240 §4.3).
    ///
    /// - Throws: `Problem` where they are no positions, or disagree, or are missing where they must not be; it also names
    ///   the faults that were found before.
    init(head: RequestHead, parameters: [String: String], faults: ParameterFaults) throws(Problem) {
        var faults = faults
        let headers = head.headers
        var after: Int?
        if let text = parameters["after"] {
            after = text.isDecimal ? Int(text) ?? -1 : nil
            if after == nil { faults.add(.target, "after", "has to be a position: a whole number from 0 on") }
        } else if head.method == "GET", headers["Sec-Fetch-Mode"] == "navigate" {
            faults.add(.target, "after", "is required of a browser’s address line, which may send a request twice")
        }
        let tag = Self.tag(headers.values(of: "If-Match"))
        if let tag, let after, tag != after {
            faults.add(.target, "after", "says another position than If-Match; one of them is enough")
        }
        try faults.check()
        position = after ?? tag
        waits = !headers.values(of: "Prefer").contains { preferences in
            preferences.split(separator: ",").contains { preference in
                preference.prefix { $0 != ";" }.filter { $0 != " " && $0 != "\t" && $0 != "\"" }.lowercased()
                    == "wait=0"
            }
        }
    }

    /// The position that the tags name: `nil` for none and for `*`, −1 for weak tags, several tags, and tags that we never
    /// gave, since the comparison is a strong one.
    private static func tag(_ values: [String]) -> Int? {
        guard let value = values.first, !(values.count == 1 && value == "*") else { return nil }
        guard values.count == 1, let position = Int(value.dropFirst().dropLast()), value == "\"\(position)\"" else {
            return -1
        }
        return position
    }
}
