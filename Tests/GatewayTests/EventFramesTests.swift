import Clocks
import Pagination
import Sessions
import Testing

@testable import Gateway

struct EventFramesTests {
    @Test(
        "The latest events are kept, within so many and so many bytes, and the very latest however large it is",
        arguments: [(100, 40, 32), (1 << 20, 10, 7), (5 << 20, 3, 1), (9 << 20, 2, 1)])
    func bounds(bytesEach: Int, events: Int, count: Int) throws {
        let frames = EventFrames()
        let definition = SessionDefinition(instance: "default", table: "incident", itemsPerPage: 20, idleTimeout: 60)
        var record = SessionRecord(
            id: SessionID(), owner: "", definition: definition, publisherShouldFinish: false,
            now: Timestamp(milliseconds: 0))
        let text = Array("{\"a\":\"".utf8) + Array(repeating: 0x61, count: bytesEach) + Array("\"}".utf8)
        var state = PaginatorState(itemsPerPage: 20)
        _ = try state.begin(.next)
        let rows = Rows([Rows.Block(text: text[...], extents: [0..<text.count])])
        guard case .deliver(let page) = try state.complete(PageAnswer(rows: rows, total: 1)) else {
            Issue.record("no page")
            return
        }
        for position in 1...events {
            record.position = position
            #expect(frames.page(page, of: record).byteCount > bytesEach)
            #expect(frames.kept.count <= count)
        }
        #expect(frames.kept.count == count)
        #expect(count == 1 || frames.kept.bytes <= EventFrames.maxBytes)
    }
}
