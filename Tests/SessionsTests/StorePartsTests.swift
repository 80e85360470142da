import Clocks
import PaginatordTesting
import Testing

@testable import Sessions

/// The parts that the memory store is made of.
@Suite struct KeptPagesTests {
    @Test("What was kept longest ago goes first, and only as much as has to")
    func oldestGoes() {
        var kept = KeptPages(budget: 10)
        let ids = (0..<4).map { _ in SessionID() }
        #expect(kept.add(ids[0], bytes: 4).isEmpty)
        #expect(kept.add(ids[1], bytes: 4).isEmpty)
        #expect(kept.add(ids[2], bytes: 2).isEmpty)
        #expect(kept.bytes == 10)
        #expect(kept.add(ids[3], bytes: 1) == [ids[0]])
        #expect(kept.bytes == 7)
        #expect(kept.add(ids[0], bytes: 9) == [ids[1], ids[2]])
        #expect(kept.bytes == 10)
    }

    @Test("A page that is replaced is counted once and is young again")
    func replaced() {
        var kept = KeptPages(budget: 10)
        let ids = (0..<3).map { _ in SessionID() }
        #expect(kept.add(ids[0], bytes: 5).isEmpty)
        #expect(kept.add(ids[1], bytes: 5).isEmpty)
        #expect(kept.add(ids[0], bytes: 4).isEmpty)
        #expect(kept.bytes == 9)
        #expect(kept.add(ids[2], bytes: 2) == [ids[1]])
        kept.remove(ids[0])
        kept.remove(ids[0])
        #expect(kept.bytes == 2)
    }

    @Test("A page larger than the whole budget is not kept and costs nobody anything")
    func tooLarge() {
        var kept = KeptPages(budget: 10)
        let (small, large) = (SessionID(), SessionID())
        #expect(kept.add(small, bytes: 10).isEmpty)
        #expect(kept.add(large, bytes: 11) == [large])
        #expect(kept.bytes == 10)
        #expect(kept.add(small, bytes: 11) == [small])
        #expect(kept.bytes == 0)
    }

    @Test("However often pages are replaced, the bytes are those of the latest ones")
    func manyTimes() {
        var kept = KeptPages(budget: 100)
        let ids = (0..<20).map { _ in SessionID() }
        var expected: [SessionID: Int] = [:]
        for step in 0..<20_000 {
            let id = ids[step * 7 % 20]
            let bytes = 1 + step * 31 % 9
            expected[id] = bytes
            for dropped in kept.add(id, bytes: bytes) { expected[dropped] = nil }
            if step.isMultiple(of: 11) {
                kept.remove(ids[step % 20])
                expected[ids[step % 20]] = nil
            }
            #expect(kept.bytes == expected.values.reduce(0, +))
            #expect(kept.bytes <= 100)
        }
    }
}

@Suite struct OwnedSessionsTests {
    @Test("Sessions come newest first from any place on, whichever are gone")
    func order() {
        var owned = OwnedSessions()
        var present: [(sequence: Int, id: SessionID)] = []
        for sequence in stride(from: 3, to: 600, by: 3) {
            let id = SessionID()
            owned.append(id, sequence: sequence)
            present.append((sequence, id))
        }
        for index in (0..<150).map({ $0 * 37 % 199 }) {
            let sequence = 3 + 3 * index
            owned.remove(sequence: sequence)
            owned.remove(sequence: sequence)
            owned.remove(sequence: sequence + 1)
            present.removeAll { $0.sequence == sequence }
            #expect(owned.count == present.count)
            for before in [nil, 0, 3, 4, 300, 301, 302, 599, 10_000] as [Int?] {
                let expected = present.reversed().filter { $0.sequence < before ?? .max }.map(\.id)
                #expect(Array(owned.ids(before: before)) == expected)
            }
        }
    }
}

@Suite struct ExpiryQueueTests {
    private let start = Timestamp(milliseconds: 1_000_000_400)

    @Test(
        "Nobody is due before the time, everybody within a second of it", arguments: [0, 1, 599, 600, 601, 999, 1000])
    func due(milliseconds: Int) {
        var queue = ExpiryQueue()
        let id = SessionID()
        let time = Timestamp(milliseconds: start.milliseconds + milliseconds)
        queue.add(id, at: time)
        #expect(queue.due(at: Timestamp(milliseconds: time.milliseconds - 1)).isEmpty)
        #expect(queue.due(at: Timestamp(milliseconds: time.milliseconds + 999)) == [id])
        #expect(queue.due(at: start.adding(seconds: 100)).isEmpty)
        #expect(queue.count == 0)
    }

    @Test("A time on the second is due at that very time, the earliest first")
    func exact() {
        var queue = ExpiryQueue()
        let ids = (0..<3).map { _ in SessionID() }
        let second = Timestamp(milliseconds: 5000)
        queue.add(ids[2], at: second.adding(seconds: 2))
        queue.add(ids[0], at: second)
        queue.add(ids[1], at: second.adding(seconds: 1))
        #expect(queue.due(at: second) == [ids[0]])
        #expect(queue.count == 2)
        #expect(queue.due(at: second.adding(seconds: 9)) == [ids[1], ids[2]])
    }

    @Test("Places that nobody needs can be given up")
    func keep() {
        var queue = ExpiryQueue()
        let ids = (0..<10).map { _ in SessionID() }
        for (index, id) in ids.enumerated() { queue.add(id, at: start.adding(seconds: index / 2)) }
        let kept = Set(ids.prefix(3))
        queue.keep { kept.contains($0) }
        #expect(queue.count == 3)
        #expect(queue.due(at: start.adding(seconds: 100)) == Array(ids.prefix(3)))
    }

    @Test("Sessions that are opened and closed again leave no places behind for the rest of their time")
    func churn() throws {
        let store = MemorySessionStore()
        for _ in 0..<10_000 {
            let record = try store.create(
                .sample(idleTimeout: 86_400, now: start), limits: SessionLimits(perOwner: nil, total: 10))
            store.delete(record.id, now: start)
        }
        #expect(store.placesInTime <= 2000)
    }
}

@Suite struct TombstonesTests {
    @Test("A tombstone stands until it is older than the time given, and the others stay")
    func forget() {
        var tombstones = Tombstones()
        let start = Timestamp(milliseconds: 0)
        let ids = (0..<5000).map { _ in SessionID() }
        for (index, id) in ids.enumerated() { tombstones.add(id, owner: "\(index)", at: start.adding(seconds: index)) }
        for cut in [0, 1, 1000, 1500, 4000, 5000] {
            tombstones.forget(before: start.adding(seconds: cut))
            for index in [0, cut - 1] where index >= 0 && cut > 0 { #expect(tombstones.owner(of: ids[index]) == nil) }
            for index in [cut, 4999] where (cut..<5000).contains(index) {
                #expect(tombstones.owner(of: ids[index]) == "\(index)")
            }
        }
        #expect(tombstones.owner(of: ids[4999]) == nil)
        let late = SessionID()
        tombstones.add(late, owner: "late", at: start.adding(seconds: 6000))
        #expect(tombstones.owner(of: late) == "late")
    }
}

@Suite struct NearestExpiryTests {
    @Test("The nearest end is found among sessions that were used, closed, or neither", arguments: [1, 7, 500])
    func nearest(count: Int) {
        var queue = ExpiryQueue()
        let start = ManualClock().now
        let ids = (0..<count).map { _ in SessionID() }
        for id in ids { queue.add(id, at: start.adding(seconds: 10)) }
        var ends = Dictionary(uniqueKeysWithValues: ids.map { ($0, start.adding(seconds: 10)) })
        #expect(queue.nearest { ends[$0] } == start.adding(seconds: 10))
        for (number, id) in ids.enumerated() { ends[id] = start.adding(seconds: 20 + number) }
        #expect(queue.nearest { ends[$0] } == start.adding(seconds: 20))
        #expect(queue.count == count)
        ends[ids[0]] = nil
        #expect(queue.nearest { ends[$0] } == (count > 1 ? start.adding(seconds: 21) : nil))
        #expect(queue.count == count - 1)
        // Nobody has lost a place: each is due at its end, and only then.
        #expect(queue.due(at: start.adding(seconds: 20)).isEmpty)
        #expect(Set(queue.due(at: start.adding(seconds: 20 + count))) == Set(ids.dropFirst()))
    }
}
