/// Where a Redis server listens.
public enum RedisAddress: Sendable, Equatable, CustomStringConvertible {
    /// On a network: a host's name or address, an IPv6 one without brackets.
    case network(host: String, port: Int)
    /// On a Unix socket of this machine.
    case socket(path: String)

    /// As in a configuration.
    public var description: String {
        switch self {
        case .network(let host, let port): "redis://\(host.contains(":") ? "[\(host)]" : host):\(port)"
        case .socket(let path): "redis+unix:\(path)"
        }
    }
}
