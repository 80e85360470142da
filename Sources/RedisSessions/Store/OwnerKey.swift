internal import Synchronization
internal import TableAPI

/// The key under which callers who bring their own credentials are named, which replicas have to have in common: a session
/// opened on one of them would be nobody's on the others.
///
/// It lies on the server, under `paginatord:owner-key`, since it has to outlive every replica.
final class OwnerKey: Sendable {
    private let isKnown = Atomic(false)
    private static let name = RedisCommand.Argument.text("paginatord:owner-key")

    /// Takes the server's key, or leaves this process's own there.
    ///
    /// - Returns: whether that is the same, so that callers have been named by it before.
    func settle(by client: RedisClient) async throws(RedisError) -> Bool {
        let own = ForwardedAuthorization.key
        let text = [own.0, own.1].map { String($0, radix: 16) }.joined(separator: ".")
        _ = try await client.send(RedisCommand(["SET", Self.name, .text(text), "NX"]))
        let words = try await client.send(RedisCommand(["GET", Self.name])).text?.split(separator: ".") ?? []
        let key = words.compactMap { UInt64($0, radix: 16) }
        guard key.count == 2, words.count == 2 else { throw .malformed }
        ForwardedAuthorization.share(key: (key[0], key[1]))
        isKnown.store(true, ordering: .releasing)
        return own == (key[0], key[1])
    }

    /// Makes sure that callers have been named by the right key before.
    ///
    /// - Returns: false where the present caller has not.
    func isSettled(by client: RedisClient) async throws(RedisError) -> Bool {
        if isKnown.load(ordering: .acquiring) { return true }
        return try await settle(by: client)
    }
}
