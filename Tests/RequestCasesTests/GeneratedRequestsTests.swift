import HTTPServer
import PaginatordTesting
import Testing

/// Every kind of malformed request, generated.
@Suite(.timeLimit(.minutes(10))) struct GeneratedRequestsTests {
    /// Of each kind; there are 25 kinds.
    private static let count = 220

    @Test(
        "No malformed request is left hanging, and none reaches what it should not",
        arguments: MalformedRequest.Kind.allCases)
    func malformed(kind: MalformedRequest.Kind) async throws {
        let service = try await OwnService()
        let session = try #require(try await service.open())
        let before = await service.state(of: session)
        var numbers = SeededGenerator(seed: 7)
        let requests = (0..<Self.count).map { _ in MalformedRequest(kind, target: session + "/next", using: &numbers) }
        try await serving(service) { listener in
            let port = try #require(listener.port)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for (number, request) in requests.enumerated() {
                    // So many at once, since some wait for their connection to be looked at.
                    if number >= 64 { try await group.next() }
                    group.addTask { try await Self.expect(request, on: port) }
                }
                try await group.waitForAll()
            }
            // It lives.
            let peer = try RawConnection(port: port)
            try await peer.send("GET /livez HTTP/1.1\r\nHost: localhost\r\n\r\n")
            #expect(try await peer.response().status == 200)
        }
        let reached = service.targets.filter { $0 != "/livez" }
        switch requests.first?.fate {
        case .unseen: #expect(reached == [])
        case .refused, .unanswered, .cut:
            #expect(!reached.contains("/canary"))
            #expect(withoutExpiry(await service.state(of: session)) == withoutExpiry(before))
        case .any, nil: break
        }
    }

    private static func expect(_ request: MalformedRequest, on port: UInt16) async throws {
        let peer = try RawConnection(port: port)
        let text = String(decoding: request.bytes, as: UTF8.self)
        let canary = Array("GET /canary HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8)
        // The refusal may overtake the rest.
        try? await peer.send(bytes: [.refused, .cut].contains(request.fate) ? request.bytes : request.bytes + canary)
        if request.fate != .unseen { await peer.finishSending() }
        let answer = String(decoding: try await peer.readToEnd(), as: UTF8.self)
        switch request.fate {
        case .unseen: #expect(answer.hasPrefix("HTTP/1.1 4") || answer.hasPrefix("HTTP/1.1 501 "), "\(text): \(answer)")
        case .refused: #expect(answer.hasPrefix("HTTP/1.1 4"), "\(text): \(answer)")
        case .unanswered, .cut, .any: #expect(answer.isEmpty || answer.hasPrefix("HTTP/1.1 "), "\(text): \(answer)")
        }
        if request.fate != .any { #expect(!answer.contains("HTTP/1.1 2"), "\(text): \(answer)") }
        await peer.close()
    }

    /// A session's state without the time at which it expires, which every look at it moves.
    private func withoutExpiry(_ state: String) -> String {
        state.replacing(/"expiresAt":"[^"]*"/, with: "")
    }
}
