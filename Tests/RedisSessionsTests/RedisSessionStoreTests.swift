import Clocks
import EventLoops
import Pagination
import PaginatordTesting
import RedisSessions
import Sessions
import Testing

@Suite(.timeLimit(.minutes(2)), .serialized) struct RedisSessionStoreTests {
    @Test("It does what every session store does", arguments: SessionStoreCheck.all)
    func conforms(check: SessionStoreCheck) async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            try await check.run(
                SessionStoreFixture(store: one.store, other: other.store) { id, change in
                    try await one.rewrite(id, change)
                })
        }
    }
}
