/// Where the service is told to listen, before anything is bound.
enum BindAddress: Sendable, Hashable, CustomStringConvertible {
    /// A numeric address without brackets, or a host name; port 0 takes a free port.
    case tcp(host: String, port: UInt16)
    /// A Unix socket.
    case unix(path: String)
    /// A listening socket that the process was started with.
    case descriptor(Int32)

    /// The address as it is written in a configuration.
    var description: String {
        switch self {
        case .tcp(let host, let port): host.utf8.contains(0x3A) ? "[\(host)]:\(port)" : "\(host):\(port)"
        case .unix(let path): "unix:\(path)"
        case .descriptor(let descriptor): "fd:\(descriptor)"
        }
    }
}
