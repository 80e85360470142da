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

    @Test("A session links to all its records until it is finished, and a page never does")
    func records() throws {
        let definition = SessionDefinition(instance: "default", table: "incident", itemsPerPage: 1, idleTimeout: 60)
        var record = SessionRecord(
            id: SessionID(), owner: "", definition: definition, publisherShouldFinish: true,
            now: Timestamp(milliseconds: 0))
        let link = SessionLinks(session: record).all.last
        #expect(link == SessionLinks.Link(name: "records", relation: nil, target: "/sessions/\(record.id)/records"))
        _ = try record.state.begin(.first)
        guard case .deliver(let page) = try record.state.complete(PageAnswer(rows: Rows(), total: 0)) else {
            Issue.record("not delivered")
            return
        }
        #expect(record.state.isFinished)
        #expect(SessionLinks(session: record).all.map(\.name) == ["self"])
        #expect(!SessionLinks(page: page, of: record).all.contains { $0.name == "records" })
    }
}
