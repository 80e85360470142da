public import EventLoops
internal import Locks
internal import Synchronization

/// The way to one Redis server: a connection for commands on each loop of a group, and one for subscriptions on the first.
///
/// To be ended with `shutdown()` before its group is.
public final class RedisClient: Sendable {
    private let group: EventLoopGroup
    private let commanders: [RedisCommander]
    private let presence: Presence
    let configuration: RedisConfiguration

    /// Makes a client and begins to connect.
    ///
    /// - Parameter onChange: called, from any thread, with why the server is away when it is lost or cannot be reached, and
    ///   with `nil` when it is there again.
    public init(
        _ configuration: RedisConfiguration, on group: EventLoopGroup,
        onChange: @escaping @Sendable (_ reason: String?) -> Void = { _ in }
    ) {
        self.configuration = configuration
        self.group = group
        let presence = Presence(connections: group.loops.count + 1, onChange: onChange)
        self.presence = presence
        commanders = group.loops.enumerated().map { number, loop in
            RedisCommander(configuration, on: loop) { presence.connection(number, failed: $0) }
        }
        for commander in commanders { commander.loop.execute { commander.start() } }
    }

    deinit {
        for commander in commanders { commander.loop.execute { commander.close() } }
    }

    /// Whether every connection stands.
    public var isAvailable: Bool { presence.isWhole }

    /// Whether every connection for commands stands, be the one for subscriptions lost.
    var takesCommands: Bool { presence.takesCommands }

    /// Whether no connection stands.
    var isCutOff: Bool { presence.isCutOff }

    /// The commander on the first loop, where subscriptions live.
    var first: RedisCommander { commanders[0] }

    /// Tells that the connection for subscriptions is lost, or there.
    func subscriber(failed error: RedisError?) {
        presence.connection(commanders.count, failed: error)
    }

    /// Tells that the server has done what one that refuses would not: taken a write that needs room.
    func isServing() {
        presence.isServing()
    }

    /// Tells that the server is there and refuses all the same, with its memory full for instance.
    func isRefusing(_ error: RedisError) {
        guard case .refused(let refusal, _) = error, !refusal.concernsConnection else { return }
        presence.isRefusing(error)
    }

    /// Sends a command on the loop of the calling task, where it prefers one of the group's.
    @concurrent func send(_ command: RedisCommand) async throws(RedisError) -> RedisReply {
        try await commander.send(command)
    }

    /// The commander of the calling task's loop, or the next in turn.
    var commander: RedisCommander {
        let loop = group.currentOrNext()
        return commanders.first { $0.loop === loop } ?? commanders[0]
    }

    /// Fails what is under way and closes all connections.
    @concurrent public func shutdown() async {
        presence.end()
        for commander in commanders { await commander.loop.run { commander.close() } }
    }
}

/// Which of the connections stand, and whether the server is of use.
private final class Presence: Sendable {
    private struct State {
        var isThere: [Bool]
        var isLost = false
        /// What was told of the loss.
        var reason: String?
        var isRefusing = false
        var hasEnded = false
    }

    private let state: Lock<State>
    /// Whether `isRefusing` may be set, to be looked at without the lock.
    private let hasRefused = Atomic(false)
    private let onChange: @Sendable (String?) -> Void

    init(connections: Int, onChange: @escaping @Sendable (String?) -> Void) {
        state = Lock(State(isThere: Array(repeating: false, count: connections)))
        self.onChange = onChange
    }

    var isWhole: Bool {
        state.withLock { $0.isThere.allSatisfy { $0 } }
    }

    var isCutOff: Bool {
        state.withLock { !$0.isThere.contains(true) }
    }

    var takesCommands: Bool {
        state.withLock { $0.isThere.dropLast().allSatisfy { $0 } }
    }

    func end() {
        state.withLock { $0.hasEnded = true }
    }

    func isServing() {
        guard hasRefused.load(ordering: .relaxed) else { return }
        let isOver = state.withLock { state in
            defer { state.isRefusing = false }
            return state.isRefusing && !state.isLost
        }
        hasRefused.store(false, ordering: .relaxed)
        if isOver { onChange(nil) }
    }

    func isRefusing(_ error: RedisError) {
        let isNew = state.withLock { state in
            guard !state.isRefusing, !state.isLost else { return false }
            state.isRefusing = true
            return true
        }
        guard isNew else { return }
        hasRefused.store(true, ordering: .relaxed)
        onChange(error.description)
    }

    /// A connection stands, or does not and why. Told once per loss, once more where the server is there by now and says why it
    /// is of no use, and once when all stand again.
    func connection(_ number: Int, failed error: RedisError?) {
        let change: String?? = state.withLock { state in
            state.isThere[number] = error == nil
            if let error {
                // That it is closed here is no loss.
                guard !state.hasEnded, error != .stopped else { return nil }
                let isWord = if case .refused = error { error.description != state.reason } else { false }
                guard !state.isLost || isWord else { return nil }
                state.isLost = true
                state.reason = error.description
                return .some(error.description)
            }
            guard state.isLost, state.isThere.allSatisfy({ $0 }) else { return nil }
            state.isLost = false
            state.reason = nil
            return .some(nil)
        }
        if let change { onChange(change) }
    }
}

extension EventLoop {
    /// Runs the closure on the loop and returns when it has.
    func run(_ body: @escaping @Sendable () -> Void) async {
        await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            let accepted = execute {
                body()
                done.resume()
            }
            if !accepted { done.resume() }
        }
    }
}
