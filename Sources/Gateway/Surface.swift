public import HTTPModel

/// Which part of the interface a listener shows.
public enum Surface: Sendable {
    /// All of it.
    case whole
    /// All but what is on an admin listener.
    case service
    /// What an admin listener is for: how the process is doing.
    case health

    /// Whether a route is there.
    func shows(_ route: Route) -> Bool {
        switch self {
        case .whole: true
        case .service: !route.isHealth
        case .health: route.isHealth
        }
    }
}

extension Gateway {
    /// The interface as a listener shows it: elsewhere there is nothing.
    public func responder(showing surface: Surface) -> any Responder {
        PartialGateway(gateway: self, surface: surface)
    }
}

private struct PartialGateway: Responder {
    let gateway: Gateway
    let surface: Surface

    func receive(_ head: RequestHead) -> Reception {
        gateway.receive(head, on: surface)
    }

    func refusal(of head: RequestHead, for fault: HeadFault) -> Response {
        gateway.refusal(of: head, for: fault)
    }
}
