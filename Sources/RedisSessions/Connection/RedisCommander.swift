internal import EventLoops

/// Sends commands over one connection and hands out the replies, which come in the order of the commands.
///
/// While a connection is being made commands wait for it; once an attempt has failed they are refused at once, so that
/// nobody waits for a server that is away. A command whose time is up takes the connection with it, since the replies behind
/// it would be late too.
///
/// Safe because everything but `loop` and `send` from elsewhere is touched on the loop only.
final class RedisCommander: @unchecked Sendable {
    /// Who waits for a reply.
    typealias Caller = (Result<RedisReply, RedisError>) -> Void

    /// The loop.
    let loop: EventLoop

    private struct Pending {
        var command: RedisCommand
        /// In milliseconds of the loop's clock.
        var deadline: Int
        var caller: Caller
    }

    private let configuration: RedisConfiguration
    private let onChange: @Sendable (RedisError?) -> Void
    private var connection: RedisConnection?
    private var timer: LoopTimer?
    private var isTimerArmed = false
    /// Those sent, in order.
    private var sent = FirstInFirstOut<Pending>()
    /// Those that wait for the connection.
    private var waiting = FirstInFirstOut<Pending>()
    /// Why there is no connection, once that is known.
    private var failure: RedisError?

    /// Makes a commander that is not connected.
    ///
    /// - Parameter onChange: called on the loop with why the connection is away, and with `nil` when it is there.
    init(
        _ configuration: RedisConfiguration, on loop: EventLoop, onChange: @escaping @Sendable (RedisError?) -> Void
    ) {
        self.configuration = configuration
        self.loop = loop
        self.onChange = onChange
    }

    /// Begins to connect; on the loop.
    func start() {
        loop.assertCurrent()
        guard connection == nil, failure == nil else { return }
        // Safe because `close` ends the timer and the connection, and the client has it called before it lets this object go.
        timer = try? LoopTimer(on: loop) { [unowned self] in timeIsUp() }
        let connection = RedisConnection(
            configuration, on: loop,
            RedisConnection.Handlers(
                ready: { [unowned self] in isReady() }, received: { [unowned self] in receive($0) },
                lost: { [unowned self] in isLost($0) }))
        self.connection = connection
        connection.start()
    }

    /// Sends a command; on the loop. The caller is called exactly once.
    func send(_ command: RedisCommand, _ caller: @escaping Caller) {
        loop.assertCurrent()
        if let failure { return caller(.failure(failure)) }
        guard let connection else { return caller(.failure(.stopped)) }
        let pending = Pending(
            command: command, deadline: loop.now + milliseconds(configuration.commandTimeout), caller: caller)
        if connection.isReady {
            connection.send(command)
            sent.append(pending)
        } else {
            waiting.append(pending)
        }
        arm(pending.deadline)
    }

    /// Sends a command, from any task; one that prefers this loop is served without a change of thread.
    @concurrent func send(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        let result = await withCheckedContinuation { continuation in
            if loop.isCurrent {
                send(command) { continuation.resume(returning: $0) }
            } else {
                let accepted = loop.execute { self.send(command) { continuation.resume(returning: $0) } }
                if !accepted { continuation.resume(returning: .failure(.stopped)) }
            }
        }
        return try result.get()
    }

    /// Fails what is under way, closes the connection and refuses what comes later; on the loop.
    func close() {
        loop.assertCurrent()
        failure = .stopped
        connection?.close()
        connection = nil
        timer?.close()
        timer = nil
        end(.stopped)
    }

    private func isReady() {
        failure = nil
        while let pending = waiting.popFirst() {
            connection?.send(pending.command)
            sent.append(pending)
        }
        onChange(nil)
    }

    private func isLost(_ error: RedisError) {
        // Those not sent are told so; for the others nobody knows.
        failure = error.standing
        end(error)
        onChange(failure)
    }

    private func end(_ error: RedisError) {
        let unknown: RedisError = error == .stopped ? .stopped : .lost(error.description)
        let unsent = error.standing
        var (lost, refused) = (sent, waiting)
        sent = FirstInFirstOut()
        waiting = FirstInFirstOut()
        while let pending = lost.popFirst() { pending.caller(.failure(unknown)) }
        while let pending = refused.popFirst() { pending.caller(.failure(unsent)) }
    }

    private func receive(_ reply: RedisReply) {
        guard let pending = sent.popFirst() else {
            connection?.drop(.away("\(configuration.address) sent what nobody asked for"))
            return
        }
        guard case .failure(let text) = reply else { return pending.caller(.success(reply)) }
        let error = RedisError(reply: text)
        pending.caller(.failure(error))
        if case .refused(let refusal, _) = error, refusal.concernsConnection { connection?.drop(error) }
    }

    private func arm(_ deadline: Int) {
        guard !isTimerArmed else { return }
        isTimerArmed = true
        timer?.start(after: .milliseconds(max(1, deadline - loop.now)))
    }

    private func timeIsUp() {
        isTimerArmed = false
        // The same time for everybody, so the first of each row is the next to be due.
        if let first = sent.first, first.deadline <= loop.now {
            connection?.drop(.lost("\(configuration.address) did not answer within \(configuration.commandTimeout)"))
        }
        while let first = waiting.first, first.deadline <= loop.now {
            _ = waiting.popFirst()
            first.caller(
                .failure(.away("no connection to \(configuration.address) within \(configuration.commandTimeout)")))
        }
        if let next = [sent.first?.deadline, waiting.first?.deadline].compactMap({ $0 }).min() { arm(next) }
    }
}

/// A duration in whole milliseconds, rounded up.
func milliseconds(_ duration: Duration) -> Int {
    let (seconds, attoseconds) = duration.components
    return Int(seconds) * 1000 + Int((attoseconds + 999_999_999_999_999) / 1_000_000_000_000_000)
}
