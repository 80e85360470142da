import PaginatordTesting
import TableAPI
import Testing

@testable import RedisSessions

@Suite(.timeLimit(.minutes(10)), .serialized) struct RedisTokenVaultTests {
    private func vault(_ replica: Replica, id: String = "client", user: String? = nil) throws -> RedisTokenVault {
        let grant: OAuthClient.Grant = user.map { .password(username: $0, password: Secret("p")) } ?? .clientCredentials
        return RedisTokenVault(
            replica.client, instance: try Instance(name: "a", url: "https://x.service-now.com"),
            oauth: OAuthClient(id: id, secret: Secret("s"), grant: grant))
    }

    private func connected(_ one: Replica, _ other: Replica) async throws {
        for replica in [one, other] { try await replica.isConnected() }
    }

    /// Longer than a test may take: what comes is then no end of a wait.
    private static let long = Duration.seconds(3600)

    /// The turn, and how it is ended.
    private func turn(
        of vault: RedisTokenVault, within limit: Duration = Self.long
    ) async throws -> @Sendable (TokenGrant?) async -> Void {
        guard case .renew(let done) = await vault.turn(within: limit) else { throw NeverHappened(what: "the turn") }
        return done
    }

    /// A token that is there.
    private func token(of vault: RedisTokenVault) async throws -> TokenGrant {
        guard case .use(let grant) = await vault.turn(within: Self.long) else { throw NeverHappened(what: "a token") }
        return grant
    }

    @Test("What one replica was granted serves the other, with what is left of it, until it is refused")
    func shared() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            try await connected(one, other)
            let vaults = (try vault(one), try vault(other))
            let done = try await turn(of: vaults.0)
            let start = ContinuousClock.now
            await done(TokenGrant(token: Secret("t1"), lifetime: 1800, refreshToken: Secret("r1")))
            for vault in [vaults.0, vaults.1] {
                let grant = try await token(of: vault)
                #expect(grant.token == Secret("t1") && grant.refreshToken == Secret("r1"))
                let passed = Int((ContinuousClock.now - start).components.seconds)
                #expect((1798 - passed...1800).contains(grant.lifetime ?? 0))
            }
            // A token that has been replaced is no reason to forget the present one.
            await vaults.0.forget(Secret("t0"))
            _ = try await token(of: vaults.1)
            await vaults.0.forget(Secret("t1"))
            let again = try await turn(of: vaults.1)
            await again(TokenGrant(token: Secret("t2"), lifetime: nil, refreshToken: nil))
            let grant = try await token(of: vaults.0)
            #expect(grant == TokenGrant(token: Secret("t2"), lifetime: nil, refreshToken: nil))
        }
    }

    @Test("One replica at a time has a token granted; the others wait for it, or go on when nothing came of it")
    func turns() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            try await connected(one, other)
            let vaults = (try vault(one), try vault(other))
            for isGranted in [false, true] {
                let done = try await turn(of: vaults.0)
                async let waiting = vaults.1.turn(within: Self.long)
                // Nobody waits longer than told.
                _ = try await turn(of: vaults.1, within: .milliseconds(120))
                await done(isGranted ? TokenGrant(token: Secret("t"), lifetime: 600, refreshToken: nil) : nil)
                switch await waiting {
                case .use(let grant): #expect(isGranted && grant.token == Secret("t"))
                case .renew(let done):
                    #expect(!isGranted)
                    await done(nil)
                }
            }
        }
    }

    @Test("A token that was granted without the turn serves the others too")
    func withoutTurn() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            try await connected(one, other)
            let vaults = (try vault(one), try vault(other))
            _ = try await turn(of: vaults.0)
            let done = try await turn(of: vaults.1, within: .milliseconds(60))
            await done(TokenGrant(token: Secret("t"), lifetime: 600, refreshToken: nil))
            let grant = try await token(of: vaults.0)
            #expect(grant.token == Secret("t"))
        }
    }

    @Test("A token that is about to end is renewed; another client, user or instance has its own")
    func others() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            try await connected(one, other)
            let vault = try vault(one)
            let done = try await turn(of: vault)
            await done(TokenGrant(token: Secret("t"), lifetime: 1, refreshToken: nil))
            let again = try await turn(of: vault)
            await again(TokenGrant(token: Secret("t"), lifetime: 600, refreshToken: nil))
            for different in [try self.vault(other, id: "b"), try self.vault(other, user: "u")] {
                _ = try await turn(of: different)
            }
        }
    }

    @Test("While Redis is away everybody has the turn at once")
    func away() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            try await connected(one, other)
            let vault = try vault(one)
            server.kill()
            for _ in 0..<3 {
                let done = try await turn(of: vault)
                await done(TokenGrant(token: Secret("t"), lifetime: 600, refreshToken: nil))
            }
            await vault.forget(Secret("t"))
        }
    }
}
