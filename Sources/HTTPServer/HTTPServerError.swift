/// Why a server cannot listen or start.
public enum HTTPServerError: Error, Equatable, CustomStringConvertible {
    /// Somebody else listens there.
    case addressInUse(String)
    /// The machine has no such address or no such address family.
    case addressUnavailable(String)
    /// The process may not listen there.
    case notPermitted(String)
    /// It is no address, or the descriptor is no listening socket; `reason` says which and why.
    case unusableAddress(String, reason: String)
    /// TLS was asked for without a certificate, or libmicrohttpd refused to start; the text is what it said.
    case cannotStart(String)

    /// One line for a person.
    public var description: String {
        switch self {
        case .addressInUse(let address): "\(address) is already in use"
        case .addressUnavailable(let address): "\(address) is not an address of this machine"
        case .notPermitted(let address): "not permitted to listen on \(address)"
        case .unusableAddress(let address, let reason): "cannot listen on \(address): \(reason)"
        case .cannotStart(let reason): "the HTTP server cannot start: \(reason)"
        }
    }
}
