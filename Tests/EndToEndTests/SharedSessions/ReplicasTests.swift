import Foundation
import HTTPModel
import PaginatordTesting
import Testing

/// Several processes over one Redis server are one service.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct ReplicasTests {
    @Test(
        "Moves that go to two replicas in turn are one walk; lists, closing and what is left of it are the same on both"
    )
    func alternating() async throws {
        let service = try await SharedService(incidents: 200)
        let replicas = [try await service.start(), try await service.start()]
        let session = try await replicas[0].caller.open(
            #"{"table":"incident","fields":["sys_id"],"itemsPerPage":20}"#)
        var link = session + "/next?after=0"
        var keys: [String] = []
        for page in 1...10 {
            let answer = try await replicas[page % 2].caller.patiently("POST", link)
            try #require(answer.status == 200 && answer["page"] == page && answer["position"] == page)
            // Lost on the way, and asked for again from the other one.
            let again = try await replicas[(page + 1) % 2].caller.patiently("POST", link)
            #expect(again.body == answer.body && again.headers["Cache-Status"] == "paginatord; hit; detail=replay")
            keys += answer.keys
            link = answer.link("next") ?? ""
        }
        #expect(link.isEmpty && keys.count == 200 && Set(keys).count == 200 && keys == keys.sorted())
        for replica in replicas {
            let listed = try await replica.caller.patiently("GET", "/sessions")["sessions", as: [[String: Any]].self]
            #expect(listed?.map { $0["position"] as? Int } == [10])
        }
        #expect(try await replicas[1].caller.patiently("DELETE", session).status == 204)
        for replica in replicas {
            #expect(try await replica.caller.patiently("POST", session + "/first").status == 410)
            #expect(try await replica.caller.patiently("DELETE", session).status == 204)
        }
        #expect(try await service.close(replicas) == [0, 0])
        for replica in replicas {
            try await replica.program.silence()
            #expect(!replica.program.standardError.contains("store-unavailable"), "a stop is no outage")
        }
    }

    /// What a client did, and saw come of it.
    private struct Observation: Sendable {
        var began: ContinuousClock.Instant
        var ended: ContinuousClock.Instant
        var move: String
        var after: Int
        var status: Int
        var position: Int?
        var page: Int?
        var body: [UInt8]
    }

    @Test("Eight clients race over one session on two replicas: no position has two pages, and none comes out of order")
    func racing() async throws {
        let service = try await SharedService()
        let replicas = [try await service.start(), try await service.start()]
        let session = try await replicas[0].caller.open(
            #"{"table":"incident","fields":["sys_id"],"itemsPerPage":5,"readAhead":0}"#)
        let last = 120
        let history = try await withThrowingTaskGroup(of: [Observation].self) { group in
            for client in 0..<8 {
                group.addTask {
                    var generator = SeededGenerator(seed: UInt64(client))
                    var seen: [Observation] = []
                    var position = 0
                    let deadline = ContinuousClock.now + .seconds(120)
                    while position < last, ContinuousClock.now < deadline {
                        let caller = replicas[Int.random(in: 0..<2, using: &generator)].caller
                        // Mostly forward; now and then back, or from where it stood a while ago.
                        let move = Int.random(in: 0..<8, using: &generator) == 0 && position > 3 ? "previous" : "next"
                        let stale = Int.random(in: 0..<10, using: &generator) == 0 ? 1 : 0
                        let after = max(0, position - stale)
                        let began = ContinuousClock.now
                        let answer = try await caller.call("POST", "\(session)/\(move)?after=\(after)")
                        let reached: Int? = answer["position"]
                        seen.append(
                            Observation(
                                began: began, ended: ContinuousClock.now, move: move, after: after,
                                status: answer.status, position: reached, page: answer["page"], body: answer.body))
                        try #require([200, 412, 409, 503].contains(answer.status))
                        if let reached { position = max(position, reached) }
                    }
                    return seen
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        // No store is unavailable but where the machine stood still for longer than a command may take; a move that was made
        // then may have shown its page to nobody.
        let unanswered = history.count { $0.status == 503 }
        #expect(unanswered == 0 || history.contains { $0.ended - $0.began >= .seconds(2) })
        var pages: [Int: Observation] = [:]
        for observation in history where observation.status == 200 {
            let position = try #require(observation.position)
            // A move from n leads to n + 1, and everybody who got there made the same move and got the same page.
            #expect(position == observation.after + 1)
            let first = pages[position, default: observation]
            #expect(first.body == observation.body && first.move == observation.move, "position \(position)")
            pages[position] = first
        }
        // Each move began where the one before it had ended.
        for (position, reached) in pages {
            let from = position == 1 ? 0 : pages[position - 1]?.page
            guard let from else { continue }
            #expect(reached.page == from + (reached.move == "next" ? 1 : -1), "position \(position)")
        }
        // Nobody is told of a position to which no move has led that had begun by then.
        let reaching = history.filter { $0.status == 200 }.sorted { $0.began < $1.began }
        for told in history where told.status == 412 && unanswered == 0 {
            let highest = reaching.prefix { $0.began < told.ended }.compactMap(\.position).max() ?? 0
            #expect(try #require(told.position) <= highest)
        }
        let unseen = Set(1...(pages.keys.max() ?? last)).subtracting(pages.keys)
        #expect(unseen.count <= unanswered && pages.count + unanswered >= last, "\(unseen)")
        // What had ended before something else began was seen by it: the session never goes back.
        let byEnd = history.filter { $0.position != nil }.sorted { $0.ended < $1.ended }
        for later in history {
            guard later.status != 409, let position = later.position else { continue }
            let known = byEnd.prefix { $0.ended < later.began }.compactMap(\.position).max() ?? 0
            // A repeat is answered with its own position, which the session may have left one move ago at the most.
            #expect(position >= known, "a session at \(known) was seen at \(position)")
        }
        #expect(try await service.close(replicas) == [0, 0])
    }

    @Test("Whoever listens on one replica sees the moves made on the other, and that it is busy there")
    func events() async throws {
        let instance = try await HeldInstance(incidents: 100)
        let service = try await SharedService(over: instance)
        let replicas = [try await service.start(), try await service.start()]
        var rounds = 0
        while try await !areHeard(instance, service, replicas) {
            rounds += 1
            try #require(rounds < 20)
        }
        #expect(try await service.close(replicas) == [0, 0])
        await instance.stop()
    }

    /// Moves a session on both replicas, while somebody listens.
    ///
    /// - Returns: whether all that went quicker than a lease lapses; otherwise it proves nothing.
    private func areHeard(
        _ instance: HeldInstance, _ service: SharedService, _ replicas: [SharedService.Replica]
    ) async throws -> Bool {
        let (caller, other) = (replicas[0].caller, replicas[1].caller)
        let session = try await caller.open(#"{"table":"incident","fields":["sys_id"],"readAhead":0}"#)
        let stream = try RawConnection(port: replicas[1].port)
        try await stream.send("GET \(session)/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        #expect(try await stream.readHead().status == 200)
        let gate = instance.holdNext()
        let start = ContinuousClock.now
        func mayHaveLapsed() -> Bool { ContinuousClock.now - start >= .seconds(2) }
        async let slow = caller.call("POST", session + "/next?after=0")
        try await eventually("it is busy for the other one") {
            try await other.call("GET", session)["isBusy"] == true || mayHaveLapsed()
        }
        // Who does not want to wait is told; who waits moves from there.
        let refused = try await other.call("POST", session + "/next", headers: ["Prefer": "wait=0"])
        let scripts = service.redis.scripts
        async let waiting = other.call("POST", session + "/next")
        // It asks for the lease over and over.
        try await eventually("it waits") { service.redis.scripts >= scripts + 10 || mayHaveLapsed() }
        gate.open()
        let (first, second) = try await (slow, waiting)
        guard !mayHaveLapsed() else {
            await stream.close()
            return false
        }
        #expect(refused.status == 409 && refused["type"] == "/problems/paginator-busy")
        #expect(first["page"] == 1 && second["page"] == 2)
        #expect(try await caller.call("POST", session + "/reset")["page"] == 0)
        #expect(try await other.call("DELETE", session).status == 204)
        var text = ""
        while !text.contains("session-expired") {
            text += String(decoding: try await stream.read(1), as: UTF8.self)
        }
        let lines = text.split(separator: "\r\n").flatMap { $0.split(separator: "\n") }
        #expect(
            lines.filter { $0.hasPrefix("event:") || $0.hasPrefix("id:") }
                == ["event: page", "id: 1", "event: page", "id: 2", "event: reset", "id: 3", "event: error"])
        await stream.close()
        return true
    }

    @Test("A caller with credentials of its own has its session on every replica, and nobody else has it")
    func forwarded() async throws {
        let service = try await SharedService(
            incidents: 100, arguments: ["--username", "ann", "--password-env", "WORD"], auth: "{ type: 'forward' }",
            environment: ["WORD": "secret"])
        var replicas = [try await service.start(), try await service.start()]
        let ann = "Basic " + Data("ann:secret".utf8).base64EncodedString()
        let opened = try await replicas[0].caller.patiently(
            "POST", "/sessions", #"{"table":"incident","fields":["sys_id"]}"#, headers: ["Authorization": ann])
        let session = try #require(opened.headers["Location"])
        for page in 1...4 {
            let moved = try await replicas[page % 2].caller.patiently(
                "POST", "\(session)/next?after=\(page - 1)", headers: ["Authorization": ann])
            #expect(moved["page"] == page)
        }
        // One that comes later names callers as the others do, and as they did when it is the only one left.
        for replica in replicas {
            await replica.caller.close()
            #expect(try await replica.program.stop() == 0)
        }
        replicas = [try await service.start()]
        #expect(
            try await replicas[0].caller.patiently("POST", "\(session)/next?after=4", headers: ["Authorization": ann])[
                "page"] == 5)
        let other = try await replicas[0].caller.patiently(
            "POST", "\(session)/next", headers: ["Authorization": "Basic eDp5"])
        #expect(other.status == 404)
        #expect(service.redis.command("HVALS paginatord:session:\(session.dropFirst(10))")?.contains("secret") == false)
        #expect(try await service.close(replicas) == [0])
    }

    @Test("An access token that one replica was granted serves the other")
    func tokens() async throws {
        let service = try await SharedService(
            incidents: 100, arguments: ["--oauth-client", "pages", "--oauth-secret-env", "WORD"],
            auth: "{ type: 'oauth', grant: 'client_credentials', clientID: 'pages', clientSecret: { env: 'WORD' } }",
            environment: ["WORD": "secret"])
        let replicas = [try await service.start(), try await service.start()]
        let session = try await replicas[0].caller.open(#"{"table":"incident","fields":["sys_id"],"readAhead":0}"#)
        var tokens: Set<String> = []
        for page in 1...4 {
            let moved = try await replicas[page % 2].caller.patiently("POST", "\(session)/next?after=\(page - 1)")
            try #require(moved["page"] == page, "\(String(decoding: moved.body, as: UTF8.self))")
            let keys = service.redis.command("KEYS paginatord:token:*") ?? ""
            #expect(keys.hasPrefix("*1\r\n"))
            let dump = service.redis.command(
                #"EVAL "return redis.call('HGET', redis.call('KEYS', 'paginatord:token:*')[1], 'token')" 0"#)
            tokens.insert(dump ?? "")
        }
        #expect(tokens.count == 1 && tokens.first?.hasPrefix("$") == true)
        #expect(try await service.close(replicas) == [0, 0])
    }
}

extension RedisServer {
    /// How many scripts it has run.
    fileprivate var scripts: Int {
        command("INFO commandstats")?.firstMatch(of: /cmdstat_evalsha:calls=(\d+)/).flatMap { Int($0.1) } ?? 0
    }
}
