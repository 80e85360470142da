import DemoInstance
import HTTPModel
import PaginatordTesting
import Testing

/// Moves whose answers get lost or meet.
@Suite(.timeLimit(.minutes(10))) struct MoveCasesTests {
    @Test("44: Two moves from one position never give two different pages")
    func together() async throws {
        try await Deployment.run { service in
            var numbers = SeededGenerator(seed: 7)
            for _ in 0..<40 {
                let session = try await service.open()
                let matching = service.request("POST", session + "/next", [#"If-Match: "0""#])
                let following = service.request(numbers.one(of: ["GET", "POST"]), session + "/next?after=0")
                let raws = (0..<Int.random(in: 2...6, using: &numbers)).map { _ in
                    numbers.one(of: [matching, following])
                }
                let answers = try await withThrowingTaskGroup(of: RawConnection.RawResponse.self) { group in
                    for raw in raws { group.addTask { try await service.answer(raw) } }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
                let pages = answers.filter { $0.status == 200 }
                #expect(!pages.isEmpty)
                #expect(answers.allSatisfy { [200, 412].contains($0.status) })
                #expect(pages.allSatisfy { $0.body == pages[0].body })
                #expect(try await service.position(of: session) == 1)
            }
        }
    }

    @Test("45: A move whose answer nobody has read gives the same page again")
    func lost() async throws {
        try await Deployment.run { service in
            var numbers = SeededGenerator(seed: 7)
            for _ in 0..<20 {
                let session = try await service.open()
                for position in 0..<3 {
                    let raw = service.request("POST", "\(session)/next?after=\(position)")
                    for _ in 0..<Int.random(in: 1...3, using: &numbers) {
                        let peer = try service.connect()
                        let count = numbers.one(of: [
                            raw.utf8.count, Int.random(in: 1...raw.utf8.count, using: &numbers),
                        ])
                        try await peer.send(bytes: Array(raw.utf8.prefix(count)))
                        await peer.close()
                    }
                    let (first, second) = (try await service.answer(raw), try await service.answer(raw))
                    #expect(first.status == 200 && first.body == second.body)
                    #expect(first.members["page"] as? Int == position + 1)
                }
                #expect(try await service.position(of: session) == 3)
            }
        }
    }
}
