internal import EventLoops
internal import Sessions
package import TableAPI

/// Keeps the access tokens for one instance on the server, for all replicas; they are readable for whoever may read there.
///
/// Kept under `paginatord:token:…` and, while somebody has a new one granted, `paginatord:token-turn:…`.
package final class RedisTokenVault: TokenVault {
    private let client: RedisClient
    private let token: String
    private let lock: String
    /// How long the turn lasts at the most, in milliseconds: then whoever has it is taken for gone.
    private let life: Int
    private let origin = SessionID().description

    /// The rest between two looks while another replica has the turn.
    private static let rest = Duration.milliseconds(50)

    /// The tokens that an instance grants a client.
    package init(_ client: RedisClient, instance: Instance, oauth: OAuthClient) {
        self.client = client
        life = milliseconds(client.configuration.silenceLimits.tokenTurn)
        let user = if case .password(let username, _) = oauth.grant { username } else { "" }
        // Another client, user or instance has other tokens, be it under the same name.
        let name = [instance.name, oauth.id, user, instance.url.description].joined(separator: "\n")
        token = "paginatord:token:\(name)"
        lock = "paginatord:token-turn:\(name)"
    }

    /// A token, or the turn; see `TokenVault`.
    package func turn(within limit: Duration) async -> TokenTurn {
        let end = ContinuousClock.now + limit
        // Where the answer was lost the turn may be this process's all the same, and others wait for its end.
        let alone = TokenTurn.renew(done: { [self] in await keep($0) })
        while true {
            guard client.takesCommands,
                let reply = try? await Self.turn.run(
                    [.text(token), .text(lock), .text(origin), .integer(life)], by: client)
            else { return alone }
            switch reply {
            case .array(let fields):
                guard fields.count == 3, let text = fields[0].text else { return alone }
                let rest = fields[1].integer ?? 0
                return .use(
                    TokenGrant(
                        token: Secret(text), lifetime: rest > 0 ? rest / 1000 : nil,
                        refreshToken: fields[2].text.flatMap { $0.isEmpty ? nil : Secret($0) }))
            case .integer(1): return alone
            default: break
            }
            guard ContinuousClock.now + Self.rest < end else { return alone }
            do { try await client.commander.loop.sleep(for: Self.rest) } catch { return alone }
        }
    }

    /// Forgets a refused token; see `TokenVault`.
    package func forget(_ token: Secret) async {
        _ = try? await Self.forget.run([.text(self.token), .text(token.revealed)], by: client)
    }

    private func keep(_ grant: TokenGrant?) async {
        let lifetime = grant.map { $0.lifetime.map { min($0, 1 << 31) * 1000 } ?? 0 }
        _ = try? await Self.keep.run(
            [
                .text(token), .text(lock), .text(origin), .text(grant?.token.revealed ?? ""),
                .text(grant?.refreshToken?.revealed ?? ""), .integer(lifetime ?? 0),
            ], by: client)
    }

    /// (token's key, lock's key, who asks, how long the turn lasts) → token, milliseconds left or 0, refresh token; or 1 for
    /// the turn; or 0 while somebody else has it. A token of which less than a tenth is left, or a minute, is renewed.
    private static let turn = RedisScript(
        """
        local kept = redis.call('HMGET', ARGV[1], 'token', 'lifetime', 'refresh')
        if kept[1] then
            local rest, lifetime = redis.call('PTTL', ARGV[1]), tonumber(kept[2])
            if lifetime == 0 then return {kept[1], 0, kept[3]} end
            if rest > math.min(60000, lifetime / 10) + 1000 then return {kept[1], rest, kept[3]} end
        end
        if redis.call('SET', ARGV[2], ARGV[3], 'NX', 'PX', ARGV[4]) then return 1 end
        return 0
        """)

    /// (token's key, lock's key, who had the turn, token or nothing, refresh token or nothing, lifetime in milliseconds or 0)
    private static let keep = RedisScript(
        """
        if ARGV[4] ~= '' then
            redis.call('HSET', ARGV[1], 'token', ARGV[4], 'refresh', ARGV[5], 'lifetime', ARGV[6])
            if ARGV[6] == '0' then redis.call('PERSIST', ARGV[1]) else redis.call('PEXPIRE', ARGV[1], ARGV[6]) end
        end
        if redis.call('GET', ARGV[2]) == ARGV[3] then redis.call('DEL', ARGV[2]) end
        return 1
        """)

    /// (token's key, token)
    private static let forget = RedisScript(
        "if redis.call('HGET', ARGV[1], 'token') == ARGV[2] then redis.call('DEL', ARGV[1]) end return 1")
}
