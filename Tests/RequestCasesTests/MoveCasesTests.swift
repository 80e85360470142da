import DemoInstance
import HTTPModel
import PaginatordTesting
import Testing

/// Moves whose answers get lost or meet.
@Suite(.timeLimit(.minutes(10))) struct MoveCasesTests {
    @Test("44: Two moves from one position never give two different pages")
    func together() async throws {
        try await Deployment.run { service in
            for _ in 0..<10 {
                let session = try await service.open()
                let raw = service.request("POST", session + "/next", [#"If-Match: "0""#])
                async let first = service.answer(raw)
                async let second = service.answer(raw)
                let answers = try await [first, second]
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
            let session = try await service.open()
            for position in 0..<3 {
                let raw = service.request("POST", "\(session)/next?after=\(position)")
                let peer = try service.connect()
                try await peer.send(raw)
                await peer.close()
                let (first, second) = (try await service.answer(raw), try await service.answer(raw))
                #expect(first.status == 200 && first.body == second.body)
                #expect(first.members["page"] as? Int == position + 1)
            }
            #expect(try await service.position(of: session) == 3)
        }
    }
}
