/// A problem report (RFC 9457), independent of the language of its title.
public struct Problem: Sendable, Equatable, Error {
    /// The last segment of its `type`, as in `/problems/session-not-found`.
    public var name: String
    /// The status code of the response that carries it.
    public var status: Int
    /// What was wrong this time and what would be right, for the caller.
    public var detail: String
    /// Further members, in the order in which they are written.
    public var members: [(name: String, value: JSONValue)]
    /// Header fields that belong to it, such as `Retry-After` and `Allow`.
    public var headers: HeaderFields

    /// Makes a report.
    public init(
        name: String, status: Int, detail: String, members: [(name: String, value: JSONValue)] = [],
        headers: HeaderFields = [:]
    ) {
        self.name = name
        self.status = status
        self.detail = detail
        self.members = members
        self.headers = headers
    }

    /// Whether two reports say the same.
    public static func == (left: Problem, right: Problem) -> Bool {
        left.name == right.name && left.status == right.status && left.detail == right.detail
            && left.headers == right.headers && left.members.elementsEqual(right.members) { $0 == $1 }
    }

    /// Writes the report as one JSON object.
    public func write(title: String, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("type", "/problems/\(name)")
            writer.member("title", title)
            writer.member("status", status)
            writer.member("detail", detail)
            for (name, value) in members {
                writer.name(name)
                writer.value(value)
            }
        }
    }
}
