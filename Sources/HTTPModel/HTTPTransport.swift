/// Sends requests to other servers. Implemented over libcurl by `HTTPClient`, and by `ResponderTransport` without
/// any network.
public protocol HTTPTransport: Sendable {
    /// Sends one request and returns its answer with the whole body, decompressed.
    ///
    /// Redirects are not followed. Cancelling the calling task ends the transfer.
    /// - Throws: `TransportError` where there is no whole answer.
    @concurrent func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse
}

/// A request to another server.
public struct OutgoingRequest: Sendable {
    /// The method.
    public var method: String
    /// The absolute URL, `http` or `https`, already percent-encoded.
    public var url: String
    /// The header lines. Names and values must be free of CR, LF and NUL.
    public var headers: HeaderFields
    /// The body; empty for none.
    public var body: [UInt8]
    /// The time that the transfer may take, connecting included.
    public var timeout: Duration
    /// The largest acceptable body, in bytes after decompression.
    public var maxBodyBytes: Int

    /// Makes a request.
    public init(
        method: String = "GET", url: String, headers: HeaderFields = [:], body: [UInt8] = [],
        timeout: Duration = .seconds(65), maxBodyBytes: Int = 64 << 20
    ) {
        self.method = method
        self.url = url
        self.headers = headers
        self.body = body
        self.timeout = timeout
        self.maxBodyBytes = maxBodyBytes
    }
}

/// The answer of another server.
public struct IncomingResponse: Sendable {
    /// The status code.
    public var status: Int
    /// The header lines of the final response.
    public var headers: HeaderFields
    /// The whole body, decompressed.
    public var body: [UInt8]

    /// Makes an answer.
    public init(status: Int, headers: HeaderFields = [:], body: [UInt8] = []) {
        self.status = status
        self.headers = headers
        self.body = body
    }
}

/// Why there is no whole answer. Each detail is one line for a person, without credentials and without the URL's query.
public enum TransportError: Error, Equatable {
    /// The URL or a header cannot be sent at all.
    case invalidRequest(String)
    /// No connection: name not found, refused, unreachable, or connecting took too long.
    case connectionFailed(String)
    /// The TLS handshake or the check of the certificate failed.
    case tlsFailed(String)
    /// The time was up. `receivedBytes` says whether any byte of an answer had come.
    case timedOut(receivedBytes: Bool)
    /// The connection ended, or its framing or compression broke, before the whole body had come. The status is that of the
    /// header, which had.
    case bodyIncomplete(String, status: Int)
    /// The connection ended without any answer, or the answer was no HTTP.
    case noResponse(String)
    /// The body is larger than `maxBodyBytes`; the transfer was ended.
    case bodyTooLarge(limit: Int)
    /// The calling task was cancelled, or the transport is stopping.
    case cancelled
}
