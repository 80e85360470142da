import HTTPModel

/// An answer before it gets the headers that all answers have.
struct Reply: Sendable {
    /// The status code.
    var status = 200
    /// The headers of this answer.
    var headers: HeaderFields = [:]
    /// The media type of the body; `nil` where there is none.
    var contentType: String?
    /// The body's pieces.
    var body: [ArraySlice<UInt8>]
    /// What writes the body while it is sent; `nil` where `body` is all of it.
    var stream: (@Sendable (any BodyWriter) async throws -> Void)?
    /// How long the instance took, where it was asked.
    var upstream: Duration?
    /// Where the page in it came from, in the words of `Cache-Status`; `nil` where it is none.
    var cacheStatus: String?
}

extension Reply {
    /// An answer whose body is one JSON value.
    static func json(
        status: Int = 200, headers: HeaderFields = [:], _ write: (inout JSONWriter) -> Void
    ) -> Reply {
        var writer = JSONWriter(capacity: 1024)
        write(&writer)
        return Reply(status: status, headers: headers, contentType: "application/json", body: [writer.bytes[...]])
    }
}
