import EventLoops
import PaginatordTesting
import Sessions
import Testing

@testable import RedisSessions

/// A store as one replica has it.
final class Replica: Sendable {
    let group: EventLoopGroup
    let client: RedisClient
    let store: RedisSessionStore

    init(_ configuration: RedisConfiguration, onChange: @escaping @Sendable (String?) -> Void = { _ in }) throws {
        group = try EventLoopGroup(count: 2)
        client = RedisClient(configuration, on: group, onChange: onChange)
        store = RedisSessionStore(client)
    }

    convenience init(_ server: RedisServer, onChange: @escaping @Sendable (String?) -> Void = { _ in }) throws {
        try self.init(RedisConfiguration.patient(.socket(path: server.socketPath)), onChange: onChange)
    }

    /// Waits until every connection stands.
    func isConnected() async throws {
        try await eventually("it is connected") { client.isAvailable }
    }

    /// Waits until no connection stands: what is sent later is not sent to a server that was there before.
    func isCutOff() async throws {
        try await eventually("it is cut off") { client.isCutOff }
    }

    func stop() async {
        await store.shutdown()
        await client.shutdown()
        await group.shutdown()
    }

    /// Changes what the server has of a session, as only somebody else can, and lets this replica know nothing of it.
    func rewrite(_ id: SessionID, _ change: @Sendable (inout EncodedSession) -> Void) async throws {
        let key = RedisCommand.Argument.text("paginatord:session:\(id)")
        let fields = try #require(try await client.send(RedisCommand(["HMGET", key, "a", "s", "k"])).elements)
        var parts = EncodedSession(
            opening: try #require(fields[0].bytes), state: try #require(fields[1].bytes), rows: fields[2].bytes)
        change(&parts)
        let rows: [RedisCommand.Argument] = parts.rows.map { ["k", .bytes($0)] } ?? []
        _ = try await client.send(
            RedisCommand(["HSET", key, "a", .bytes(parts.opening), "s", .bytes(parts.state)] + rows))
        store.records.forget(id)
    }
}

extension RedisConfiguration {
    /// With times that no stall of the machine outlasts: nobody is taken for gone who is there.
    static func patient(_ address: RedisAddress) -> RedisConfiguration {
        var configuration = RedisConfiguration(
            address: address, connectTimeout: .seconds(60), commandTimeout: .seconds(60))
        configuration.silenceLimits = SilenceLimits(
            lease: .seconds(600), permit: .seconds(600), place: .seconds(600), tokenTurn: .seconds(600),
            subscription: .seconds(600))
        return configuration
    }
}

/// Runs the body with two replicas over one server, and stops them whatever it does.
func withReplicas(of server: RedisServer, _ body: (Replica, Replica) async throws -> Void) async throws {
    let (one, other) = (try Replica(server), try Replica(server))
    let result: Result<Void, any Error>
    do { result = .success(try await body(one, other)) } catch { result = .failure(error) }
    await one.stop()
    await other.stop()
    try result.get()
}
