import Clocks
import Pagination
import Sessions

extension SessionStoreCheck {
    /// What whoever listens hears.
    static let feeds: [SessionStoreCheck] = [
        SessionStoreCheck("A listener hears pages, resets and failures in order, then the close and the end") {
            store, now in
            let id = try await store.open(.sample(now: now)).id
            let other = try await store.open(.sample(now: now)).id
            let answer = PageAnswer(texts: ["{\"a\":1}", "{\"b\":2}"], total: 45)
            _ = try await store.move(id, by: .first, answer: answer)
            let listeners = [try await store.events(of: id), try await store.events(of: id)]
            var expected: [SessionEvent] = []
            for move in [Move.next, .last, .previous] {
                let (record, page) = try await store.record(id).moved(by: move, answer: answer)
                expected.append(.page(page, record))
                try expect("it is written", try await store.replace(record, event: expected.last))
                _ = try await store.move(other, by: .first, answer: answer)
            }
            expected.append(.failure(.unavailable(.init(status: 503, message: "é", detail: nil), retryAfter: 7)))
            await store.publish(.failure(.unavailable(.init(status: 503, message: "é"), retryAfter: 7)), of: id)
            var reset = try await store.record(id)
            reset.state.reset()
            reset.position += 1
            (reset.reachedBy, reset.keptPage) = (.reset, .none)
            expected.append(.reset(reset))
            try expect("it is written", try await store.replace(reset, event: expected.last))
            try expect("an old write is refused", try await store.replace(reset, event: .reset(reset)) == false)
            var changed = try await store.record(id)
            changed.state.publisherShouldFinish = true
            try expect("a write without an event", try await store.replace(changed, event: nil))
            try await store.delete(id, now: now)
            expected.append(.closed)
            for listener in listeners {
                let heard = try await everything(from: listener)
                try expect("everything in order", heard.map(\.comparable) == expected.map(\.comparable))
            }
        },
        SessionStoreCheck("Every kind of failure reaches a listener as it is") { store, now in
            let id = try await store.open(.sample(now: now)).id
            let upstream = PageSourceError.Upstream(status: 500, message: "a", detail: "b\"é")
            let kinds: [PageSourceError] = [
                .rejected(upstream), .forbidden(upstream), .unauthenticated(upstream), .callerUnauthenticated(nil),
                .callerUnauthenticated(upstream),
                .rateLimited(upstream, retryAfter: nil), .rateLimited(upstream, retryAfter: 9),
                .unavailable(nil, retryAfter: nil), .failed(nil, reason: "r"), .failed(upstream, reason: ""),
                .incomplete(upstream, reason: "r"), .notJSON(upstream, reason: "r"), .tooLarge(limit: .max),
                .timedOut(nil), .timedOut(upstream), .stopping,
            ]
            let listener = try await store.events(of: id)
            for kind in kinds { await store.publish(.failure(kind), of: id) }
            try await store.delete(id, now: now)
            let heard = try await everything(from: listener)
            try expect("each of them", heard == kinds.map { .failure($0) } + [.closed])
        },
        SessionStoreCheck("A session that expires is closed for its listeners; the others' go on") { store, now in
            let soon = try await store.open(.sample(idleTimeout: 1, now: now)).id
            let later = try await store.open(.sample(now: now)).id
            let (first, second) = (try await store.events(of: soon), try await store.events(of: later))
            _ = try await store.sweep(now: now.adding(seconds: 1)) { _ in false }
            try expect("closed", try await everything(from: first) == [.closed])
            await store.publish(.failure(.stopping), of: later)
            try await store.delete(later, now: now)
            try expect("heard on", try await everything(from: second) == [.failure(.stopping), .closed])
        },
        SessionStoreCheck("Who listens to a session that is not there hears at once that it is closed") { store, now in
            let gone = try await store.open(.sample(now: now)).id
            try await store.delete(gone, now: now)
            for id in [gone, SessionID()] {
                let listener = try await store.events(of: id)
                try expect("closed", try await everything(from: listener) == [.closed])
            }
        },
        SessionStoreCheck("A listener that goes is no burden to the others") { store, now in
            let id = try await store.open(.sample(now: now)).id
            let stays = try await store.events(of: id)
            do {
                let goes = try await store.events(of: id)
                await store.publish(.failure(.stopping), of: id)
                var iterator = goes.makeAsyncIterator()
                try expect("it hears the first", try await iterator.next() == .failure(.stopping))
            }
            await store.publish(.failure(.timedOut(nil)), of: id)
            try await store.delete(id, now: now)
            let heard = try await everything(from: stays)
            try expect("all of it", heard == [.failure(.stopping), .failure(.timedOut(nil)), .closed])
        },
        SessionStoreCheck(
            "A listener that does not read is cut alone, behind what it holds; the others hear everything"
        ) {
            store, now in
            let id = try await store.open(.sample(now: now)).id
            let (slow, quick) = (try await store.events(of: id), try await store.events(of: id))
            let count = 5000
            var iterator = quick.makeAsyncIterator()
            for number in 0..<count {
                let event = SessionEvent.failure(.tooLarge(limit: number))
                await store.publish(event, of: id)
                try expect("event \(number) is heard", try await iterator.next() == event)
            }
            try await store.delete(id, now: now)
            try expect("the close is heard", try await iterator.next() == .closed)
            try expect("and the end", try await iterator.next() == nil)
            var heard: [SessionEvent] = []
            do {
                for try await event in slow { heard.append(event) }
                try expect("the slow one is cut", false)
            } catch is SubscriptionError {}
            let expected = (0..<heard.count).map { SessionEvent.failure(.tooLarge(limit: $0)) }
            try expect("what it holds is whole and in order", heard == expected && heard.count < count)
        },
    ]

    /// What several writers do at once.
    static let races: [SessionStoreCheck] = [
        SessionStoreCheck("Of many writes at once from the same revision exactly one wins, and it alone is heard") {
            store, now in
            let id = try await store.open(.sample(now: now)).id
            let listener = try await store.events(of: id)
            for round in 1...20 {
                let record = try await store.record(id)
                let wins = try await withThrowingTaskGroup(of: Bool.self) { group in
                    for number in 0..<8 {
                        group.addTask {
                            let answer = PageAnswer(texts: ["{\"n\":\(number)}"], total: 4000)
                            let (moved, page) = try record.moved(by: .next, answer: answer)
                            return try await store.replace(moved, event: .page(page, moved))
                        }
                    }
                    return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
                }
                try expect("one wins round \(round), not \(wins)", wins == 1)
                try expect("it is one step on", try await store.record(id).position == round)
            }
            let last = try await store.record(id)
            try await store.delete(id, now: now)
            let heard = try await everything(from: listener)
            try expect("20 pages, in order", heard.dropLast().map(position) == Array(1...20))
            guard case .page(let page, _) = heard[19] else { return try expect("the last is a page", false) }
            try expect("the winner is heard", last.comparable.keptPage == .page(page.comparable))
        },
        SessionStoreCheck("Writers that try again lose nothing, and listeners hear every position once and in order") {
            store, now in
            let id = try await store.open(.sample(now: now)).id
            let listener = try await store.events(of: id)
            try await withThrowingTaskGroup(of: Void.self) { group in
                for _ in 0..<8 {
                    group.addTask {
                        for _ in 0..<25 {
                            _ = try await store.move(id, by: .next, answer: PageAnswer(texts: ["{}"], total: 100_000))
                        }
                    }
                }
                try await group.waitForAll()
            }
            let record = try await store.record(id)
            try expect("200 moves", record.position == 200 && record.state.page == 200 && record.revision == 200)
            try await store.delete(id, now: now)
            try expect(
                "heard in order", try await everything(from: listener).dropLast().map(position) == Array(1...200))
        },
        SessionStoreCheck("Sessions opened at once have sequences of their own and never exceed a limit") {
            store, now in
            let limits = SessionLimits(perOwner: 30, total: 50)
            let opened = await withTaskGroup(of: SessionRecord?.self) { group in
                for number in 0..<80 {
                    let owner = number.isMultiple(of: 2) ? "ann" : "bob"
                    group.addTask { try? await store.create(.sample(owner: owner, now: now), limits: limits) }
                }
                return await group.reduce(into: []) { $0.append($1) }.compactMap { $0 }
            }
            try expect("50 were opened, not \(opened.count)", opened.count == 50)
            try expect("their sequences differ", Set(opened.map(\.sequence)).count == 50)
            for owner in ["ann", "bob"] {
                let listed = try await store.list(owner: owner, before: nil, limit: 100)
                let sequences = opened.filter { $0.owner == owner }.map(\.sequence).sorted(by: >)
                try expect("an owner has at most 30", listed.count <= 30 && listed.map(\.sequence) == sequences)
            }
        },
    ]
}

private func everything(from listener: AsyncThrowingStream<SessionEvent, any Error>) async throws -> [SessionEvent] {
    var events: [SessionEvent] = []
    for try await event in listener { events.append(event) }
    return events
}

private func position(_ event: SessionEvent) -> Int? {
    if case .page(_, let record) = event { record.position } else { nil }
}
