internal import EventLoops
internal import Locks

/// A script that the server runs in one piece, named by its digest once the server has told it.
final class RedisScript: Sendable {
    private let source: String
    private let digest = Lock<String?>(nil)

    /// Makes a script of Lua text.
    init(_ source: String) {
        self.source = source
    }

    /// Has the server run it. Where the server has forgotten the script, after a restart for instance, it gets it anew.
    func run(_ arguments: [RedisCommand.Argument], by client: RedisClient) async throws(RedisError) -> RedisReply {
        let commander = client.commander
        let digest = try await digest(by: commander)
        do {
            return try await commander.send(RedisCommand(["EVALSHA", .text(digest), 0] + arguments))
        } catch .refused(.noScript, _) {
            return try await commander.send(inFull(arguments))
        }
    }

    /// Has the server run it; on the commander's loop.
    func start(
        _ arguments: [RedisCommand.Argument], by commander: RedisCommander,
        then caller: @escaping RedisCommander.Caller = { _ in }
    ) {
        let inFull = inFull(arguments)
        guard let digest = digest.withLock({ $0 }) else { return commander.send(inFull, caller) }
        commander.send(RedisCommand(["EVALSHA", .text(digest), 0] + arguments)) { result in
            guard case .failure(.refused(.noScript, _)) = result else { return caller(result) }
            commander.send(inFull, caller)
        }
    }

    /// Has the server run it, from wherever that is asked; nobody waits for what comes of it.
    func start(
        _ arguments: [RedisCommand.Argument], by client: RedisClient,
        then caller: @escaping @Sendable (Result<RedisReply, RedisError>) -> Void = { _ in }
    ) {
        let commander = client.commander
        if commander.loop.isCurrent {
            start(arguments, by: commander, then: caller)
        } else {
            commander.loop.execute { self.start(arguments, by: commander, then: caller) }
        }
    }

    /// The command with the script's whole text.
    func inFull(_ arguments: [RedisCommand.Argument]) -> RedisCommand {
        RedisCommand(["EVAL", .text(source), 0] + arguments)
    }

    private func digest(by commander: RedisCommander) async throws(RedisError) -> String {
        if let known = digest.withLock({ $0 }) { return known }
        let reply = try await commander.send(RedisCommand(["SCRIPT", "LOAD", .text(source)]))
        guard let text = reply.text else { throw .malformed }
        digest.withLock { $0 = text }
        return text
    }
}

extension RedisScript {
    /// Does once whatever the steps do, and leaves nothing: shows whether there is room and the right for it.
    static let probe = RedisScript(
        """
        local key, set, channel = 'paginatord:probe', 'paginatord:probes', 'paginatord:events:probe'
        local call = redis.call
        call('HSET', key, 'a', 1)
        call('HGET', key, 'a') call('HMGET', key, 'a') call('HDEL', key, 'b')
        call('PEXPIRE', key, 1000) call('PTTL', key) call('PERSIST', key) call('EXISTS', key) call('DEL', key)
        call('SET', key, 1, 'PX', 1000) call('GET', key) call('INCR', key) call('DEL', key)
        call('ZADD', set, 1, 'a')
        call('ZCARD', set) call('ZSCORE', set, 'a') call('ZCOUNT', set, 0, 2) call('ZRANGE', set, 0, 0)
        call('ZRANGEBYSCORE', set, 0, 2) call('ZREVRANGEBYSCORE', set, 2, 0)
        call('ZREMRANGEBYSCORE', set, 0, 2) call('ZREM', set, 'a')
        call('TIME') call('PUBSUB', 'NUMSUB', channel) call('PUBLISH', channel, '')
        return 1
        """)
}
