import Clocks
import EventLoops
import Locks
import Pagination
import PaginatordTesting
import Sessions
import TableAPI
import Testing

@testable import RedisSessions

@Suite(.timeLimit(.minutes(10)), .serialized) struct RedisSessionStoreTests {
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

    private let now = Timestamp(milliseconds: 1_796_000_000_000)
    private let unlimited = SessionLimits(perOwner: nil, total: 1000)

    private func move(_ id: SessionID, in store: RedisSessionStore, rows: [String] = ["{}"]) async throws
        -> SessionRecord
    {
        guard case .live(let record) = try await store.read(id) else { throw NeverHappened(what: "a session") }
        let (moved, page) = try record.moved(by: .next, answer: PageAnswer(texts: rows, total: 100_000))
        #expect(try await store.replace(moved, event: .page(page, moved)))
        return moved
    }

    @Test("Scripts that the server has forgotten are sent again", arguments: ["SCRIPT FLUSH", "restart"])
    func forgotten(how: String) async throws {
        let server = try RedisServer(["--appendonly", "yes", "--appendfsync", "always"])
        try await withReplicas(of: server) { one, other in
            for replica in [one, other] { try await replica.isConnected() }
            let id = try await one.store.create(.sample(now: now), limits: unlimited).id
            for round in 1...5 {
                _ = try await move(id, in: round.isMultiple(of: 2) ? one.store : other.store)
                if how == "restart" {
                    server.stop()
                    for replica in [one, other] { try await replica.isCutOff() }
                    try server.start()
                    for replica in [one, other] { try await replica.isConnected() }
                } else {
                    server.command(how)
                }
            }
            guard case .live(let record) = try await one.store.read(id) else { throw NeverHappened(what: "a session") }
            #expect(record.position == 5 && record.revision == 5)
            #expect(try await other.store.list(owner: "ann", before: nil, limit: 9).map(\.id) == [id])
            let lease = try #require(try await one.store.lease(id, waits: false))
            lease.end()
            try await other.store.delete(id, now: now)
            #expect(try await one.store.read(id) == .gone(owner: "ann"))
        }
    }

    @Test("What is known here is not taken for what a server has that lost its latest writes and took others")
    func lostWrites() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            let id = try await one.store.create(.sample(now: now), limits: unlimited).id
            _ = try await move(id, in: one.store)
            let key = "paginatord:session:\(id)"
            // As an older copy of the data has it.
            let fields = try #require(try await one.client.send(RedisCommand(["HGETALL", .text(key)])).elements)
            let lost = try await move(id, in: one.store, rows: ["{\"lost\":1}"])
            server.command("DEL \(key)")
            let arguments = fields.map { RedisCommand.Argument.bytes($0.bytes ?? []) }
            _ = try await one.client.send(RedisCommand(["HSET", .text(key)] + arguments))
            let stale = try lost.moved(by: .next, answer: PageAnswer(texts: ["{}"], total: 100_000))
            let written = try await move(id, in: other.store, rows: ["{\"kept\":1}"])
            var next = stale.record
            next.revision = 2
            #expect(try await one.store.replace(next, event: nil) == false)
            guard case .live(let record) = try await one.store.read(id) else { throw NeverHappened(what: "a session") }
            #expect(record.revision == 2 && record.comparable.keptPage == written.comparable.keptPage)
        }
    }

    @Test("Whoever listens through the loss of its connection hears no position twice, and the latest in the end")
    func caughtUp() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            let id = try await one.store.create(.sample(now: now), limits: unlimited).id
            let quiet = try await one.store.create(.sample(now: now), limits: unlimited).id
            let events = try await one.store.events(of: id)
            let quietEvents = try await one.store.events(of: quiet)
            for round in 1...20 {
                server.command("CLIENT KILL TYPE pubsub")
                for _ in 0..<3 { _ = try await move(id, in: other.store) }
                // Now and then the connection is back before the next move, now and then it is not.
                if round.isMultiple(of: 3) { try await one.isConnected() }
            }
            var heard: [Int] = []
            for try await event in events {
                guard case .page(let page, let record) = event else { throw NeverHappened(what: "pages only") }
                #expect(page.page == record.position)
                heard.append(record.position)
                if record.position == 60 { break }
            }
            #expect(heard == Set(heard).sorted() && heard.last == 60)
            server.command("CLIENT KILL TYPE pubsub")
            try await other.store.delete(quiet, now: now)
            var ended: [SessionEvent] = []
            for try await event in quietEvents { ended.append(event) }
            #expect(ended == [.closed])
        }
    }

    @Test("A reset that was missed is told behind the loss; a session that is lost with the server is closed")
    func caughtUpReset() async throws {
        let server = try RedisServer(["--appendonly", "yes", "--appendfsync", "always"])
        try await withReplicas(of: server) { one, other in
            let id = try await one.store.create(.sample(now: now), limits: unlimited).id
            _ = try await move(id, in: one.store)
            let events = try await one.store.events(of: id)
            server.command("CLIENT KILL TYPE pubsub")
            guard case .live(var record) = try await other.store.read(id) else {
                throw NeverHappened(what: "a session")
            }
            record.state.reset()
            (record.position, record.reachedBy, record.keptPage) = (2, .reset, .none)
            #expect(try await other.store.replace(record, event: .reset(record)))
            var iterator = events.makeAsyncIterator()
            guard case .reset(let heard)? = try await iterator.next() else { throw NeverHappened(what: "a reset") }
            #expect(heard.position == 2 && heard.state.page == 0)
            server.command("FLUSHALL")
            server.command("CLIENT KILL TYPE pubsub")
            #expect(try await iterator.next() == .closed)
            #expect(try await iterator.next() == nil)
        }
    }

    @Test("A server that falls silent toward those who listen is left, and found again")
    func silent() async throws {
        let server = ScriptedRedis { command, _ in
            command == ["PING"] ? nil : .init(command[0] == "EVAL" ? ":1\r\n" : "*0\r\n")
        }
        let changes = Changes()
        var configuration = RedisConfiguration.patient(.network(host: "127.0.0.1", port: server.port))
        configuration.silenceLimits.subscription = SilenceLimits().subscription
        let replica = try Replica(configuration) { changes.add($0) }
        try await eventually("it is told") { !changes.all.isEmpty }
        #expect(changes.all.first??.hasSuffix("has not answered for 2.0 seconds") == true)
        try await replica.isConnected()
        // One for each of two loops, and two for those who listen.
        #expect(server.accepted >= 4)
        await replica.stop()
        server.stop()
    }

    @Test("All listeners of a session in one process are one subscription, which ends with the last of them")
    func shared() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            let id = try await one.store.create(.sample(now: now), limits: unlimited).id
            let query = "PUBSUB NUMSUB paginatord:events:\(id)"
            do {
                var listeners: [AsyncThrowingStream<SessionEvent, any Error>] = []
                for _ in 0..<50 { listeners.append(try await one.store.events(of: id)) }
                #expect(server.command(query)?.hasSuffix(":1\r\n") == true)
                listeners.append(try await other.store.events(of: id))
                #expect(server.command(query)?.hasSuffix(":2\r\n") == true)
                _ = try await move(id, in: one.store)
                for listener in listeners {
                    var iterator = listener.makeAsyncIterator()
                    guard case .page? = try await iterator.next() else { throw NeverHappened(what: "a page") }
                }
            }
            try await eventually("nobody is subscribed") { server.command(query)?.hasSuffix(":0\r\n") == true }
            // And again, right behind the end of the former one.
            for _ in 0..<20 {
                let listener = try await one.store.events(of: id)
                _ = try await move(id, in: other.store)
                var iterator = listener.makeAsyncIterator()
                guard case .page? = try await iterator.next() else { throw NeverHappened(what: "a page") }
            }
        }
    }

    @Test("A page too large to be kept still reaches listeners, on every replica", arguments: [1 << 20 + 1, 5 << 20])
    func largeEvent(bytes: Int) async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            let id = try await one.store.create(.sample(now: now), limits: unlimited).id
            let row = "{\"a\":\"" + String(repeating: "x", count: bytes - 8) + "\"}"
            let listeners = [try await one.store.events(of: id), try await other.store.events(of: id)]
            _ = try await move(id, in: other.store, rows: [row])
            for listener in listeners {
                var iterator = listener.makeAsyncIterator()
                guard case .page(let page, let record)? = try await iterator.next() else {
                    throw NeverHappened(what: "a page")
                }
                #expect(page.rows.byteCount == bytes && record.position == 1)
            }
            guard case .live(let record) = try await one.store.read(id), case .withoutRows = record.keptPage else {
                throw NeverHappened(what: "a page without its rows")
            }
        }
    }

    @Test("One replica has the lease of a session, keeps it as long as it wants, and others wait or are told")
    func leases() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            let id = try await one.store.create(.sample(now: now), limits: unlimited).id
            let lease = try #require(try await one.store.lease(id, waits: true))
            #expect(lease.revision == 0)
            #expect(try await other.store.lease(id, waits: false) == nil)
            guard case .live(let seen) = try await other.store.read(id),
                case .live(let own) = try await one.store.read(id)
            else { throw NeverHappened(what: "a session") }
            #expect(seen.isLeased && !own.isLeased)
            #expect(try await other.store.list(owner: "ann", before: nil, limit: 1).map(\.isLeased) == [true])
            func rest() -> Int? {
                server.command("PTTL paginatord:lease:\(id)").flatMap { Int($0.dropFirst().dropLast()) }
            }
            for _ in 0..<2 {
                var former = try #require(rest())
                try await eventually("it is renewed") {
                    #expect(try await other.store.lease(id, waits: false) == nil)
                    let now = try #require(rest())
                    defer { former = now }
                    return now > former
                }
            }
            #expect(Leases.renewal * 2 < SilenceLimits().lease)
            async let waiting = other.store.lease(id, waits: true)
            lease.end()
            let next = try #require(try await waiting)
            // A move gives it back along the way; what is given back then is nobody else's.
            _ = try await move(id, in: other.store)
            let third = try #require(try await one.store.lease(id, waits: false))
            #expect(third.revision == 1)
            next.end()
            #expect(try await other.store.lease(id, waits: false) == nil)
            third.end()
            try await eventually("it is free") { try await other.store.lease(id, waits: false) != nil }
        }
    }

    @Test("A lease that could not be given back while the server was away is given back when it is there again")
    func owed() async throws {
        let server = try RedisServer(["--appendonly", "yes", "--appendfsync", "always"])
        try await withReplicas(of: server) { one, other in
            for replica in [one, other] { try await replica.isConnected() }
            let ids = [
                try await one.store.create(.sample(now: now), limits: unlimited).id,
                try await one.store.create(.sample(now: now), limits: unlimited).id,
            ]
            let leases = [
                try #require(try await one.store.lease(ids[0], waits: false)),
                try #require(try await one.store.lease(ids[1], waits: false)),
            ]
            server.kill()
            for replica in [one, other] { try await replica.isCutOff() }
            for lease in leases { lease.end() }
            try server.start()
            // Nobody else may have it, but the one who could not give it back need not wait.
            for replica in [one, other] { try await replica.isConnected() }
            let again = try #require(try await one.store.lease(ids[0], waits: false))
            try await eventually("the other one is free") {
                (try? await other.store.lease(ids[1], waits: false)) != nil
            }
            #expect(server.command("EXISTS paginatord:lease:\(ids[0])") == ":1\r\n")
            again.end()
        }
    }

    @Test("The lease of a process that is gone lapses, and the store decides between two who believe to have it")
    func lapsed() async throws {
        let server = try RedisServer()
        var configuration = RedisConfiguration.patient(.socket(path: server.socketPath))
        configuration.silenceLimits.lease = SilenceLimits().lease
        let gone = try Replica(configuration)
        try await withReplicas(of: server) { one, other in
            let id = try await one.store.create(.sample(now: now), limits: unlimited).id
            _ = try #require(try await gone.store.lease(id, waits: false))
            guard case .live(let record) = try await gone.store.read(id) else { throw NeverHappened(what: "a session") }
            await gone.stop()
            let lease = try #require(try await one.store.lease(id, waits: true))
            _ = try await move(id, in: other.store)
            let (late, page) = try record.moved(by: .next, answer: PageAnswer(texts: ["{}"], total: 3))
            #expect(try await one.store.replace(late, event: .page(page, late)) == false)
            lease.end()
        }
    }

    @Test("When all sessions have ended and been forgotten the server keeps nothing but their count")
    func tidy() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            for number in 0..<30 {
                let owner = "owner \(number % 3) \r\n:*"
                let id = try await one.store.create(.sample(owner: owner, now: now), limits: unlimited).id
                _ = try await move(id, in: other.store)
                if number.isMultiple(of: 2) { try await other.store.delete(id, now: now) }
            }
            #expect(try await one.store.sweep(now: now.adding(seconds: 900)) { _ in false }.count == 15)
            #expect(try await other.store.sweep(now: now.adding(seconds: 4501)) { _ in false }.isEmpty)
            #expect(server.command("KEYS *") == "*1\r\n$19\r\npaginatord:sequence\r\n")
        }
    }

    @Test(
        "Session keys expire by themselves a day behind their end, and what they leave behind is pruned along the way")
    func expiredKeys() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, _ in
            let store = one.store
            let limits = SessionLimits(perOwner: 3, total: 3)
            var ids: [SessionID] = []
            for seconds in 600...602 {
                ids.append(try await store.create(.sample(idleTimeout: seconds, now: now), limits: limits).id)
            }
            func timeToLive(_ id: SessionID) -> Int {
                server.command("TTL paginatord:session:\(id)")?.split(separator: "\r\n").first.flatMap {
                    Int($0.dropFirst())
                } ?? 0
            }
            #expect((87_000 - 60...87_000).contains(timeToLive(ids[0])))
            try await store.touch(ids[0], expiresAt: now.adding(seconds: 1200))
            #expect((87_600 - 60...87_600).contains(timeToLive(ids[0])))
            // As their own expiry would do, when nobody has swept for a day.
            server.command("DEL paginatord:session:\(ids[1])")
            #expect(try await store.read(ids[1]) == .unknown)
            #expect(try await store.list(owner: "ann", before: nil, limit: 2).map(\.id) == [ids[2], ids[0]])
            ids.append(try await store.create(.sample(idleTimeout: 650, now: now), limits: limits).id)
            server.command("DEL paginatord:session:\(ids[2])")
            ids.append(try await store.create(.sample(idleTimeout: 700, now: now), limits: limits).id)
            server.command("DEL paginatord:session:\(ids[3])")
            #expect(
                try await store.sweep(now: now.adding(seconds: 2000)) { _ in false }.sorted { "\($0)" < "\($1)" }
                    == [ids[0], ids[4]].sorted { "\($0)" < "\($1)" })
            #expect(server.command("ZCARD paginatord:expiries") == ":0\r\n")
        }
    }

    @Test("A use is written when a tenth of the idle timeout has passed, or when the end is near")
    func economy() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            let id = try await one.store.create(.sample(idleTimeout: 100, now: now), limits: unlimited).id
            func stored() -> String? { server.command("HGET paginatord:session:\(id) x") }
            let first = stored()
            try await one.store.touch(id, expiresAt: now.adding(seconds: 109))
            #expect(stored() == first)
            try await one.store.touch(id, expiresAt: now.adding(seconds: 110))
            let second = stored()
            #expect(second != first)
            try await one.store.touch(id, expiresAt: now.adding(seconds: 115))
            #expect(stored() == second)
            // The replica that promised more says so in time; another one does not end the session before.
            #expect(try await one.store.sweep(now: now.adding(seconds: 108)) { _ in false } == [])
            #expect(stored() != second)
            #expect(try await other.store.sweep(now: now.adding(seconds: 114)) { _ in false } == [])
            #expect(try await other.store.sweep(now: now.adding(seconds: 115)) { _ in false } == [id])
        }
    }

    @Test("A session in use on one replica is not ended by another one's sweep")
    func inUse() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            let id = try await one.store.create(.sample(idleTimeout: 10, now: now), limits: unlimited).id
            for second in 0..<30 {
                #expect(try await one.store.sweep(now: now.adding(seconds: second)) { $0 == id } == [])
                #expect(try await other.store.sweep(now: now.adding(seconds: second)) { _ in false } == [])
            }
            #expect(try await other.store.sweep(now: now.adding(seconds: 40)) { _ in false } == [id])
        }
    }

    /// What is asked of a store whose server has no memory left.
    enum Asked: CaseIterable {
        case create, move, flag, lease, check
        case read, list, touch, delete, sweep

        /// Whether it takes no room, or makes some.
        var isTaken: Bool { [.read, .list, .touch, .delete, .sweep].contains(self) }
    }

    @Test(
        "A full server refuses what needs room, with nothing half-done, and lets sessions be read, live on and end",
        arguments: Asked.allCases)
    func full(asked: Asked) async throws {
        let server = try RedisServer(["--maxmemory-policy", "noeviction"])
        let changes = Changes()
        let replica = try Replica(server) { changes.add($0) }
        let store = replica.store
        let id = try await store.create(.sample(now: now), limits: unlimited).id
        _ = try await move(id, in: store)
        guard case .live(let record) = try await store.read(id) else { throw NeverHappened(what: "a session") }
        server.command("CONFIG SET maxmemory 1")
        let (moved, page) = try record.moved(by: .next, answer: PageAnswer(texts: ["{}"], total: 100_000))
        func ask() async throws {
            switch asked {
            case .create: _ = try await store.create(.sample(now: now), limits: unlimited)
            case .move: _ = try await store.replace(moved, event: .page(page, moved))
            case .flag:
                // With its life put off far enough to be written.
                var changed = record
                changed.state.publisherShouldFinish = true
                changed.expiresAt = now.adding(seconds: 1800)
                _ = try await store.replace(changed, event: nil)
            case .lease: _ = try await store.lease(id, waits: false)
            case .check: try await store.check()
            case .read: guard case .live = try await store.read(id) else { throw NeverHappened(what: "a session") }
            case .list: #expect(try await store.list(owner: "ann", before: nil, limit: 9).count == 1)
            case .touch:
                try await store.touch(id, expiresAt: now.adding(seconds: 5000))
                #expect(server.command("HGET paginatord:session:\(id) x")?.contains("1796005000000") == true)
            case .delete:
                try await store.delete(id, now: now)
                #expect(try await store.read(id) == .gone(owner: "ann"))
            case .sweep: #expect(try await store.sweep(now: now.adding(seconds: 900)) { _ in false } == [id])
            }
        }
        if asked.isTaken {
            try await ask()
            #expect(changes.all == [])
        } else {
            for _ in 0..<3 {
                let failure = await #expect(throws: SessionStoreError.self) { try await ask() }
                #expect(failure == .unavailable("the session store is full"))
                // What works all the same is no sign that it is over.
                guard case .live(let stored) = try await store.read(id) else {
                    throw NeverHappened(what: "a session")
                }
                #expect(stored == record)
            }
            #expect(server.command("ZCARD paginatord:expiries") == ":1\r\n")
            #expect(server.command("EXISTS paginatord:lease:\(id)") == ":0\r\n")
            #expect(changes.all.map { $0?.hasPrefix("Redis answered: OOM") } == [true])
            server.command("CONFIG SET maxmemory 0")
            try await ask()
            #expect(changes.all.map { $0 != nil } == [true, false])
        }
        await replica.stop()
    }

    /// What a client tells of its server.
    private final class Changes: Sendable {
        private let state = Lock<[String?]>([])

        var all: [String?] { state.withLock { $0 } }

        func add(_ change: String?) {
            state.withLock { $0.append(change) }
        }
    }

    @Test(
        "A server that lets the service do less than it needs is of no use: log and readiness say so, and nothing is done",
        arguments: [
            "-eval -evalsha", "-subscribe", "-@scripting", "-publish", "-pubsub", "-zadd", "-@write", "-time",
            "resetchannels",
            "resetkeys ~other:*",
        ])
    func missingRights(change: String) async throws {
        let server = try RedisServer()
        let rights = "~paginatord:* &paginatord:* +@read +@write +@scripting +@pubsub +@connection +time"
        server.command("ACL SETUSER pages on >secret \(rights) \(change)")
        let changes = Changes()
        var configuration = RedisConfiguration.patient(.socket(path: server.socketPath))
        (configuration.username, configuration.password) = ("pages", Secret("secret"))
        let replica = try Replica(configuration) { changes.add($0) }
        try await eventually("it is told") { !changes.all.isEmpty }
        let told = changes.all.first.flatMap { $0 } ?? ""
        let texts = ["Redis answered: NOPERM", "The user executing the script can't", "ACL failure in script"]
        #expect(texts.contains(where: told.contains), "\(told)")
        let refusal = SessionStoreError.unavailable("the session store refuses now (NOPERM)")
        #expect(await #expect(throws: SessionStoreError.self) { try await replica.store.check() } == refusal)
        let failure = await #expect(throws: SessionStoreError.self) {
            _ = try await replica.store.create(.sample(now: now), limits: unlimited)
        }
        #expect(failure == refusal)
        #expect(server.command("DBSIZE") == ":0\r\n")
        server.command("ACL SETUSER pages \(rights)")
        try await replica.isConnected()
        try await replica.store.check()
        let id = try await replica.store.create(.sample(now: now), limits: unlimited).id
        // And when they are taken away while it runs.
        server.command("ACL SETUSER pages \(change)")
        // Nobody listens now, so only a new connection shows that nobody could.
        if change == "-subscribe" { server.command("CLIENT KILL USER pages") }
        try await eventually("it is of no use") { (try? await replica.store.check()) == nil }
        server.command("ACL SETUSER pages \(rights)")
        try await eventually("it is of use again") {
            (try? await replica.store.read(id)).map { if case .live = $0 { true } else { false } } == true
        }
        await replica.stop()
    }

    @Test(
        "Why a server is of no use is told anew once it is there, in log and readiness", arguments: ["word", "no word"])
    func password(given: String) async throws {
        let server = try RedisServer()
        server.stop()
        let changes = Changes()
        var configuration = RedisConfiguration.patient(.socket(path: server.socketPath))
        // Whom a server does not know it refuses from the start, and not only once it asks everybody for a password.
        if given == "word" { (configuration.username, configuration.password) = ("nobody", Secret("wrong")) }
        let replica = try Replica(configuration) { changes.add($0) }
        try await eventually("it is away") { changes.all.count == 1 }
        let word = configuration.password == nil ? "NOAUTH" : "WRONGPASS"
        try server.start()
        server.command("CONFIG SET requirepass right")
        server.command("CLIENT KILL TYPE normal SKIPME yes")
        try await eventually("it is told") { changes.all.last??.hasPrefix("Redis answered: \(word)") == true }
        try await eventually("readiness says so") {
            do throws(SessionStoreError) { try await replica.store.check() } catch {
                return error == .unavailable("the session store refuses now (\(word))")
            }
            return false
        }
        #expect(changes.all.filter { $0?.contains(word) == true }.count == 1)
        await replica.stop()
    }

    @Test(
        "Somebody else's data under the store's names are refused with the server's own words, and left as they are",
        arguments: ["expiries", "sequence", "session", "lease", "tombstones"])
    func foreignData(name: String) async throws {
        let server = try RedisServer()
        let changes = Changes()
        let replica = try Replica(server) { changes.add($0) }
        let id = try await replica.store.create(.sample(now: now), limits: unlimited).id
        let key = "paginatord:" + (["session", "lease"].contains(name) ? "\(name):\(id)" : name)
        server.command("DEL \(key)")
        server.command("RPUSH \(key) theirs")
        let failure = await #expect(throws: SessionStoreError.self) {
            switch name {
            case "session": _ = try await replica.store.read(id)
            case "lease": _ = try await replica.store.lease(id, waits: false)
            case "tombstones": _ = try await replica.store.sweep(now: now) { _ in false }
            default: _ = try await replica.store.create(.sample(now: now), limits: unlimited)
            }
        }
        #expect(failure == .unavailable("the session store refuses now (ERR)"))
        #expect(changes.all.map { $0?.hasPrefix("Redis answered: WRONGTYPE") } == [true])
        #expect(server.command("LRANGE \(key) 0 -1") == "*1\r\n$6\r\ntheirs\r\n")
        await replica.stop()
    }

    @Test("A sweep ends however many sessions have lost what they were, in use or not, and forgets all old tombstones")
    func manyLost() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, _ in
            let store = one.store
            let limits = SessionLimits(perOwner: nil, total: 5000)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for number in 0..<1300 {
                    group.addTask {
                        let id = try await store.create(.sample(now: now), limits: limits).id
                        // As eviction does it, against what the documentation asks for.
                        let key = RedisCommand.Argument.text("paginatord:session:\(id)")
                        if number < 700 { _ = try await one.client.send(RedisCommand(["DEL", key])) }
                    }
                }
                try await group.waitForAll()
            }
            let later = now.adding(seconds: 1000)
            #expect(try await store.sweep(now: later) { _ in true } == [])
            #expect(server.command("ZCARD paginatord:expiries") == ":600\r\n")
            #expect(try await store.sweep(now: later.adding(seconds: 10)) { _ in false }.count == 600)
            #expect(server.command("ZCARD paginatord:tombstones") == ":600\r\n")
            _ = try await store.sweep(now: later.adding(seconds: 4000)) { _ in false }
            #expect(server.command("ZCARD paginatord:tombstones") == ":0\r\n")
        }
    }

    @Test(
        "Whoever listens to a session that the server loses hears of its end at the next use", arguments: [true, false])
    func lostWhileHeard(isSweep: Bool) async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, _ in
            let id = try await one.store.create(.sample(now: now), limits: unlimited).id
            let events = try await one.store.events(of: id)
            server.command(isSweep ? "DEL paginatord:session:\(id)" : "FLUSHALL")
            if isSweep {
                _ = try await one.store.sweep(now: now.adding(seconds: 900)) { $0 == id }
            } else {
                try await one.store.touch(id, expiresAt: now.adding(seconds: 2000))
            }
            var heard: [SessionEvent] = []
            for try await event in events { heard.append(event) }
            #expect(heard == [.closed])
            #expect(try await one.store.read(id) == .unknown)
        }
    }

    @Test("Whoever was told positions that the server has lost is sent away to ask anew, and hears what follows then")
    func wentBack() async throws {
        let server = try RedisServer()
        try await withReplicas(of: server) { one, other in
            let id = try await one.store.create(.sample(now: now), limits: unlimited).id
            let key = "paginatord:session:\(id)"
            _ = try await move(id, in: other.store)
            let older = try #require(try await one.client.send(RedisCommand(["HGETALL", .text(key)])).elements)
            let events = try await one.store.events(of: id)
            for _ in 0..<2 { _ = try await move(id, in: other.store) }
            server.command("DEL \(key)")
            _ = try await one.client.send(
                RedisCommand(["HSET", .text(key)] + older.map { .bytes($0.bytes ?? []) }))
            server.command("CLIENT KILL TYPE pubsub")
            var heard: [Int] = []
            for try await event in events {
                if case .page(_, let record) = event { heard.append(record.position) } else { Issue.record("\(event)") }
            }
            #expect(heard == [2, 3])
            let again = try await one.store.events(of: id)
            _ = try await move(id, in: other.store)
            var iterator = again.makeAsyncIterator()
            guard case .page(_, let record)? = try await iterator.next() else { throw NeverHappened(what: "a page") }
            #expect(record.position == 2)
        }
    }

    @Test("A user of an access control list needs no more rights than the README says, in any database")
    func rights() async throws {
        let server = try RedisServer()
        server.command(
            "ACL SETUSER pages on >secret ~paginatord:* &paginatord:* "
                + "+@read +@write +@scripting +@pubsub +@connection +time")
        server.command("ACL SETUSER default off")
        var configuration = RedisConfiguration.patient(.socket(path: server.socketPath))
        (configuration.database, configuration.username, configuration.password) = (5, "pages", Secret("secret"))
        let replica = try Replica(configuration)
        let id = try await replica.store.create(.sample(now: now), limits: unlimited).id
        let events = try await replica.store.events(of: id)
        let lease = try #require(try await replica.store.lease(id, waits: false))
        _ = try await move(id, in: replica.store)
        lease.end()
        try await replica.store.touch(id, expiresAt: now.adding(seconds: 5000))
        #expect(try await replica.store.list(owner: "ann", before: nil, limit: 2).count == 1)
        let budget = SharedBudget(replica.client, name: "a", restraint: Restraint(requestsPerHour: 10))
        var permit = budget.permit()
        #expect(await budget.acquire(&permit, for: .interactive) == .granted)
        await budget.release(permit, RequestReport(.limited(.seconds(1))))
        #expect(try await replica.store.sweep(now: now.adding(seconds: 5000)) { _ in false } == [id])
        var heard: [SessionEvent] = []
        for try await event in events { heard.append(event) }
        #expect(heard.count == 2 && heard.last == .closed)
        try await replica.store.check()
        await replica.stop()
    }
}
