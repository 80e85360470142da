import EventLoops
import HTTPModel
import HTTPServer
import Observability
import TableAPI

/// An HTTP server, from its start to a signal that ends it.
struct RunningServer {
    /// The signals that end the process, taken over before anything that takes time was begun: the first process of a
    /// container does not notice those that come before.
    let signals: AsyncStream<ProcessSignal>
    /// The server.
    let server: HTTPServer
    /// The server of the admin listener. It has connections of its own, and answers until the other one has stopped.
    var admin: HTTPServer?
    /// The sockets that both listen on.
    let listeners: [BoundListener]
    /// What is read again on each SIGHUP.
    var renewals = Renewals()

    /// Starts serving, says where on standard output, and stops when SIGTERM or SIGINT has come. A further one ends the
    /// grace.
    ///
    /// - Parameter stopping: is told of the signal before the server stops.
    /// - Throws: `HTTPServerError` where it cannot start.
    func serveUntilSignal(
        console: Console, grace: Duration, started: () async -> Void, stopping: (String) -> Void
    ) async throws(HTTPServerError) {
        try await server.start()
        do throws(HTTPServerError) {
            try await admin?.start()
        } catch {
            await server.stop(grace: .zero)
            throw error
        }
        console.output(listeners.map { "listening on \($0)\n" }.joined())
        await started()
        // Never given up, so that no signal has its former effect while the service stops.
        var iterator = signals.makeAsyncIterator()
        var signal = await iterator.next()
        while signal == .hangUp {
            await renewals.run()
            signal = await iterator.next()
        }
        switch signal {
        case .interrupt: stopping("SIGINT")
        case nil: stopping("the event loop ended")
        default: stopping("SIGTERM")
        }
        let hurrying = Task { [server] in
            for await signal in signals where signal != .hangUp { server.endGrace() }
        }
        await server.stop(grace: grace)
        await admin?.stop(grace: .zero)
        _ = hurrying
    }
}

extension EventLoopGroup {
    /// Takes over the signals that end the process.
    ///
    /// - Parameter renews: whether SIGHUP is taken over as well, and then has things read again instead of ending the process.
    /// - Throws: `EventLoopError` where the system refuses.
    func processSignals(renews: Bool) async throws(EventLoopError) -> AsyncStream<ProcessSignal> {
        try await loops[0].signals(renews ? [.terminate, .interrupt, .hangUp] : [.terminate, .interrupt])
    }
}

extension HTTPServerConfiguration {
    /// The bounds of a configuration, and a log for the server's own faults.
    init(_ limits: LimitsConfiguration, tls: TLSConfiguration?, observer: any Observer) {
        self.init()
        maxConnections = limits.connections
        headTimeout = limits.headTimeout
        bodyTimeout = limits.bodyTimeout
        idleTimeout = limits.idleTimeout
        stallTimeout = limits.stallTimeout
        maxHeadBytes = limits.requestHead
        self.tls = tls?.identity
        log = { observer.observe(.connectionFault($0)) }
        onFault = { observer.observe(.internalBug(detail: $0, requestID: nil)) }
    }
}

extension HTTPServerConfiguration {
    /// The same for the admin listener, with few connections, which are its own: it answers when the others have none left.
    var forAdmin: HTTPServerConfiguration {
        var configuration = self
        configuration.maxConnections = 64
        return configuration
    }
}
