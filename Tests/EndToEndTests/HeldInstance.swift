import DemoInstance
import EventLoops
import HTTPServer
import PaginatordTesting
import Synchronization
import Testing

/// A demo instance in this process that counts what it is asked, and holds answers back until a test lets them go.
final class HeldInstance: Sendable {
    let url: String
    private let group: EventLoopGroup
    private let server: HTTPServer
    private let held: Held

    private final class Held: Sendable {
        let state = Mutex<(requests: Int, gates: [Int: Gate])>((0, [:]))

        func wait() async {
            let gate = state.withLock { state in
                state.requests += 1
                return state.gates[state.requests]
            }
            await gate?.wait()
        }
    }

    init(incidents: Int) async throws {
        let held = Held()
        // The latency is as long as a test wants.
        let instance = try await DemoInstance(incidents: incidents, latency: .milliseconds(300)) { _ in
            await held.wait()
        }
        group = try EventLoopGroup(count: 1)
        let listener = try BoundListener(.tcp(host: "127.0.0.1", port: 0))
        server = HTTPServer(listeners: [listener], responder: instance, group: group)
        try await server.start()
        url = "http://127.0.0.1:\(try #require(listener.port))"
        self.held = held
    }

    /// How many requests have come.
    var requests: Int { held.state.withLock(\.requests) }

    /// Holds back the answer to that request, counted from 1 on.
    func hold(request: Int) -> Gate {
        let gate = Gate()
        held.state.withLock { $0.gates[request] = gate }
        return gate
    }

    /// Holds back the answer to the next request.
    func holdNext() -> Gate { hold(request: requests + 1) }

    func stop() async {
        await server.stop(grace: .zero)
        await group.shutdown()
    }
}
