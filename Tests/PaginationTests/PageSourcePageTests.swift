import Pagination
import PaginatordTesting
import Testing

/// A page by its number, without a paginator.
@Suite struct PageSourcePageTests {
    @Test(
        "A page by its number has its own answer's count, and neighbours by it",
        arguments: [
            (1, 45, 20, true, false), (2, 45, 20, true, true), (3, 45, 5, false, true), (9, 45, 0, false, true),
        ])
    func pages(number: Int, total: Int, count: Int, hasNext: Bool, hasPrevious: Bool) async throws {
        let source = ScriptedSource(SampleSet(count: total))
        let page = try #require(try await source.page(number, itemsPerPage: 20, caller: "ann"))
        #expect(page.page == number && page.numberOfPages == 3 && page.totalItems == total)
        #expect(page.rows.count == count && page.hasNext == hasNext && page.hasPrevious == hasPrevious)
        #expect(source.requests == [PageRequest(offset: (number - 1) * 20, limit: 20, caller: "ann")])
    }

    @Test("A page number that is none asks nothing", arguments: [0, -1, Int.min, Int.max])
    func noPage(number: Int) async throws {
        let source = ScriptedSource(SampleSet(count: 45))
        #expect(try await source.page(number, itemsPerPage: 20) == nil)
        #expect(source.requests.isEmpty)
    }

    @Test("Without a count rows mean that there may be more, and none are the end")
    func uncounted() async throws {
        let source = ScriptedSource(SampleSet(count: 45, counts: false))
        let third = try #require(try await source.page(3, itemsPerPage: 20))
        #expect(third.hasNext && third.numberOfPages == .max && third.totalItems == nil)
        let fourth = try #require(try await source.page(4, itemsPerPage: 20))
        #expect(!fourth.hasNext && fourth.numberOfPages == 3 && fourth.rows.isEmpty)
    }

    @Test("A failure is the source's")
    func failure() async throws {
        let source = ScriptedSource(answers: [.failure(.stopping)])
        await #expect(throws: PaginationError.source(.stopping)) { try await source.page(1, itemsPerPage: 20) }
    }
}
