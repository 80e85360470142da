internal import EventLoops
internal import TableAPI

/// A connection to one server that comes back by itself: finds the host, connects, introduces itself, and after a loss begins
/// anew, with longer and longer rests.
///
/// Used on its loop only.
final class RedisConnection {
    /// What the owner is told, on the loop.
    struct Handlers {
        /// Commands can be sent.
        var ready: () -> Void
        /// A reply to one of the commands came.
        var received: (RedisReply) -> Void
        /// The connection was lost, or could not be made; another attempt will be.
        var lost: (RedisError) -> Void
    }

    private enum Phase: Equatable {
        case idle
        case finding
        case opening
        /// So many replies to the introduction are still to come.
        case introducing(Int)
        case ready
        case resting
        case closed
    }

    private let configuration: RedisConfiguration
    private let loop: EventLoop
    private let handlers: Handlers
    private var phase = Phase.idle
    private var socket: RedisSocket?
    private var timer: LoopTimer?
    private var backOff = BackOff()
    /// Where an attempt may still go.
    private var places: [RedisSocket.Place] = []
    /// Tells a lookup that was given up from the present one.
    private var attempt = 0

    /// Makes a connection that is not connected.
    init(_ configuration: RedisConfiguration, on loop: EventLoop, _ handlers: Handlers) {
        self.configuration = configuration
        self.loop = loop
        self.handlers = handlers
    }

    /// Whether commands can be sent.
    var isReady: Bool { phase == .ready }

    /// Begins to connect.
    func start() {
        guard phase == .idle else { return }
        do {
            // Safe because `close` ends the timer and the socket, and every owner calls it before it lets this object go.
            timer = try LoopTimer(on: loop) { [unowned self] in timeIsUp() }
            connect()
        } catch {
            phase = .closed
            handlers.lost(.away(error.description))
        }
    }

    /// Sends a command; to be called only while ready.
    func send(_ command: RedisCommand) {
        socket?.send(command)
    }

    /// Gives the connection up and makes a new one: the server is of no use as it is.
    func drop(_ error: RedisError) {
        guard phase != .closed, phase != .resting else { return }
        places = []
        fail(error)
    }

    /// Ends the connection for good.
    func close() {
        phase = .closed
        timer?.close()
        timer = nil
        socket?.close()
        socket = nil
    }

    private func connect() {
        attempt += 1
        timer?.start(after: configuration.connectTimeout)
        switch configuration.address {
        case .socket(let path):
            places = [.path(path)]
            open()
        case .network(let host, let port):
            phase = .finding
            let number = attempt
            let connection = OnLoop(self)
            HostLookup.begin(host, on: loop) { connection.value?.found($0, port: port, attempt: number) }
        }
    }

    private func found(_ result: Result<[String], RedisError>, port: Int, attempt: Int) {
        guard phase == .finding, attempt == self.attempt else { return }
        switch result {
        case .success(let addresses):
            places = addresses.map { .address($0, port: port) }
            open()
        case .failure(let error): fail(error)
        }
    }

    private func open() {
        var latest = RedisError.away("\(configuration.address) has no address")
        while !places.isEmpty {
            phase = .opening
            timer?.start(after: configuration.connectTimeout)
            do {
                // Safe because this object closes its socket, which then tells nothing any more, before it goes.
                socket = try RedisSocket(
                    to: places.removeFirst(), on: loop,
                    RedisSocket.Handlers(
                        connected: { [unowned self] in introduce() },
                        received: { [unowned self] in receive($0) },
                        failed: { [unowned self] in
                            let words = "\(configuration.address): \($0)"
                            fail(isReady ? .lost(words) : .away(words))
                        }))
                return
            } catch {
                latest = .away("\(configuration.address): \(error)")
            }
        }
        fail(latest)
    }

    private func introduce() {
        var commands: [RedisCommand] = []
        if let password = configuration.password?.revealed {
            let user = configuration.username.map { [RedisCommand.Argument.text($0)] } ?? []
            commands.append(RedisCommand(["AUTH"] + user + [.text(password)]))
        }
        if configuration.database != 0 { commands.append(RedisCommand(["SELECT", .integer(configuration.database)])) }
        // A server that is loading, takes no writes, or has no rights for what is needed, is of no use: what it did would be
        // done by half.
        let channel = RedisCommand.Argument.text("paginatord:events:probe")
        commands += [RedisCommand(["SUBSCRIBE", channel]), RedisCommand(["UNSUBSCRIBE", channel])]
        commands.append(RedisScript.probe.inFull([]))
        phase = .introducing(commands.count)
        for command in commands { socket?.send(command) }
    }

    private func receive(_ reply: RedisReply) {
        switch phase {
        case .introducing(let count):
            if case .failure(let text) = reply {
                let error = RedisError(reply: text)
                // With its memory full it still answers questions, and it will not be busy for ever.
                guard count == 1, [.outOfMemory, .busy].contains(error.refusal) else {
                    places = []
                    return fail(error)
                }
            }
            guard count == 1 else { return phase = .introducing(count - 1) }
            phase = .ready
            timer?.stop()
            backOff.reset()
            handlers.ready()
        case .ready: handlers.received(reply)
        case .opening:
            // Nobody has asked for anything yet: the server refuses connections, or it is none.
            guard case .failure(let text) = reply else { return fail(.away("\(configuration.address) is no Redis")) }
            fail(RedisError(reply: text))
        case .idle, .finding, .resting, .closed: return
        }
    }

    private func fail(_ error: RedisError) {
        guard phase != .closed else { return }
        let wasReady = isReady
        socket?.close()
        socket = nil
        if !wasReady, !places.isEmpty { return open() }
        phase = .resting
        timer?.start(after: backOff.next())
        handlers.lost(error)
    }

    private func timeIsUp() {
        switch phase {
        case .resting: connect()
        case .finding, .opening, .introducing:
            let seconds = configuration.connectTimeout
            fail(.away("\(configuration.address) did not answer within \(seconds)"))
        case .idle, .ready, .closed: return
        }
    }
}

/// An object that only its loop touches, on its way through a closure that others pass on.
///
/// Safe because the closure is called on the loop.
final class OnLoop<Object: AnyObject>: @unchecked Sendable {
    private(set) weak var value: Object?

    /// Keeps no reference.
    init(_ value: Object) {
        self.value = value
    }
}
