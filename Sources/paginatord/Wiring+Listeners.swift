import HTTPServer
import Observability

/// The sockets that a command listens on.
///
/// - Throws: `HTTPServerError` where one that was asked for cannot be had.
func bind(
    _ listeners: [Listener], isTLS: Bool, observer: any Observer
) throws(HTTPServerError) -> [BoundListener] {
    var bound: [BoundListener] = []
    for (number, listener) in listeners.enumerated() {
        // Taken over twice, a descriptor would be closed twice, and the second time be somebody else's.
        if case .descriptor = listener.address, listeners[..<number].contains(where: { $0.address == listener.address })
        {
            throw .addressInUse(listener.address.description)
        }
        do throws(HTTPServerError) {
            bound.append(try BoundListener(ListenAddress(listener.address), isTLS: isTLS))
        } catch {
            guard listener.isOptional, case .addressUnavailable = error else { throw error }
            observer.observe(
                .listenerSkipped(address: listener.address.description, reason: error.description))
        }
    }
    guard !bound.isEmpty else { throw .cannotStart("no address to listen on is available") }
    return bound
}

extension BoundListener {
    /// Whether others than this machine's processes can reach it.
    var isReachableByOthers: Bool {
        switch address {
        case .tcp(let host, _): isLoopback(host) != true
        case .unix: false
        case .descriptor: true
        }
    }
}

extension ListenAddress {
    /// The same address in the server's terms.
    init(_ address: BindAddress) {
        switch address {
        case .tcp(let host, let port): self = .tcp(host: host, port: port)
        case .unix(let path): self = .unix(path: path)
        case .descriptor(let descriptor): self = .descriptor(descriptor)
        }
    }
}
