import Clocks
import Pagination
import PaginatordTesting
import Sessions
import Testing

@testable import RedisSessions

@Suite(.timeLimit(.minutes(10))) struct EventMessageTests {
    private let now = Timestamp(milliseconds: 1_796_000_000_000)

    @Test("What is no event, in whichever way, is no event")
    func mutated() throws {
        let (record, page) = try SessionRecord.sample(now: now).moved(
            by: .next, answer: PageAnswer(texts: ["{\"a\":1}", "{}"], total: 45))
        let events: [SessionEvent] = [
            .page(page, record), .reset(record), .closed,
            .failure(.unavailable(.init(status: 503, message: "m", detail: "d"), retryAfter: 7)),
        ]
        var generator = SeededGenerator(seed: 3)
        for event in events {
            let bytes = EventMessage.encode(event)
            #expect(EventMessage.decode(bytes, of: record.id)?.comparable == event.comparable)
            for length in 0..<bytes.count {
                #expect(EventMessage.decode(Array(bytes[..<length]), of: record.id) == nil)
            }
            #expect(EventMessage.decode(bytes + [0], of: record.id) == nil)
            for _ in 0..<2000 {
                var changed = bytes
                changed[Int.random(in: 0..<bytes.count, using: &generator)] ^= UInt8(
                    1 << Int.random(in: 0..<8, using: &generator))
                // It may be another event of the same session, such as a failure with another status, but never a crash.
                _ = EventMessage.decode(changed, of: record.id)
            }
        }
    }
}
