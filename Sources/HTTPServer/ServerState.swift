internal import HTTPModel
internal import Synchronization

/// What all loops of one server share.
final class ServerState: Sendable {
    /// What the server may use and how long it waits.
    let configuration: HTTPServerConfiguration
    /// Who answers.
    let responder: any Responder
    private let connections = Atomic<Int>(0)
    private let draining = Atomic<Bool>(false)

    /// Makes the state of a server that has no connection yet.
    init(_ configuration: HTTPServerConfiguration, _ responder: any Responder) {
        self.configuration = configuration
        self.responder = responder
    }

    /// How many connections are open.
    var connectionCount: Int { connections.load(ordering: .relaxed) }

    /// Counts one connection more, unless there are as many as may be.
    func takeRoom() -> Bool {
        let taken = connections.add(1, ordering: .relaxed).newValue <= configuration.maxConnections
        if !taken { giveRoom() }
        return taken
    }

    /// Counts one connection less.
    func giveRoom() { connections.subtract(1, ordering: .relaxed) }

    /// Whether the server is stopping: every answer is then its connection's last.
    var isDraining: Bool { draining.load(ordering: .relaxed) }

    /// Begins to stop; it never goes back.
    func drain() { draining.store(true, ordering: .relaxed) }
}
