import Foundation
import HTTPModel
import PaginatordTesting
import Testing

/// Sessions outlive their process, however it ends.
@Suite(.timeLimit(.minutes(10)))
struct KilledServiceTests {
    @Test("500 pages by links, over 20 kills at random moments: every page once, in order, and nothing of it twice")
    func walk() async throws {
        let service = try await DurableService()
        var generator = SeededGenerator(seed: 1)
        let kills = Set((1...500).shuffled(using: &generator).prefix(20))
        let earliest = kills.min()
        var link =
            try await service.caller.open(
                #"{"table":"incident","fields":["sys_id"],"itemsPerPage":20,"readAhead":0}"#) + "/next?after=0"
        var (delivered, seen): ([String], Set<String>) = ([], [])
        var (lost, repeated) = (0, 0)
        var usual = Duration.milliseconds(20)
        for page in 1...500 {
            var answer: Caller.Answer?
            if kills.contains(page) {
                let (caller, target) = (service.caller, link)
                if page == earliest {
                    // Before the request, so that one answer is lost for certain.
                    try await service.program.kill()
                    answer = try? await caller.call("POST", target)
                } else {
                    // Before it is read, while the instance is asked, while the page is written, or behind its answer.
                    async let request = try? caller.call("POST", target)
                    try await Task.sleep(for: usual * Double.random(in: 0...2, using: &generator))
                    try await service.program.kill()
                    answer = await request
                }
                if answer == nil { lost += 1 }
                try await service.start()
            }
            let arrived: Caller.Answer
            let asked = ContinuousClock.now
            if let answer { arrived = answer } else { arrived = try await service.caller.call("POST", link) }
            if !kills.contains(page) { usual = usual * 0.9 + (ContinuousClock.now - asked) * 0.1 }
            try #require(arrived.status == 200, "\(String(decoding: arrived.body, as: UTF8.self))")
            if arrived.headers["Cache-Status"]?.contains("replay") == true { repeated += 1 }
            try #require(arrived["page"] == page && arrived["position"] == page)
            #expect(arrived.keys.count == 20 && seen.isDisjoint(with: arrived.keys))
            seen.formUnion(arrived.keys)
            delivered += arrived.keys
            link = arrived.link("next") ?? ""
        }
        #expect(link.isEmpty && delivered.count == 10_000 && delivered == delivered.sorted())
        #expect(
            (1...20).contains(lost) && repeated <= lost, "\(lost) answers were lost, \(repeated) of them in the file")
        #expect(try await service.close() == 0)
    }

    @Test("After a kill there are the same sessions, lists, pages to repeat, and events behind Last-Event-ID")
    func restart() async throws {
        let service = try await DurableService(incidents: 200)
        var sessions: [(path: String, page: Caller.Answer?)] = []
        for moves in 0..<4 {
            let path = try await service.caller.open(#"{"table":"incident","itemsPerPage":7,"idleTimeout":600}"#)
            var page: Caller.Answer?
            for move in 0..<moves { page = try await service.caller.call("POST", "\(path)/next?after=\(move)") }
            sessions.append((path, page))
        }
        #expect(try await service.caller.call("DELETE", sessions[1].path).status == 204)
        var shown: [Data] = []
        for (path, _) in sessions { shown.append(try await described(path, service)) }
        let listed = try await service.caller.call("GET", "/sessions")["sessions", as: [[String: Any]].self]

        try await service.restart()
        for (number, (path, page)) in sessions.enumerated() {
            #expect(try await described(path, service) == shown[number])
            guard number != 1, let page else { continue }
            let again = try await service.caller.call("POST", "\(path)/next?after=\(number - 1)")
            #expect(again.body == page.body)
            #expect(again.headers["Cache-Status"] == "paginatord; hit; detail=replay")
        }
        #expect(try await service.caller.call("POST", sessions[1].path + "/next").status == 410)
        let listedAgain = try await service.caller.call("GET", "/sessions")["sessions", as: [[String: Any]].self]
        #expect(
            listedAgain?.count == 3 && listedAgain?.map { $0["id"] as? String } == listed?.map { $0["id"] as? String })

        // Who has missed the latest page gets it first; who has it hears the next one only.
        let port = try await service.program.listeningPort()
        let late = try await subscribe(to: sessions[3].path, after: 1, port: port)
        let present = try await subscribe(to: sessions[3].path, after: 3, port: port)
        #expect(try await heard(from: late, until: "\n\n").contains("id: 3\ndata: {\"page\":3,"))
        let next = try await service.caller.call("POST", sessions[3].path + "/next?after=3")
        #expect(next["page"] == 4)
        for stream in [late, present] {
            #expect(try await heard(from: stream, until: "\n\n").contains("id: 4\ndata: {\"page\":4,"))
        }
        await late.close()
        await present.close()
        #expect(try await service.close() == 0)
    }

    @Test("After a kill a caller with credentials of its own has its sessions still, and nobody else has them")
    func forwarded() async throws {
        let folder = try OwnFolder()
        let configuration = folder.path("paginatord.json5")
        try "{ instances: { default: { auth: { type: 'forward' } } } }".write(
            toFile: configuration, atomically: true, encoding: .utf8)
        let service = try await DurableService(incidents: 50, settings: ["PAGINATORD_CONFIG": configuration])
        let ann: HeaderFields = ["Authorization": "Bearer ann-secret"]
        let opened = try await service.caller.call("POST", "/sessions", #"{"table":"incident"}"#, headers: ann)
        let path = try #require(opened.headers["Location"])
        #expect(try await service.caller.call("POST", "\(path)/next", headers: ann)["page"] == 1)
        try await service.restart()
        #expect(try await service.caller.call("POST", "\(path)/next?after=1", headers: ann)["page"] == 2)
        let others = try await service.caller.call("POST", "\(path)/next", headers: ["Authorization": "Bearer bob"])
        #expect(others.status == 404)
        for name in try FileManager.default.contentsOfDirectory(atPath: service.folder.path) {
            let bytes = try Data(contentsOf: service.folder.appendingPathComponent(name))
            #expect(bytes.range(of: Data("ann-secret".utf8)) == nil)
        }
        #expect(try await service.close() == 0)
    }

    @Test("Whoever streams a session longer than its idle timeout finds it there after a kill")
    func streamed() async throws {
        let service = try await DurableService(incidents: 50)
        let path = try await service.caller.open(#"{"table":"incident","idleTimeout":30}"#)
        let port = try await service.program.listeningPort()
        let stream = try await subscribe(to: path, after: 0, port: port)
        let opened = ContinuousClock.now
        while ContinuousClock.now - opened < .seconds(34) { try await Task.sleep(for: .milliseconds(100)) }
        try await service.restart()
        #expect(try await service.caller.call("GET", path)["position"] == 0)
        await stream.close()
        #expect(try await service.close() == 0)
    }

    /// What the service says of a session, but for when it ends, which its every mention changes.
    private func described(_ path: String, _ service: DurableService) async throws -> Data {
        var members = try await service.caller.call("GET", path).members
        members["expiresAt"] = nil
        return try JSONSerialization.data(withJSONObject: members, options: .sortedKeys)
    }

    private func subscribe(to path: String, after position: Int, port: UInt16) async throws -> RawConnection {
        let connection = try RawConnection(port: port)
        try await connection.send(
            "GET \(path)/events HTTP/1.1\r\nHost: 127.0.0.1\r\nLast-Event-ID: \(position)\r\n\r\n")
        let head = try await connection.readHead()
        #expect(head.status == 200)
        #expect(try await heard(from: connection, until: "\n\n").contains("retry: 2000"))
        return connection
    }

    /// What a stream says up to that mark; heartbeats do not count.
    private func heard(from connection: RawConnection, until mark: String) async throws -> String {
        var bytes: [UInt8] = []
        while !bytes.suffix(mark.utf8.count).elementsEqual(mark.utf8) {
            bytes += try await connection.read(1)
            if bytes.suffix(3).elementsEqual(":\n\n".utf8) { bytes.removeAll() }
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
