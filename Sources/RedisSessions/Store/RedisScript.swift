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
            return try await commander.send(RedisCommand(["EVAL", .text(source), 0] + arguments))
        }
    }

    /// Has the server run it; on the commander's loop.
    func start(
        _ arguments: [RedisCommand.Argument], by commander: RedisCommander,
        then caller: @escaping RedisCommander.Caller = { _ in }
    ) {
        let inFull = RedisCommand(["EVAL", .text(source), 0] + arguments)
        guard let digest = digest.withLock({ $0 }) else { return commander.send(inFull, caller) }
        commander.send(RedisCommand(["EVALSHA", .text(digest), 0] + arguments)) { result in
            guard case .failure(.refused(.noScript, _)) = result else { return caller(result) }
            commander.send(inFull, caller)
        }
    }

    private func digest(by commander: RedisCommander) async throws(RedisError) -> String {
        if let known = digest.withLock({ $0 }) { return known }
        let reply = try await commander.send(RedisCommand(["SCRIPT", "LOAD", .text(source)]))
        guard let text = reply.text else { throw .malformed }
        digest.withLock { $0 = text }
        return text
    }
}
