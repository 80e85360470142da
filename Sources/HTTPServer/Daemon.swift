internal import CMicroHTTPD
internal import EventLoops
internal import Glibc
internal import HTTPModel
internal import Synchronization

/// One libmicrohttpd daemon: the connections of one kind on one loop, which an `Acceptor` hands to it.
///
/// It runs in external epoll mode: when its epoll descriptor is readable, whenever Swift code has resumed something,
/// and again as long as it says that it has more to do. Everything here happens on the loop.
///
/// libmicrohttpd has no time limit of its own: it knows one for everything, and would cut heads, bodies and answers that
/// have other deadlines, as well as readers whose answer the system has taken over long ago. Each connection has at every
/// moment one deadline, which `sweep` looks at, or a responder or producer that it waits for.
///
/// Safe because every method asserts or runs on the loop; and libmicrohttpd, which holds no reference to this object,
/// is stopped by `close` before `whileRunning` lets it go.
final class Daemon: @unchecked Sendable {
    /// The loop that it runs on.
    let loop: EventLoop
    /// What all loops of the server share.
    let state: ServerState
    /// How peers reach it.
    let kind: ConnectionKind
    /// The identity of a daemon that speaks TLS.
    private let tls: HTTPServerConfiguration.TLS?
    /// How many connections it has, those on their way to it among them. From any thread.
    let load = Atomic<Int>(0)
    /// Whether something was resumed since libmicrohttpd last ran.
    private var needsRun = false
    /// Whether everything is being cut: nothing may be suspended any more.
    private(set) var isCutting = false

    /// The server's time limits, in the loop's milliseconds.
    let headTimeout: Int
    private let idleTimeout: Int
    /// How long the peer may take for the next part of an answer.
    let stallTimeout: Int
    private var handle: OpaquePointer?
    private var connections: [Connection] = []
    /// The same connections, each at the place of its socket's number.
    private(set) var byDescriptor: [Connection?] = []
    /// How many connections libmicrohttpd has ever taken.
    private var openedCount = 0
    /// Connections that libmicrohttpd has not been given yet.
    private var arrivals: [Acceptor.Accepted] = []
    private var watch: DescriptorWatch?
    private var sweeper: LoopTimer?
    private var isSweeping = false
    private var graceTimer: LoopTimer?
    private var settler: SettlerID?
    /// This object, as long as libmicrohttpd and the loop point to it.
    private var whileRunning: Daemon?
    private var isRunning = false
    private var isDraining = false
    /// The grace of a stop that was asked for and has not begun.
    private var grace: Duration?
    private var stopped: (@Sendable () -> Void)?
    /// Who is told of the end of a daemon that takes no new connections.
    private var retired: (@Sendable () -> Void)?
    private var lastMessage = ""
    /// Whether libmicrohttpd's message is about a connection that is closed on purpose.
    private var isClosingOnPurpose = false

    /// Makes a daemon that is not running.
    init(
        _ loop: EventLoop, _ state: ServerState, _ kind: ConnectionKind, _ tls: HTTPServerConfiguration.TLS? = nil
    ) {
        self.loop = loop
        self.state = state
        self.kind = kind
        self.tls = tls
        headTimeout = milliseconds(state.configuration.headTimeout)
        idleTimeout = milliseconds(state.configuration.idleTimeout)
        stallTimeout = milliseconds(state.configuration.stallTimeout)
    }

    // MARK: Start and stop

    /// Starts libmicrohttpd.
    ///
    /// - Throws: `HTTPServerError.cannotStart`.
    func start() throws(HTTPServerError) {
        loop.assertCurrent()
        guard let started = startLibrary() else {
            throw .cannotStart(lastMessage.isEmpty ? "libmicrohttpd refused" : lastMessage)
        }
        handle = started
        whileRunning = self
        do throws(EventLoopError) {
            // Safe because `close` ends all four, which hold this object unowned, before `whileRunning` lets it go.
            sweeper = try LoopTimer(on: loop) { [unowned self] in sweep() }
            graceTimer = try LoopTimer(on: loop) { [unowned self] in endGrace() }
            let watch = try DescriptorWatch(cmhd_epoll_descriptor(started), on: loop) { [unowned self] _ in run() }
            watch.update(.readable)
            self.watch = watch
            settler = loop.addSettler { [unowned self] in settle() }
        } catch {
            close()
            throw .cannotStart(error.description)
        }
    }

    private func startLibrary() -> OpaquePointer? {
        let configuration = state.configuration
        var options = cmhd_options()
        options.flags =
            MHD_USE_EPOLL.rawValue | MHD_ALLOW_SUSPEND_RESUME.rawValue | MHD_USE_ERROR_LOG.rawValue
            | MHD_USE_NO_LISTEN_SOCKET.rawValue
        // The acceptor keeps the server's limit; this one must never come first.
        options.connection_limit = UInt32(
            clamping: configuration.maxConnections.addingReportingOverflow(64).partialValue)
        // The response's head comes from the same memory: without room of its own the peer would get no answer.
        options.memory_limit = max(4 << 10, configuration.maxHeadBytes) + responseHeadBytes
        guard kind == .tls, let tls else { return cmhd_start(options, callbacks) }
        options.flags |= MHD_USE_TLS.rawValue
        // libmicrohttpd reads the three texts while it starts.
        return tls.key.withCString { key in
            tls.certificateChain.withCString { certificate in
                tls.priorities.withCString { priorities in
                    options.tls_key = key
                    options.tls_certificate = certificate
                    options.tls_priorities = priorities
                    return cmhd_start(options, callbacks)
                }
            }
        }
    }

    /// Ends the grace of a stop before its time, so that everything is cut.
    func endGrace() {
        loop.assertCurrent()
        isCutting = true
    }

    /// Closes idle connections, ends streams, and calls `stopped` once no connection is left. After
    /// the grace everything is cut.
    func stop(grace: Duration, stopped: @escaping @Sendable () -> Void) {
        loop.assertCurrent()
        guard handle != nil else { return stopped() }
        self.stopped = stopped
        self.grace = grace
        // Not here: this may run inside libmicrohttpd, from a queue that a request's start has drained.
        askForRun()
    }

    /// Goes on until the last of its connections has ended, and then calls `ended`. No acceptor may know it any more.
    func retire(ended: @escaping @Sendable () -> Void) {
        loop.assertCurrent()
        guard handle != nil else { return ended() }
        retired = ended
        askForRun()
    }

    private func beginDraining(_ handle: OpaquePointer, _ grace: Duration) {
        isDraining = true
        // What has arrived already is a request under way, not an idle connection.
        run()
        for connection in connections {
            if let exchange = connection.exchange { exchange.drain() } else { connection.cut() }
        }
        graceTimer?.start(after: grace)
    }

    /// Stops libmicrohttpd, which aborts the process if a connection is suspended then: so all are resumed first.
    private func close() {
        loop.assertCurrent()
        isCutting = true
        for connection in connections {
            connection.exchange?.abandon()
            connection.cut()
        }
        if let handle {
            cmhd_run(handle, receiver)
            MHD_stop_daemon(handle)
        }
        handle = nil
        takeArrivals()
        for timer in [sweeper, graceTimer] { timer?.close() }
        watch?.close()
        (sweeper, graceTimer, watch) = (nil, nil, nil)
        if let settler { loop.removeSettler(settler) }
        settler = nil
        stopped?()
        retired?()
        (stopped, retired) = (nil, nil)
        whileRunning = nil
    }

    // MARK: Running

    /// Lets libmicrohttpd run before the loop waits. On the loop; also from inside libmicrohttpd, this daemon's or another's.
    func askForRun() {
        needsRun = true
        loop.unsettle()
    }

    private func run() {
        loop.assertCurrent()
        guard let handle, !isRunning else { return }
        isRunning = true
        needsRun = false
        cmhd_run(handle, receiver)
        isRunning = false
    }

    /// Lets libmicrohttpd do what it can do without a further event; false where it has still more after a while.
    private func settle() -> Bool {
        for _ in 0..<4 {
            if !arrivals.isEmpty { takeArrivals() }
            if needsRun { run() }
            if let handle, let grace {
                self.grace = nil
                beginDraining(handle, grace)
            }
            if isDraining ? isCutting || connections.isEmpty : hasRetired {
                close()
                return true
            }
            guard let handle else { return true }
            var milliseconds: UInt64 = 0
            // Without a time limit of its own it has either something to do at once or nothing.
            if MHD_get_timeout(handle, &milliseconds) != .YES { return true }
            needsRun = true
        }
        return false
    }

    /// Whether a daemon that gets no new connections has lost its last one; those on their way to it count.
    private var hasRetired: Bool {
        retired != nil && load.load(ordering: .relaxed) == 0
    }

    // MARK: Connections

    /// Takes over a connection that was accepted and counted.
    func add(_ accepted: Acceptor.Accepted) {
        loop.assertCurrent()
        // Not yet: this may run inside libmicrohttpd, from a queue that a request's start has drained.
        arrivals.append(accepted)
        askForRun()
        if handle == nil { takeArrivals() }
    }

    private func takeArrivals() {
        for accepted in arrivals {
            let count = openedCount
            if let handle, !isDraining {
                // libmicrohttpd closes a socket that it does not take.
                accepted.withAddress { _ = MHD_add_connection(handle, accepted.descriptor, $0, $1) }
            } else {
                Glibc.close(accepted.descriptor)
            }
            // One that it took and closed at once has been counted out already.
            if openedCount == count { released() }
        }
        arrivals.removeAll(keepingCapacity: true)
    }

    private func released() {
        state.giveRoom()
        load.subtract(1, ordering: .relaxed)
    }

    /// libmicrohttpd has taken a connection.
    func opened(_ descriptor: Int32) -> Connection {
        loop.assertCurrent()
        let connection = Connection(descriptor, deadline: loop.now + headTimeout)
        openedCount += 1
        connection.index = connections.count
        connections.append(connection)
        let missing = Int(descriptor) + 1 - byDescriptor.count
        if missing > 0 { byDescriptor += [Connection?](repeating: nil, count: missing) }
        byDescriptor[Int(descriptor)] = connection
        if !isSweeping {
            isSweeping = true
            sweeper?.start(every: sweepInterval)
        }
        return connection
    }

    /// A request line has come.
    func headBegan(on connection: Connection, target: ReceivedTarget) {
        loop.assertCurrent()
        connection.target = target
        connection.hadEnded = false
    }

    /// A connection was closed; its socket is no longer ours.
    func closed(_ connection: Connection) {
        loop.assertCurrent()
        released()
        connection.exchange = nil
        byDescriptor[Int(connection.descriptor)] = nil
        connections.swapAt(connection.index, connections.count - 1)
        connections[connection.index].index = connection.index
        connections.removeLast()
        if connections.isEmpty {
            isSweeping = false
            sweeper?.stop()
        }
    }

    /// A request has ended.
    func ended(_ connection: Connection) {
        loop.assertCurrent()
        isClosingOnPurpose = false
        connection.exchange?.end()
        connection.exchange = nil
        connection.progress = nil
        connection.hadEnded = false
        // What has come behind the request is the beginning of the next one's head.
        connection.isIdle = !connection.stream.hasMore
        connection.deadline = loop.now + (connection.isIdle ? idleTimeout : headTimeout)
        if isDraining || (connection.endIsKeptBack && !connection.stream.hasMore) { connection.cut() }
    }

    /// Cuts what has missed a deadline, and wakes streams whose peer is known to have gone.
    private func sweep() {
        loop.assertCurrent()
        cutHalfClosed(among: connections)
        let now = ContinuousClock.now
        for connection in connections {
            guard let exchange = connection.exchange else {
                if let deadline = connection.deadline, deadline < loop.now { connection.cut() }
                continue
            }
            if let deadline = exchange.bodyDeadline, deadline < now { connection.cut() }
            if takesTooLong(connection, with: exchange) { connection.reset() }
            if exchange.isWaitingForProducer, hasGone(connection.descriptor) { exchange.peerHasGone() }
        }
    }

    /// A request is about to be ended without an answer because its responder wants that. libmicrohttpd takes it for a
    /// fault and says so; nobody is to hear that.
    func closesOnPurpose() {
        loop.assertCurrent()
        isClosingOnPurpose = true
    }

    /// Keeps a message of libmicrohttpd and passes it on.
    func log(_ message: String) {
        guard !isClosingOnPurpose else { return }
        lastMessage = message
        state.configuration.log(withoutQuotations(message))
    }
}

private func milliseconds(_ duration: Duration) -> Int {
    Int(clamping: duration.components.seconds) * 1000 + Int(duration.components.attoseconds / 1_000_000_000_000_000)
}

/// Room for a response's head beside the request's.
private let responseHeadBytes = 16 << 10

private let sweepInterval = Duration.milliseconds(500)

/// Whether the peer has reset the connection. A peer that has only ended its direction still reads.
private func hasGone(_ descriptor: Int32) -> Bool {
    var poll = pollfd(fd: descriptor, events: 0, revents: 0)
    return Glibc.poll(&poll, 1, 0) == 1 && poll.revents & Int16(POLLERR | POLLHUP) != 0
}

/// The message without what libmicrohttpd quotes as `…' in it: request targets, which may hold the names of sessions and
/// queries.
private func withoutQuotations(_ message: String) -> String {
    guard let start = message.firstIndex(of: "`"), let end = message.lastIndex(of: "'"), start < end else {
        return message
    }
    return message[..<start] + "…" + message[message.index(after: end)...]
}
