import Foundation
import Glibc
import HTTPModel
import PaginatordTesting
import Testing

/// What becomes of walks while replicas, or the Redis server, come and go.
@Suite(.timeLimit(.minutes(10)), .serialized)
struct OutageTests {
    /// Walks 500 pages, one replica and the other in turn, and expects each page once and in order.
    ///
    /// - Parameters:
    ///   - readAhead: of the session, as it is written.
    ///   - disturb: is called before each page with its number, the link to it, and the replicas, which it may replace;
    ///     returns an answer that it has got.
    private func walk(
        _ service: SharedService, _ replicas: inout [SharedService.Replica], readAhead: String,
        disturb: (Int, String, inout [SharedService.Replica]) async throws -> Caller.Answer?
    ) async throws {
        var link =
            try await replicas[0].caller.open(
                #"{"table":"incident","fields":["sys_id"],"itemsPerPage":20,"readAhead":\#(readAhead)}"#)
            + "/next?after=0"
        var keys: [String] = []
        for page in 1...500 {
            let first = try await disturb(page, link, &replicas)
            let arrived = try await Caller.insist(on: link, of: replicas.map { $0.caller }, from: page)
            try #require(
                arrived.status == 200 && arrived["page"] == page && arrived["position"] == page,
                "\(page): \(String(decoding: arrived.body, as: UTF8.self))")
            // What was answered before a process ended is what is answered later.
            if let first, first.status == 200 { #expect(first.body == arrived.body, "\(page)") }
            keys += arrived.keys
            link = arrived.link("next") ?? ""
        }
        #expect(link.isEmpty && keys.count == 10_000 && Set(keys).count == 10_000 && keys == keys.sorted())
    }

    @Test(
        "500 pages over two replicas that are killed in turn and a Redis that is restarted twice: each page once, in order"
    )
    func killed() async throws {
        let service = try await SharedService()
        var replicas = [try await service.start(), try await service.start()]
        var generator = SeededGenerator(seed: 1)
        let moments = Array(1...500).shuffled(using: &generator)
        let (kills, restarts) = (Set(moments.prefix(20)), Set(moments.dropFirst(20).prefix(2)))
        var killed = 0
        try await walk(service, &replicas, readAhead: "0") { page, link, replicas in
            var first: Caller.Answer?
            if restarts.contains(page) {
                // While this move is under way, somewhere between its first step and its last.
                let (caller, redis) = (replicas[page % 2].caller, service.redis)
                let pause = Int.random(in: 0...8000, using: &generator)
                async let end: Void = {
                    try await Task.sleep(for: .microseconds(pause))
                    redis.stop()
                }()
                first = try? await caller.call("POST", link)
                try await end
                #expect(try await caller.call("GET", "/readyz").status == 503)
                let refused = try await caller.call("POST", "/sessions", #"{"table":"incident"}"#)
                #expect(refused.status == 503 && refused["type"] == "/problems/store-unavailable")
                #expect(refused.headers["Retry-After"].flatMap { Int($0) } ?? 0 >= 1)
                #expect(!String(decoding: refused.body, as: UTF8.self).contains(redis.directory))
                try redis.start()
                for replica in replicas {
                    try await eventually("it is ready again") {
                        try await replica.caller.call("GET", "/readyz").status == 200
                    }
                }
            }
            if kills.contains(page) {
                killed += 1
                let victim = killed % 2
                let replica = replicas[victim]
                // In the middle of this very move, which the walk then makes again.
                let pause = Int.random(in: 0...20_000, using: &generator)
                async let end: Void = {
                    try await Task.sleep(for: .microseconds(pause))
                    try await replica.program.kill()
                }()
                first = try? await replica.caller.call("POST", link)
                try await end
                await replica.caller.close()
                replicas[victim] = try await service.start()
            }
            return first
        }
        #expect(killed == 20)
        #expect(try await service.close(replicas) == [0, 0])
    }

    @Test(
        "500 pages while a Redis that writes before it answers is stopped or killed in the middle of moves",
        arguments: ["stop", "kill"])
    func redisRestarted(how: String) async throws {
        let service = try await SharedService()
        var replicas = [try await service.start(), try await service.start()]
        let redis = service.redis
        let restarting = Task {
            while (try? await Task.sleep(for: .milliseconds(300))) != nil {
                if how == "stop" { redis.stop() } else { redis.kill() }
                try redis.start()
            }
        }
        try await walk(service, &replicas, readAhead: #""auto""#) { page, _, replicas in
            guard page == 250 else { return nil }
            let program = replicas[0].program
            try await eventually("Redis was away") { program.standardError.contains("store-unavailable") }
            return nil
        }
        restarting.cancel()
        try await restarting.value
        #expect(try await service.close(replicas) == [0, 0])
    }

    @Test(
        "A replica that stands still in the middle of a move, longer than its lease, delivers no page twice and loses none"
    )
    func paused() async throws {
        let instance = try await HeldInstance(incidents: 300)
        let service = try await SharedService(over: instance)
        let replicas = [try await service.start(), try await service.start()]
        var link =
            try await replicas[0].caller.open(#"{"table":"incident","fields":["sys_id"],"readAhead":0}"#)
            + "/next?after=0"
        let session = String(link.prefix { $0 != "?" }.dropLast("/next".count))
        let stream = try RawConnection(port: replicas[0].port)
        try await stream.send("GET \(session)/events HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n")
        #expect(try await stream.readHead().status == 200)
        var keys: [String] = []
        var page = 0
        func takes(_ answer: Caller.Answer) throws {
            page += 1
            try #require(
                answer.status == 200 && answer["page"] == page && answer["position"] == page,
                "\(page): \(String(decoding: answer.body, as: UTF8.self))")
            keys += answer.keys
            link = answer.link("next") ?? ""
        }
        for moves in 1...3 {
            let (paused, other) = (replicas[0], replicas[1].caller)
            let (started, first) = (link, page + 1)
            let (asked, gate) = (instance.requests, instance.holdNext())
            async let late = try? paused.caller.call("POST", started)
            try await eventually("it moves") { instance.requests > asked }
            paused.program.signal(SIGSTOP)
            gate.open()
            var bodies: [[UInt8]] = []
            for _ in 0..<moves {
                let answer = try await other.call("POST", link)
                bodies.append(answer.body)
                try takes(answer)
            }
            paused.program.signal(SIGCONT)
            // It made its move first, after all, or finds that somebody else has: the same page, a refusal, or no word.
            if let answer = await late, answer.status != 503 {
                #expect(answer.status == (moves == 1 ? 200 : 412) || answer.body == bodies[0], "page \(first)")
                if answer.status == 200 { #expect(answer.body == bodies[0]) }
            }
            try takes(try await paused.caller.insist(on: link))
        }
        while !link.isEmpty { try takes(try await replicas[page % 2].caller.insist(on: link)) }
        #expect(keys.count == 300 && Set(keys).count == 300 && keys == keys.sorted())
        var text = ""
        while !text.contains("id: \(page)\n") { text += String(decoding: try await stream.read(1), as: UTF8.self) }
        let heard = text.split(separator: "\n").filter { $0.hasPrefix("id: ") }.compactMap { Int($0.dropFirst(4)) }
        #expect(heard == Set(heard).sorted() && heard.last == page)
        await stream.close()
        #expect(try await service.close(replicas) == [0, 0])
        await instance.stop()
    }

    @Test("A service that starts before its Redis is alive, not ready, and goes on by itself once Redis is there")
    func early() async throws {
        let service = try await SharedService(incidents: 50)
        service.redis.stop()
        let replica = try await service.start()
        #expect(try await replica.caller.call("GET", "/livez").status == 200)
        #expect(try await replica.caller.call("GET", "/readyz").status == 503)
        try await eventually("the log says so") {
            replica.program.standardError.contains("store-unavailable")
        }
        try service.redis.start()
        try await eventually("it is ready") { try await replica.caller.call("GET", "/readyz").status == 200 }
        let session = try await replica.caller.open(#"{"table":"incident"}"#)
        #expect(try await replica.caller.call("POST", session + "/next").status == 200)
        // Frozen: nobody waits longer for it than a command may take.
        service.redis.freeze()
        #expect(try await replica.caller.call("POST", session + "/next").status == 503)
        service.redis.thaw()
        #expect(try await replica.caller.insist(on: session + "/next?after=1")["page"] == 2)
        #expect(try await service.close([replica]) == [0])
    }
}
