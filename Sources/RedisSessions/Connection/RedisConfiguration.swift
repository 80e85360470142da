public import TableAPI

/// How a Redis (or Valkey) server is reached.
public struct RedisConfiguration: Sendable {
    /// Where it listens.
    public var address: RedisAddress
    /// Which of its databases is used.
    public var database: Int
    /// As which user; `nil` for the server's default one.
    public var username: String?
    /// The user's password; `nil` where none is asked for.
    public var password: Secret?
    /// How long connecting and introducing oneself may take.
    public var connectTimeout: Duration
    /// How long a command may take, waiting for a connection included.
    public var commandTimeout: Duration
    /// When who is silent is taken for gone.
    var silenceLimits = SilenceLimits()

    /// Makes a configuration.
    public init(
        address: RedisAddress, database: Int = 0, username: String? = nil, password: Secret? = nil,
        connectTimeout: Duration = .seconds(2), commandTimeout: Duration = .seconds(3)
    ) {
        self.address = address
        self.database = database
        self.username = username
        self.password = password
        self.connectTimeout = connectTimeout
        self.commandTimeout = commandTimeout
    }
}
