import RedisSessions
import TableAPI
import Testing

@testable import paginatord

struct RedisLocationTests {
    @Test(
        "A Redis database is read from its URL",
        arguments: [
            ("redis://127.0.0.1:6379/0", "127.0.0.1", 6379, 0), ("redis://redis", "redis", 6379, 0),
            ("redis://redis/", "redis", 6379, 0), ("redis://a-b.example_c:1/15", "a-b.example_c", 1, 15),
            ("redis://[::1]:6380/2", "::1", 6380, 2), ("redis://[fe80::1]", "fe80::1", 6379, 0),
        ])
    func network(text: String, host: String, port: Int, database: Int) throws {
        let location = try RedisLocation(text)
        #expect(location.address == .network(host: host, port: port) && location.database == database)
    }

    @Test(
        "A Unix socket is read from its path, with the database behind it",
        arguments: [
            ("redis+unix:/run/a.sock", 0), ("redis+unix:/run/a.sock?db=0", 0), ("redis+unix:/run/a.sock?db=15", 15),
        ])
    func socket(text: String, database: Int) throws {
        let location = try RedisLocation(text)
        #expect(location.address == .socket(path: "/run/a.sock") && location.database == database)
    }

    @Test(
        "What is not understood whole is refused",
        arguments: [
            "redis:", "redis:/", "redis://", "redis:///0", "redis://:6379", "redis://a:", "redis://a:0",
            "redis://a:65536", "redis://a:x", "redis://a/x", "redis://a/-1", "redis://a/1/2", "redis://a/0?b=c",
            "redis://a?b", "redis://a#b", "redis://a b", "redis://é", "redis://[::1", "redis://[a]", "redis://[::1]x",
            "redis://a:+1", "redis://a/100000", "redis+unix:", "redis+unix:run", "redis+unix://a/b",
            "redis+unix:/a?db=", "redis+unix:/a?db=x", "redis+unix:/a?db=-1", "redis+unix:/a?db=100000",
            "redis+unix:/a?1",
            "redis+unix:/a?db=1&b=2", "redis+unix:/a?DB=1", "redis+unix:?db=1", "redis+unix:/a#1",
            "redis+unix:/" + String(repeating: "a", count: 107),
        ])
    func malformed(text: String) {
        let fault = #expect(throws: RedisLocation.Fault.self) { try RedisLocation(text) }
        guard case .malformed = fault else {
            Issue.record("\(String(describing: fault))")
            return
        }
    }

    @Test(
        "Credentials and TLS are refused with the reason, which repeats no password",
        arguments: [
            ("redis://:hunter2@a", "redisPassword"), ("redis://u:hunter2@a:1/0", "redisUsername"),
            ("redis://hunter2@a", "redisPassword"), ("rediss://u:hunter2@a", "hiredis"), ("rediss:", "hiredis"),
        ])
    func refused(text: String, word: String) {
        let failure = #expect(throws: ConfigurationFailure.self) {
            try Configuration(
                from: ConfigurationSource(
                    environment: ["PAGINATORD_INSTANCE_URL": "https://a.example", "PAGINATORD_SESSIONS_STORE": text]))
        }
        #expect(failure?.problems.map(\.path) == ["sessions.store"])
        let detail = failure?.problems.first?.detail ?? ""
        #expect(detail.contains(word) && !detail.contains("hunter2"))
    }

    @Test("User name and password stand beside the URL; a name alone is of no use")
    func credentials() throws {
        let folder = try TemporaryFolder()
        func read(_ sessions: String) throws -> SessionsConfiguration {
            let file = try folder.write("{ sessions: { store: 'redis://a/4', \(sessions) } }", to: "a.json5")
            return try Configuration(
                from: ConfigurationSource(file: file, environment: ["WORD": "hunter2"], isDemo: true)
            ).sessions
        }
        let sessions = try read("redisUsername: 'pages', redisPassword: { env: 'WORD' }")
        #expect(sessions.store == .redis(try RedisLocation("redis://a/4")))
        #expect(sessions.redisUsername == "pages" && sessions.redisPassword?.revealed == "hunter2")
        for wrong in ["redisUsername: 'pages'", "redisPassword: 'hunter2'", "redisPasword: { env: 'WORD' }"] {
            #expect(throws: ConfigurationFailure.self) { try read(wrong) }
        }
    }
}
