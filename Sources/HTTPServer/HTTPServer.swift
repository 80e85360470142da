public import EventLoops
public import HTTPModel
internal import Synchronization

/// An HTTP/1.1 server: libmicrohttpd on every event loop of a group, in front of a `Responder`.
///
/// A connection stays on the loop that it was given to, and so do the tasks that answer its requests.
public final class HTTPServer: Sendable {
    private let listeners: [BoundListener]
    private let state: ServerState
    private let group: EventLoopGroup
    /// What runs now.
    private struct Running {
        var daemons: [Daemon] = []
        var acceptors: [Acceptor] = []
        /// How often the certificate was renewed.
        var generation = 0
        var isStopping = false
    }
    private let running = Mutex(Running())
    /// Those that `stop` waits for.
    private let stopping = Mutex<[Daemon]>([])
    private let isHurried = Atomic(false)

    /// Makes a server that is not running.
    ///
    /// - Parameters:
    ///   - listeners: where it listens; it closes them when it stops.
    ///   - responder: is called on the loops and must not block.
    ///   - group: the loops, which must outlive the server.
    public init(
        listeners: [BoundListener], configuration: HTTPServerConfiguration = HTTPServerConfiguration(),
        responder: any Responder, group: EventLoopGroup
    ) {
        self.listeners = listeners
        state = ServerState(configuration, responder)
        self.group = group
    }

    /// Whether it is stopping or has stopped.
    public var isDraining: Bool { state.isDraining }

    /// How many connections are open, over all loops.
    public var connectionCount: Int { state.connectionCount }

    /// How many libmicrohttpd daemons run: one per loop and kind of listener, and those whose certificate was renewed while
    /// they had connections.
    var daemonCount: Int { running.withLock { $0.daemons.count } }

    /// Begins to accept connections.
    ///
    /// - Throws: `HTTPServerError.cannotStart`; nothing runs then.
    @concurrent public func start() async throws(HTTPServerError) {
        do throws(HTTPServerError) {
            if state.configuration.tls == nil, let listener = listeners.first(where: { $0.kind == .tls }) {
                throw .cannotStart("\(listener) has no certificate")
            }
            for kind in Set(listeners.map(\.kind)) {
                var workers: [Daemon] = []
                for loop in group.loops {
                    let daemon = Daemon(loop, state, kind, state.configuration.tls)
                    try await on(loop) { () throws(HTTPServerError) in try daemon.start() }
                    running.withLock { $0.daemons.append(daemon) }
                    workers.append(daemon)
                }
                for listener in listeners where listener.kind == kind {
                    let acceptor = Acceptor(try listener.duplicate(), of: kind, on: group.next(), state, workers)
                    running.withLock { $0.acceptors.append(acceptor) }
                    try await on(acceptor.loop) { () throws(HTTPServerError) in try acceptor.start() }
                }
            }
        } catch {
            await stop(grace: .zero)
            throw error
        }
    }

    /// Gives every new connection over TLS that identity. Open ones keep the one that they have and go on, on daemons that
    /// end with the last of them. A server that is stopping, or has no listener with TLS, changes nothing.
    ///
    /// - Throws: `HTTPServerError.cannotStart` where the identity is refused; the former one stays in use.
    @concurrent public func renewTLS(_ tls: HTTPServerConfiguration.TLS) async throws(HTTPServerError) {
        guard listeners.contains(where: { $0.kind == .tls }) else { return }
        var successors: [Daemon] = []
        do throws(HTTPServerError) {
            for loop in group.loops {
                let daemon = Daemon(loop, state, .tls, tls)
                try await on(loop) { () throws(HTTPServerError) in try daemon.start() }
                successors.append(daemon)
            }
        } catch {
            await discard(successors)
            throw error
        }
        let change = running.withLock { running -> (former: [Daemon], acceptors: [Acceptor], generation: Int)? in
            guard !running.isStopping else { return nil }
            let former = running.daemons.filter { $0.kind == .tls }
            running.daemons += successors
            running.generation += 1
            return (former, running.acceptors.filter { $0.kind == .tls }, running.generation)
        }
        guard let (former, acceptors, generation) = change else { return await discard(successors) }
        for acceptor in acceptors {
            try await on(acceptor.loop) { [successors] in acceptor.use(successors, generation: generation) }
        }
        await retire(former)
    }

    /// Ends daemons that never had a connection.
    private func discard(_ daemons: [Daemon]) async {
        for daemon in daemons {
            await withCheckedContinuation { (ended: CheckedContinuation<Void, Never>) in
                let isRunning = daemon.loop.execute { daemon.retire { ended.resume() } }
                if !isRunning { ended.resume() }
            }
        }
    }

    /// Tells daemons that no acceptor knows any more to end with their last connection; does not wait for that.
    private func retire(_ daemons: [Daemon]) async {
        for daemon in daemons {
            try? await on(daemon.loop) {
                daemon.retire { [self] in running.withLock { $0.daemons.removeAll { $0 === daemon } } }
            }
        }
    }

    /// Runs the closure on that loop and waits for its outcome.
    private func on(
        _ loop: EventLoop, _ body: @escaping @Sendable () throws(HTTPServerError) -> Void
    ) async throws(HTTPServerError) {
        let result = await withCheckedContinuation {
            (done: CheckedContinuation<Result<Void, HTTPServerError>, Never>) in
            let isRunning = loop.execute { done.resume(returning: Result(catching: body)) }
            if !isRunning { done.resume(returning: .failure(.cannotStart("the event loop has ended"))) }
        }
        try result.get()
    }

    /// Starts, serves until the calling task is cancelled, and stops.
    ///
    /// - Parameter grace: see `stop(grace:)`.
    /// - Throws: `HTTPServerError.cannotStart`.
    @concurrent public func run(grace: Duration = .seconds(10)) async throws(HTTPServerError) {
        try await start()
        // A stream that nobody feeds ends when the task that waits for it is cancelled.
        let (forever, source) = AsyncStream<Never>.makeStream()
        for await _ in forever {}
        source.finish()
        await stop(grace: grace)
    }

    /// Stops in order: no new connection is taken, idle ones are closed, requests under way are answered and are their
    /// connections' last, streamed bodies are ended. What is still there after the grace is cut. Returns when no
    /// connection is left and the listeners are closed.
    @concurrent public func stop(grace: Duration) async {
        state.drain()
        for listener in listeners { listener.close() }
        let acceptors = running.withLock { running in
            running.isStopping = true
            return running.acceptors
        }
        for acceptor in acceptors { try? await on(acceptor.loop) { acceptor.stop() } }
        let daemons = running.withLock { running in
            defer { running.daemons = [] }
            return running.daemons
        }
        stopping.withLock { $0 = daemons }
        let grace = isHurried.load(ordering: .sequentiallyConsistent) ? .zero : grace
        await withTaskGroup { group in
            for daemon in daemons {
                group.addTask {
                    await withCheckedContinuation { (stopped: CheckedContinuation<Void, Never>) in
                        let isRunning = daemon.loop.execute { daemon.stop(grace: grace) { stopped.resume() } }
                        if !isRunning { stopped.resume() }
                    }
                }
            }
        }
    }

    /// Ends the grace of `stop`, whether it is under way or still to come: what is still there is cut. From any thread.
    public func endGrace() {
        isHurried.store(true, ordering: .sequentiallyConsistent)
        for daemon in stopping.withLock({ $0 }) { daemon.loop.execute { daemon.endGrace() } }
    }
}
