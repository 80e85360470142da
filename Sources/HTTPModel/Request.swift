/// Where a request came in.
public enum ConnectionKind: Sendable, Equatable {
    /// Over TCP without TLS.
    case tcp
    /// Over TCP with TLS.
    case tls
    /// Over a Unix socket: no DNS and no browser can be behind it.
    case unix
}

/// The head of a request: all that is known before its body arrives.
public struct RequestHead: Sendable {
    /// The method as sent; methods are case-sensitive (RFC 9110 §9.1).
    public var method: String
    /// The request target as sent, undecoded: routes are decided on it.
    public var target: String
    /// The minor version: 0 for HTTP/1.0, 1 for HTTP/1.1.
    public var minorVersion: Int
    /// Every header line, in order.
    public var headers: HeaderFields
    /// How the peer reached us.
    public var connection: ConnectionKind

    /// Makes a head.
    public init(
        method: String, target: String, minorVersion: Int = 1, headers: HeaderFields = [:],
        connection: ConnectionKind = .tcp
    ) {
        self.method = method
        self.target = target
        self.minorVersion = minorVersion
        self.headers = headers
        self.connection = connection
    }
}

/// A whole request.
public struct Request: Sendable {
    /// Method, target and headers.
    public var head: RequestHead
    /// The body after transfer decoding; empty where there is none.
    public var body: [UInt8]

    /// Makes a request.
    public init(_ head: RequestHead, body: [UInt8] = []) {
        self.head = head
        self.body = body
    }
}
