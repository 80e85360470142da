/// Who may call, beside callers on this machine that are no web pages.
public struct AccessPolicy: Sendable {
    /// The host names that the service answers to, beside loopback names and IP addresses.
    public var hosts: [String]
    /// The origins whose pages may call.
    public var origins: [WebOrigin]
    /// The access tokens; where there are none, nobody needs one.
    public var tokens: AccessTokens
    /// How many requests of one token may be under way.
    public var requestsPerToken: Int

    /// Makes a policy; the defaults are those of a service for its own machine.
    ///
    /// - Parameter hosts: names as `Host` has them, without a port.
    public init(
        hosts: [String] = [], origins: [WebOrigin] = [], tokens: AccessTokens = AccessTokens(),
        requestsPerToken: Int = 256
    ) {
        self.hosts = hosts
        self.origins = origins
        self.tokens = tokens
        self.requestsPerToken = requestsPerToken
    }
}
