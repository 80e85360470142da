import Pagination
import PaginatordTesting
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(10))) struct PageOriginTests {
    private static let origins: [(PageAnswer.Origin, MoveOutcome.Origin)] = [
        (.fetched, .fetched), (.collapsed, .collapsed), (.cached, .cached),
    ]

    /// A source whose answers come from there, one after the other.
    private func source(_ origins: [PageAnswer.Origin]) -> ScriptedSource {
        ScriptedSource { request, index in
            var answer = SampleSet(count: 85).answer(to: request)
            answer.origin = origins[min(index, origins.count - 1)]
            return answer
        }
    }

    @Test("A page comes from where its answer came from", arguments: origins)
    func one(origin: PageAnswer.Origin, expected: MoveOutcome.Origin) async throws {
        let open = try await OpenSession(source([origin]))
        #expect(try await open.move(.next).origin == expected)
        #expect(try await open.session.page(2, for: "ann").origin == expected)
        // However it came, its repeat comes from the session.
        #expect(try await open.move(.next, after: 0).origin == .replayed)
    }

    @Test("Of several answers that one counts for which most was asked", arguments: origins, origins)
    func several(
        first: (PageAnswer.Origin, MoveOutcome.Origin), second: (PageAnswer.Origin, MoveOutcome.Origin)
    ) async throws {
        let open = try await OpenSession(source([first.0, second.0]))
        let outcome = try await open.move(.last)
        #expect(open.source.requests.count == 2)
        #expect(outcome.origin == (first.0 < second.0 ? first.1 : second.1))
    }

    @Test("A page that was not kept is fetched again, unless it is in somebody's memory", arguments: origins)
    func again(origin: PageAnswer.Origin, expected: MoveOutcome.Origin) async throws {
        let open = try await OpenSession(source([origin]), store: MemorySessionStore(maxPageBytes: 4))
        #expect(try await open.move(.next, after: 0).origin == expected)
        #expect(try await open.move(.next, after: 0).origin == (origin == .cached ? .cached : .refetched))
    }
}
