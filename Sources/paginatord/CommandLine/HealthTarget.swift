import HTTPModel

/// A running service as its health check sees it.
struct HealthTarget: Sendable, Equatable {
    /// The URL of `/livez`.
    var url: String
    /// The Unix socket to connect to instead of the URL's host.
    var unixSocket: String?
    /// Whether its certificate is to be checked. Not where the service was found by its own configuration: its
    /// certificate is made out to a name, and it is asked by its address.
    var checksCertificate = true

    /// The target that a person names: a URL without or with a path, or `unix:/path`. `nil` for anything else.
    init?(_ text: String) {
        if text.hasPrefix("unix:") {
            guard let listener = Listener.parse(text)?.first, case .unix(let path) = listener.address else {
                return nil
            }
            (url, unixSocket) = (Self.socketURL, path)
            return
        }
        guard let (authority, target) = authorityAndTarget(ofURL: text), !authority.isEmpty, !authority.contains("@"),
            RequestTarget(text) != nil
        else { return nil }
        let base = text.hasPrefix("https://") ? "https://\(authority)" : "http://\(authority)"
        url = base + (target == "/" ? "/livez" : target)
    }

    /// The target that a configuration leads to: the first listener with health that can be reached by what is written of
    /// it.
    init?(_ configuration: Configuration) {
        let admin = configuration.adminListeners
        for listener in admin.isEmpty ? configuration.listeners : admin {
            switch listener.address {
            case .tcp(let host, let port) where port != 0:
                let reachable = host == "0.0.0.0" ? "127.0.0.1" : host == "::" ? "::1" : host
                let scheme = configuration.tls == nil ? "http" : "https"
                url = "\(scheme)://\(BindAddress.tcp(host: reachable, port: port))/livez"
                checksCertificate = false
                return
            case .unix(let path):
                (url, unixSocket) = (Self.socketURL, path)
                return
            default: continue
            }
        }
        return nil
    }

    /// What is asked for over a Unix socket, whose host is known anyway.
    private static let socketURL = "http://localhost/livez"
}
