import Clocks
import Pagination
import Sessions
import Testing

@testable import Gateway

struct SessionLinksTests {
    @Test(
        "A page links to the last one wherever the session can find it",
        arguments: [(nil, false), (45, true), (.max, true)])
    func last(total: Int?, isLinked: Bool) throws {
        let definition = SessionDefinition(instance: "default", table: "incident", itemsPerPage: 1, idleTimeout: 60)
        var record = SessionRecord(
            id: SessionID(), owner: "", definition: definition, publisherShouldFinish: false,
            now: Timestamp(milliseconds: 0))
        _ = try record.state.begin(.first)
        let row = Array("{}".utf8)[...]
        let action = try record.state.complete(
            PageAnswer(rows: Rows([Rows.Block(text: row, extents: [0..<2])]), total: total))
        guard case .deliver(let page) = action else {
            Issue.record("not delivered")
            return
        }
        let links = SessionLinks(page: page, of: record)
        #expect(links.all.contains { $0.name == "last" } == isLinked)
        #expect(SessionLinks(session: record).all.contains { $0.name == "last" } == isLinked)
    }
}
