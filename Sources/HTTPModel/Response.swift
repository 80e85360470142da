/// A response to be sent.
public struct Response: Sendable {
    /// The status code, 200…599.
    public var status: Int
    /// The header lines. Framing (`Content-Length`, `Transfer-Encoding`, `Connection`) and `Date` are the server's, but for
    /// the `Content-Length` of a stream.
    public var headers: HeaderFields
    /// The body.
    public var body: ResponseBody
    /// What the server lets go of when all of the response is sent, or its peer has gone.
    public var attachment: (any AnyObject & Sendable)?

    /// Makes a response.
    public init(
        status: Int, headers: HeaderFields = [:], body: ResponseBody = .empty,
        attachment: (any AnyObject & Sendable)? = nil
    ) {
        self.status = status
        self.headers = headers
        self.body = body
        self.attachment = attachment
    }

    /// No answer at all, as when a server or the network fails: the connection is closed instead.
    public static var noAnswer: Response {
        // Nobody sees the status.
        Response(status: 500, body: .noAnswer)
    }
}

/// The body of a response.
public enum ResponseBody: Sendable {
    /// No body; `Content-Length: 0` where the status allows one.
    case empty
    /// Pieces that are sent one behind the other without being copied together.
    case pieces([ArraySlice<UInt8>])
    /// A body that is made while it is sent: in chunks, or in one piece where the headers have its `Content-Length`. The
    /// producer returns at its end; when it throws, the connection is cut before that, so that nobody takes the part for
    /// the whole. When the server stops its task is cancelled; it may then still write for as long as the server's grace
    /// lasts.
    case stream(@Sendable (any BodyWriter) async throws -> Void)
    /// Not even a head: the connection is closed, and the peer gets no byte. Status and header lines say nothing then.
    case noAnswer

    /// A body of one piece.
    public static func bytes(_ bytes: [UInt8]) -> ResponseBody {
        .pieces([bytes[...]])
    }
}

/// Where the producer of a streamed body writes to.
public protocol BodyWriter: Sendable {
    /// Hands over one piece and returns once the connection has room for more: that is the back-pressure.
    ///
    /// - Throws: `BodyWriterError` when the peer has gone or the server is stopping; the producer then ends.
    func write(_ piece: ArraySlice<UInt8>) async throws(BodyWriterError)

    /// Hands over pieces that belong together without waiting for the peer: all of them, or, where more than `limit` bytes
    /// would then wait for it, none. Where nothing waits they are always taken.
    ///
    /// - Returns: whether they were taken.
    /// - Throws: `BodyWriterError` when the peer has gone or the server is stopping; the producer then ends.
    func offer(_ pieces: [ArraySlice<UInt8>], limit: Int) async throws(BodyWriterError) -> Bool
}

/// Why a streamed body cannot go on.
public enum BodyWriterError: Error, Equatable {
    /// The connection is closed.
    case closed
}
