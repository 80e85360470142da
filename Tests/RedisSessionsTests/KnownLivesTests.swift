import Clocks
import PaginatordTesting
import Sessions
import Testing

@testable import RedisSessions

@Suite(.timeLimit(.minutes(10))) struct KnownLivesTests {
    private let now = Timestamp(milliseconds: 1_796_000_000_000)

    @Test("However many are known, none is forgotten whose callers were told more than the server, while it lives")
    func owed() {
        let lives = KnownLives(limit: 100)
        var promised: [SessionID] = []
        for second in 0..<1000 {
            let record = SessionRecord.sample(idleTimeout: 100, now: now.adding(seconds: second))
            lives.know(record)
            guard second.isMultiple(of: 10) else { continue }
            #expect(!lives.has(to: record.expiresAt.adding(seconds: 5), record.id))
            promised.append(record.id)
        }
        // Those of the last hundred seconds live still.
        for (number, id) in promised.enumerated().suffix(10) {
            #expect(lives.wanted(id) == now.adding(seconds: number * 10 + 105))
        }
        #expect(lives.count <= 130)
    }

    @Test("A promise is no reason to grow without bound: it ends with its session")
    func bound() {
        let lives = KnownLives(limit: 10)
        for second in 0..<5000 {
            let record = SessionRecord.sample(idleTimeout: 100, now: now.adding(seconds: second))
            lives.know(record)
            _ = lives.has(to: record.expiresAt.adding(seconds: 5), record.id)
        }
        #expect((100...250).contains(lives.count))
    }
}
