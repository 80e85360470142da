import Clocks
import Sessions

extension SessionStoreCheck {
    /// How long sessions live, and what is left of them.
    static let lives: [SessionStoreCheck] = [
        SessionStoreCheck("A touch lets a session live longer, never shorter, and costs no revision") { store, now in
            let record = try await store.open(.sample(idleTimeout: 60, now: now))
            try await store.touch(record.id, expiresAt: now.adding(seconds: 90))
            try await store.touch(record.id, expiresAt: now.adding(seconds: 30))
            try await store.touch(SessionID(), expiresAt: now.adding(seconds: 30))
            var expected = record
            expected.expiresAt = now.adding(seconds: 90)
            try expect("only the expiry changed", try await store.read(record.id) == .live(expected))
            try expect("a write from before is accepted", try await store.replace(record, event: nil))
            let stored = try await store.record(record.id)
            try expect("and does not shorten the life", stored.expiresAt == expected.expiresAt)
        },
        SessionStoreCheck("A deleted session is gone for its owner's name to be told, for one hour") { store, now in
            let record = try await store.open(.sample(now: now))
            let other = try await store.open(.sample(now: now.adding(seconds: 7200)))
            try await store.delete(record.id, now: now)
            try expect("it is gone", try await store.read(record.id) == .gone(owner: "ann"))
            try await store.delete(record.id, now: now.adding(seconds: 1800))
            try await store.delete(SessionID(), now: now)
            _ = try await store.sweep(now: now.adding(seconds: 3600)) { _ in false }
            try expect("after an hour it is gone", try await store.read(record.id) == .gone(owner: "ann"))
            _ = try await store.sweep(now: now.adding(seconds: 3601)) { _ in false }
            try expect("after more it is unknown", try await store.read(record.id) == .unknown)
            try expect("others are untouched", try await store.read(other.id) == .live(other))
        },
        SessionStoreCheck("A sweep ends the sessions whose time is up, to the millisecond") { store, now in
            let soon = try await store.open(.sample(idleTimeout: 60, now: now))
            let later = try await store.open(.sample(idleTimeout: 61, now: now))
            let touched = try await store.open(.sample(idleTimeout: 60, now: now))
            try await store.touch(touched.id, expiresAt: now.adding(seconds: 300))
            let justBefore = Timestamp(milliseconds: now.milliseconds + 59_999)
            let none = try await store.sweep(now: justBefore) { _ in false }
            try expect("nobody ends before the time", none.isEmpty)
            let ended = try await store.sweep(now: now.adding(seconds: 60)) { _ in false }
            try expect("only the first ends", ended == [soon.id])
            try expect("it leaves a tombstone", try await store.read(soon.id) == .gone(owner: "ann"))
            try expect("the others live", try await store.read(later.id) == .live(later))
            let rest = try await store.sweep(now: now.adding(seconds: 300)) { _ in false }
            try expect("the others end at their time", Set(rest) == [later.id, touched.id])
            let again = try await store.sweep(now: now.adding(seconds: 301)) { _ in false }
            try expect("nobody ends twice", again.isEmpty)
        },
        SessionStoreCheck("A sweep spares a session in use, and ends it when it is no longer used") { store, now in
            let used = try await store.open(.sample(idleTimeout: 60, now: now)).id
            for second in [60, 61, 3600] {
                let ended = try await store.sweep(now: now.adding(seconds: second)) { $0 == used }
                try expect("it is spared at second \(second)", ended.isEmpty)
            }
            _ = try await store.record(used)
            let ended = try await store.sweep(now: now.adding(seconds: 3605)) { _ in false }
            try expect("it ends", ended == [used])
        },
        SessionStoreCheck("An owner's sessions are listed newest first, page by page, and nobody else's") {
            store, now in
            var ids: [SessionID] = []
            for number in 0..<25 {
                ids.append(try await store.open(.sample(now: now)).id)
                if number.isMultiple(of: 3) { _ = try await store.open(.sample(owner: "bob", now: now)) }
            }
            for index in [24, 12, 0] { try await store.delete(ids.remove(at: index), now: now) }
            ids.reverse()
            var listed: [SessionRecord] = []
            var sequence: Int?
            repeat {
                let page = try await store.list(owner: "ann", before: sequence, limit: 5)
                try expect("a page is not larger than asked for", page.count <= 5)
                listed += page
                sequence = page.last?.sequence
            } while sequence != nil
            try expect("all of them, newest first", listed.map(\.id) == ids)
            let all = try await store.list(owner: "ann", before: nil, limit: 1000)
            try expect("in one piece too", all == listed)
            try expect("a record is whole", try await store.read(ids[3]) == .live(all[3]))
            let nobody = try await store.list(owner: "cid", before: nil, limit: 10)
            try expect("who has none gets none", nobody.isEmpty)
        },
    ]

    /// How many sessions there may be.
    static let limits: [SessionStoreCheck] = [
        SessionStoreCheck("A full store takes no session and names the nearest expiry") { store, now in
            let limits = SessionLimits(perOwner: nil, total: 3)
            var records: [SessionRecord] = []
            for seconds in [90, 60, 120] {
                let record = SessionRecord.sample(owner: "owner \(seconds)", idleTimeout: seconds, now: now)
                records.append(try await store.create(record, limits: limits))
            }
            let full = SessionStoreError.full(limit: 3, nearestExpiry: now.adding(seconds: 60))
            try await expectRefusal(full, of: .sample(now: now), by: store, limits: limits)
            try await store.touch(records[1].id, expiresAt: now.adding(seconds: 300))
            let later = SessionStoreError.full(limit: 3, nearestExpiry: now.adding(seconds: 90))
            try await expectRefusal(later, of: .sample(now: now), by: store, limits: limits)
            for record in records { _ = try await store.record(record.id) }
            try await store.delete(records[0].id, now: now)
            _ = try await store.create(.sample(now: now), limits: limits)
            try await expectRefusal(
                .full(limit: 3, nearestExpiry: now.adding(seconds: 120)), of: .sample(now: now), by: store,
                limits: limits)
        },
        SessionStoreCheck("An owner's limit counts that owner's sessions alone") { store, now in
            let limits = SessionLimits(perOwner: 2, total: 100)
            let first = try await store.create(.sample(idleTimeout: 50, now: now), limits: limits)
            _ = try await store.create(.sample(owner: "bob", idleTimeout: 10, now: now), limits: limits)
            _ = try await store.create(.sample(idleTimeout: 60, now: now), limits: limits)
            let full = SessionStoreError.full(limit: 2, nearestExpiry: now.adding(seconds: 50))
            try await expectRefusal(full, of: .sample(now: now), by: store, limits: limits)
            _ = try await store.create(.sample(owner: "bob", now: now), limits: limits)
            let none = SessionLimits(perOwner: nil, total: 100)
            _ = try await store.create(.sample(now: now), limits: none)
            try await store.delete(first.id, now: now)
            let stillFull = SessionStoreError.full(limit: 2, nearestExpiry: now.adding(seconds: 60))
            try await expectRefusal(stillFull, of: .sample(now: now), by: store, limits: limits)
        },
    ]
}

/// A store has to refuse a session with that very error, and must not have kept it.
private func expectRefusal(
    _ expected: SessionStoreError, of record: SessionRecord, by store: any SessionStore, limits: SessionLimits
) async throws {
    do {
        _ = try await store.create(record, limits: limits)
    } catch {
        try expect("\(expected), not \(error)", error == expected)
        try expect("it was not kept", try await store.read(record.id) == .unknown)
        return
    }
    try expect("\(expected)", false)
}
