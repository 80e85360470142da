import HTTPModel
import Observability
import PaginatordTesting
import Pagination
import Sessions
import Testing

@testable import Gateway
@testable import TableAPI

/// Where a page came from, as the caller and the log are told.
struct OriginTests {
    /// The `cacheStatus` of the log's lines for pages.
    private func logged(_ service: Service) -> [String] {
        service.events.all.compactMap { event in
            guard case .requestAnswered(let request) = event else { return nil }
            return request.cacheStatus
        }
    }

    @Test("Each origin has its words (RFC 9211), and what came from memory no time of the instance")
    func words() async throws {
        let expected: [(MoveOutcome.Origin, String)] = [
            (.fetched, "fwd=miss"), (.collapsed, "fwd=miss; collapsed"), (.cached, "hit"),
            (.readAhead, "hit; detail=read-ahead"), (.replayed, "hit; detail=replay"),
            (.refetched, "fwd=miss; detail=refetch"),
        ]
        let service = try Service()
        let page = try #require(try await ScriptedSource(SampleSet(count: 1)).page(1, itemsPerPage: 20))
        for (origin, words) in expected {
            let document = PageDocument(page: page, links: SessionLinks(page: page) { String($0) })
            let reply = service.gateway.pageReply(document, origin: origin, upstream: .seconds(1))
            #expect(reply.headers["Cache-Status"] == "paginatord; " + words && reply.cacheStatus == words)
            let isHit = words.hasPrefix("hit")
            #expect((reply.headers["Server-Timing"] == nil) == isHit && (reply.upstream == nil) == isHit)
        }
    }

    @Test(
        "A page that was got a short while ago is a hit, for every way to ask for it",
        arguments: ["next", "pages/1", "tables"], ["next", "first", "pages/1", "tables"])
    func hit(before: String, after: String) async throws {
        let service = try Service(cacheTTL: .seconds(30))
        func ask(_ way: String) async throws -> Answer {
            switch way {
            case "tables": try await service.get("/tables/incident")
            case "pages/1": try await service.get(try await service.open() + "/pages/1")
            default: try await service.post(try await service.open() + "/" + way)
            }
        }
        let first = try await ask(before)
        let second = try await ask(after)
        #expect(first.headers["Cache-Status"] == "paginatord; fwd=miss")
        #expect(second.headers["Cache-Status"] == "paginatord; hit" && second.headers["Server-Timing"] == nil)
        #expect(try second["items"] == first["items"] && second.status == 200)
        #expect(logged(service) == ["fwd=miss", "hit"])
        service.time.advance(milliseconds: 30_000)
        #expect(try await ask(after).headers["Cache-Status"] == "paginatord; fwd=miss")
        #expect(service.transport.urls.count == 2)
    }

    @Test("Sessions that ask for the same page at the same time cause one request")
    func collapsed() async throws {
        let service = try Service()
        let (gate, sessions) = (Gate(), 5)
        service.transport.answer { _ in
            await gate.wait()
            return IncomingResponse(
                status: 200, headers: ["X-Total-Count": "1"], body: Array(#"{"result":[{"a":1}]}"#.utf8))
        }
        var paths: [String] = []
        for _ in 0..<sessions { paths.append(try await service.open()) }
        let statuses = try await withThrowingTaskGroup(of: String?.self) { group in
            for path in paths {
                group.addTask { try await service.post(path + "/next").headers["Cache-Status"] }
            }
            let fetches = try #require(service.instances["default"]).fetches
            try await eventually("all wait for one") { fetches.followerCount == sessions - 1 }
            gate.open()
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(service.transport.urls.count == 1)
        #expect(statuses.filter { $0 == "paginatord; fwd=miss" }.count == 1)
        #expect(statuses.filter { $0 == "paginatord; fwd=miss; collapsed" }.count == sessions - 1)
    }

    @Test("A page that a session did not keep can be had from the cache, and then says so")
    func refetched() async throws {
        let service = try Service(store: MemorySessionStore(maxPageBytes: 4), cacheTTL: .seconds(30))
        let path = try await service.open()
        let page = try await service.post(path + "/next?after=0")
        for (wait, expected) in [(0, "paginatord; hit"), (31, "paginatord; fwd=miss; detail=refetch")] {
            service.time.advance(milliseconds: wait * 1000)
            let again = try await service.post(path + "/next?after=0")
            #expect(again.body == page.body && again.headers["Cache-Status"] == expected)
        }
        #expect(service.transport.urls.count == 2)
    }
}
