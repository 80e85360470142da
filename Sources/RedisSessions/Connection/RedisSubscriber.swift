internal import EventLoops

/// Listens to channels over a connection of its own, and to the same ones again after a loss.
///
/// Used on its loop only.
final class RedisSubscriber {
    /// What the owner is told, on the loop.
    struct Handlers {
        /// A message came.
        var message: (_ channel: String, _ bytes: [UInt8]) -> Void
        /// The server has confirmed that it sends what is published from now on.
        var confirmed: (_ channel: String) -> Void
        /// What is published from now on is not heard, until the channels are confirmed once more.
        var lost: (RedisError) -> Void
        /// The server is there.
        var ready: () -> Void
    }

    private let loop: EventLoop
    private let configuration: RedisConfiguration
    private let handlers: Handlers
    private var connection: RedisConnection?
    private var heartbeat: LoopTimer?
    /// Each with how many of its confirmations are still to come: the last one counts.
    private var channels: [String: Int] = [:]
    /// Those given up before they were confirmed, with how many confirmations are still to come.
    private var leaving: [String: Int] = [:]
    /// Whether anything has come since the latest heartbeat.
    private var isAlive = true

    /// How many channels one command names at most.
    private static let batch = 500

    /// Makes a subscriber that is not connected.
    init(_ configuration: RedisConfiguration, on loop: EventLoop, _ handlers: Handlers) {
        self.loop = loop
        self.configuration = configuration
        self.handlers = handlers
    }

    /// Begins to connect.
    func start() {
        loop.assertCurrent()
        guard connection == nil else { return }
        // Safe because `close` ends the connection and the timer, and the feeds call it before they let this object go.
        let connection = RedisConnection(
            configuration, on: loop,
            RedisConnection.Handlers(
                ready: { [unowned self] in isReady() }, received: { [unowned self] in receive($0) },
                lost: { [unowned self] in
                    heartbeat?.stop()
                    handlers.lost($0)
                }))
        self.connection = connection
        heartbeat = try? LoopTimer(on: loop) { [unowned self] in beat() }
        connection.start()
    }

    /// Listens to a channel; `confirmed` follows, perhaps only after a connection was made.
    func add(_ channel: String) {
        guard channels[channel] == nil else { return }
        channels[channel] = leaving[channel] ?? 0
        leaving[channel] = nil
        guard let connection, connection.isReady else { return }
        channels[channel, default: 0] += 1
        connection.send(RedisCommand(["SUBSCRIBE", .text(channel)]))
    }

    /// Listens to a channel no longer.
    func remove(_ channel: String) {
        guard let outstanding = channels.removeValue(forKey: channel), let connection, connection.isReady else {
            return
        }
        if outstanding > 0 { leaving[channel] = outstanding }
        connection.send(RedisCommand(["UNSUBSCRIBE", .text(channel)]))
    }

    /// Ends the connection.
    func close() {
        loop.assertCurrent()
        connection?.close()
        connection = nil
        heartbeat?.close()
        heartbeat = nil
    }

    private func isReady() {
        isAlive = true
        heartbeat?.start(every: configuration.silenceLimits.subscription)
        leaving = [:]
        let all = Array(channels.keys)
        for start in stride(from: 0, to: all.count, by: Self.batch) {
            let some = all[start..<min(start + Self.batch, all.count)]
            connection?.send(RedisCommand(["SUBSCRIBE"] + some.map { .text($0) }))
            for channel in some { channels[channel] = 1 }
        }
        handlers.ready()
    }

    private func receive(_ reply: RedisReply) {
        isAlive = true
        // Not an array: the answer to a PING while there is no subscription, or an error.
        if case .failure(let text) = reply { return connection?.drop(RedisError(reply: text)) ?? () }
        guard let elements = reply.elements, elements.count == 3, let channel = elements[1].text else { return }
        switch elements[0].text {
        case "message":
            if let bytes = elements[2].bytes, channels[channel] != nil { handlers.message(channel, bytes) }
        case "subscribe": isConfirmed(channel)
        default: return
        }
    }

    private func isConfirmed(_ channel: String) {
        if let outstanding = leaving[channel] {
            leaving[channel] = outstanding > 1 ? outstanding - 1 : nil
        } else if let outstanding = channels[channel] {
            channels[channel] = outstanding - 1
            if outstanding == 1 { handlers.confirmed(channel) }
        }
    }

    private func beat() {
        guard let connection, connection.isReady else { return }
        guard isAlive else {
            let silence = configuration.silenceLimits.subscription
            return connection.drop(.lost("\(configuration.address) has not answered for \(silence)"))
        }
        isAlive = false
        connection.send(RedisCommand(["PING"]))
    }
}
