import Clocks
import Pagination
import Sessions

extension SessionStoreCheck {
    /// What two handles on the same sessions see of each other.
    static let replicas: [SessionStoreCheck] = [
        SessionStoreCheck(
            "What one handle writes, another one reads, lists and counts",
            with: { fixture, now in
                guard let other = fixture.other else { return }
                let store = fixture.store
                let opened = try await store.open(.sample(now: now))
                try expect("it is there", try await other.read(opened.id) == .live(opened))
                let answer = PageAnswer(texts: ["{\"a\":1}"], total: 45)
                for (round, handle) in [other, store, other].enumerated() {
                    let moved = try await handle.move(opened.id, by: .next, answer: answer)
                    try expect("round \(round)", moved.position == round + 1)
                    for reader in [store, other] {
                        let read = try await reader.record(opened.id).comparable
                        try expect(
                            "both see it", read.keptPage == moved.comparable.keptPage && read.state == moved.state)
                    }
                }
                let limits = SessionLimits(perOwner: 2, total: 100)
                let second = try await other.create(.sample(now: now), limits: limits)
                let listed = try await store.list(owner: "ann", before: nil, limit: 10)
                try expect("both are listed", listed.map(\.id) == [second.id, opened.id])
                do {
                    _ = try await store.create(.sample(now: now), limits: limits)
                    try expect("the limit holds for both handles together", false)
                } catch SessionStoreError.full {}
                try await other.delete(opened.id, now: now)
                try expect("it is gone for both", try await store.read(opened.id) == .gone(owner: "ann"))
            }),
        SessionStoreCheck(
            "Of two handles that write the same revision one wins",
            with: { fixture, now in
                guard let other = fixture.other else { return }
                let handles = [fixture.store, other]
                let id = try await fixture.store.open(.sample(now: now)).id
                for round in 1...20 {
                    let record = try await fixture.store.record(id)
                    let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                        for number in 0..<8 {
                            group.addTask {
                                let answer = PageAnswer(texts: ["{\"n\":\(number)}"], total: 4000)
                                let (moved, page) = try record.moved(by: .next, answer: answer)
                                return try await handles[number % 2].replace(moved, event: .page(page, moved))
                            }
                        }
                        return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                    }
                    try expect("one wins round \(round), not \(wins)", wins == 1)
                    let read = try await (handles[0].record(id).comparable, handles[1].record(id).comparable)
                    try expect("both see the winner", read.0 == read.1 && read.0.position == round)
                }
            }),
        SessionStoreCheck(
            "A listener hears what happens by another handle, in order, and the end",
            with: { fixture, now in
                guard let other = fixture.other else { return }
                let store = fixture.store
                let id = try await store.open(.sample(now: now)).id
                let listeners = [try await store.events(of: id), try await other.events(of: id)]
                let answer = PageAnswer(texts: ["{\"a\":1}", "{\"b\":2}"], total: 1000)
                var expected: [SessionEvent] = []
                for round in 0..<20 {
                    let handle = round.isMultiple(of: 3) ? store : other
                    let (record, page) = try await handle.record(id).moved(by: .next, answer: answer)
                    expected.append(.page(page, record))
                    try expect("it is written", try await handle.replace(record, event: expected.last))
                }
                await other.publish(.failure(.stopping), of: id)
                expected.append(.failure(.stopping))
                // The two handles' publications are ordered by their writes only; `failure` is none, so it is waited for.
                var heard: [[SessionEvent]] = []
                for listener in listeners {
                    var iterator = listener.makeAsyncIterator()
                    var events: [SessionEvent] = []
                    while events.count < expected.count, let event = try await iterator.next() { events.append(event) }
                    heard.append(events)
                }
                for events in heard {
                    try expect("everything in order", events.map(\.comparable) == expected.map(\.comparable))
                }
                let late = [try await store.events(of: id), try await other.events(of: id)]
                try await store.delete(id, now: now)
                for listener in late {
                    var events: [SessionEvent] = []
                    for try await event in listener { events.append(event) }
                    try expect("the close and the end", events == [.closed])
                }
            }),
    ]
}
