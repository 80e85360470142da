/// How an `HTTPClient` reaches other servers: the same for all of its requests.
public struct HTTPClientConfiguration: Sendable, Equatable {
    /// Which proxy requests go through.
    public enum Proxy: Sendable, Equatable {
        /// Whatever `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy` say, as libcurl reads them.
        case environment
        /// None, whatever the environment says.
        case direct
        /// This one, for every host; `no_proxy` is not looked at.
        case url(String)
    }

    /// A client certificate (mutual TLS). An `HTTPClient` has one identity at most, because libcurl 7.88 may reuse a
    /// connection across certificates.
    public struct Identity: Sendable, Equatable {
        /// The PEM file of the certificate, with its intermediates.
        public var certificateFile: String
        /// The PEM file of the private key, unencrypted.
        public var keyFile: String

        /// Names the two files.
        public init(certificateFile: String, keyFile: String) {
            self.certificateFile = certificateFile
            self.keyFile = keyFile
        }
    }

    /// The time that connecting may take, TLS handshake included.
    public var connectTimeout: Duration
    /// The PEM file of the authorities that servers' certificates are checked against, instead of the system's.
    public var certificateAuthorityFile: String?
    /// The client certificate, if there is one.
    public var identity: Identity?
    /// The proxy.
    public var proxy: Proxy
    /// How many idle connections are kept open for reuse, per event loop.
    public var maxIdleConnections: Int
    /// How long an idle connection may wait to be reused. Shorter than what servers commonly allow, so that they
    /// seldom close it first.
    public var maxIdleTime: Duration

    /// The Unix socket to connect to, whatever host a URL names; `nil` for the network.
    public var unixSocket: String?
    /// Whether a server's certificate has to lead to a known authority and bear the host's name. Only for a server on this
    /// machine that is asked by another name than its certificate's.
    public var checksCertificate = true

    /// Makes a configuration.
    public init(
        connectTimeout: Duration = .seconds(5), certificateAuthorityFile: String? = nil, identity: Identity? = nil,
        proxy: Proxy = .environment, maxIdleConnections: Int = 32, maxIdleTime: Duration = .seconds(60)
    ) {
        self.connectTimeout = connectTimeout
        self.certificateAuthorityFile = certificateAuthorityFile
        self.identity = identity
        self.proxy = proxy
        self.maxIdleConnections = maxIdleConnections
        self.maxIdleTime = maxIdleTime
    }
}
