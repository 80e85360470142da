import Foundation
import HTTPModel
import PaginatordTesting
import Testing

/// The commands of the README's section "Rehearse", as they stand there but for the ports, and what it promises of them.
@Suite(.timeLimit(.minutes(10)))
struct RehearsalTests {
    /// The section's commands, in order.
    private static func commands() throws -> [String] {
        let file = URL(fileURLWithPath: #filePath)
            .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
            .appendingPathComponent("README.md")
        let text = try String(contentsOf: file, encoding: .utf8)
        let start = try #require(text.range(of: "\n## Rehearse\n"))
        let section = text[start.upperBound...].components(separatedBy: "\n## ")[0]
        // Every second piece between fences is code.
        return section.components(separatedBy: "```").enumerated()
            .filter { $0.offset % 2 == 1 }
            .flatMap { $0.element.split(separator: "\n").dropFirst().map(String.init) }
    }

    private static let serve = "PAGINATORD_INSTANCE_URL=http://127.0.0.1:8081 paginatord serve"
    private static let hide = "paginatord demo-instance --fault hide:ratio=0.3"
    private static let truncate = "paginatord demo-instance --fault truncate:every=3"
    private static let rateLimit = "paginatord demo-instance --fault rate-limit:requests=1,retry-after=30"

    @Test("Every command of the section is tried by these tests")
    func complete() throws {
        #expect(try Self.commands() == [Self.serve, Self.hide, Self.truncate, Self.rateLimit])
    }

    /// Runs a command's instance and the service over it, and calls the service.
    private func rehearse(_ command: String, _ body: (Caller) async throws -> Void) async throws {
        let instance = try RunningProgram(
            command.split(separator: " ").dropFirst().map(String.init) + ["--listen", "127.0.0.1:0"])
        let words = Self.serve.split(separator: " ").map(String.init)
        let variable = try #require(words[0].split(separator: "=").first.map(String.init))
        let service = try RunningProgram(
            Array(words.dropFirst(2)) + ["--listen", "127.0.0.1:0", "--log-level", "warning"],
            environment: [variable: await instance.listeningURL()])
        let caller = try Caller(await service.listeningURL())
        try await body(caller)
        await caller.close()
        #expect(try await service.stop() == 0)
        #expect(try await instance.stop() == 0)
    }

    private static let session = #"{"table":"sys_user","fields":["sys_id"],"itemsPerPage":20}"#

    @Test("Hidden records make pages short, and hasNext is right all the same")
    func hiding() async throws {
        try await rehearse(Self.hide) { caller in
            let session = try await caller.open(Self.session)
            var sizes: [Int] = []
            var hasNext = true
            while hasNext, sizes.count < 100 {
                let answer = try await caller.call("POST", "\(session)/next?after=\(sizes.count)")
                try #require(answer.status == 200)
                #expect(answer["totalItems"] == 500)
                sizes.append(answer.keys.count)
                hasNext = answer["hasNext"] ?? false
            }
            #expect(sizes.count == 25)
            #expect(sizes.contains { $0 < 20 })
            #expect((300...400).contains(sizes.reduce(0, +)))
        }
    }

    @Test("Of a cut page nothing is delivered, and the same URL gives it whole")
    func truncation() async throws {
        try await rehearse(Self.truncate) { caller in
            let session = try await caller.open(Self.session)
            var keys: [String] = []
            for position in 0..<25 {
                var answer = try await caller.call("POST", "\(session)/next?after=\(position)")
                if answer.status != 200 {
                    #expect(answer.status == 502 && answer["type"] == "/problems/upstream-incomplete")
                    #expect(try await caller.call("GET", session)["position"] == position)
                    answer = try await caller.call("POST", "\(session)/next?after=\(position)")
                }
                try #require(answer.status == 200)
                #expect(answer.keys.count == 20)
                keys += answer.keys
            }
            #expect(keys.count == 500 && Set(keys).count == 500)
        }
    }

    @Test("A limit of requests is passed on with the time to wait")
    func rateLimit() async throws {
        try await rehearse(Self.rateLimit) { caller in
            let session = try await caller.open(Self.session)
            let answer = try await caller.call("POST", session + "/next?after=0")
            #expect(answer.status == 429 && answer["type"] == "/problems/upstream-rate-limited")
            let seconds = try #require(answer.headers["Retry-After"].flatMap { Int($0) })
            #expect((1...30).contains(seconds))
            #expect(try await caller.call("GET", session)["position"] == 0)
        }
    }
}
