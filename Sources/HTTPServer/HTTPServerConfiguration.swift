/// What a server may use and how long it waits.
public struct HTTPServerConfiguration: Sendable {
    /// Most connections at once, over all listeners and loops. Those beyond are closed as soon as they are accepted.
    public var maxConnections = 10_000
    /// How long a connection stays open behind an answer, until the first byte of the next request.
    public var idleTimeout: Duration = .seconds(60)
    /// How long a request's head may take, from the connection's first moment or the head's first byte on.
    public var headTimeout: Duration = .seconds(10)
    /// How long a request's body may take from the head on.
    public var bodyTimeout: Duration = .seconds(30)
    /// How long an answer's reader may take for the next 16 KiB of it, or for all that is left.
    public var stallTimeout: Duration = .seconds(30)
    /// The most bytes that a request's head may have; above it the answer is 431 or 414.
    public var maxHeadBytes = 32 << 10
    /// Certificate and key for the listeners with TLS.
    public var tls: TLS?
    /// Receives libmicrohttpd's own messages, one line each. Called on the loops.
    public var log: @Sendable (String) -> Void = { _ in }
    /// Receives faults of the program that uses the server, such as a header that cannot be sent. Called on the loops.
    public var onFault: @Sendable (String) -> Void = { _ in }

    /// Makes a configuration with the defaults.
    public init() {}

    /// A server's identity towards its peers.
    public struct TLS: Sendable {
        /// The certificate and those that lead from it to a known authority, as PEM.
        public var certificateChain: String
        /// The private key, as PEM.
        public var key: String
        /// The protocols and ciphers, in GnuTLS's notation. The default is TLS 1.2 and later.
        public var priorities = "SECURE128:-VERS-TLS1.0:-VERS-TLS1.1"

        /// Makes an identity of two PEM texts.
        public init(certificateChain: String, key: String) {
            self.certificateChain = certificateChain
            self.key = key
        }
    }
}
