import Clocks
import Pagination
import Sessions

extension SessionStoreCheck {
    /// What a store does with bytes that it has not written as they stand.
    static let formats: [SessionStoreCheck] = [
        SessionStoreCheck(
            "A session of a newer version is refused, and nothing of it is touched",
            with: { fixture, now in
                guard let rewrite = fixture.rewrite else { return }
                let store = fixture.store
                let id = try await store.open(.sample(now: now)).id
                let record = try await store.move(id, by: .next, answer: PageAnswer(texts: ["{}"], total: 45))
                let plain = try await store.open(.sample(owner: "bob", now: now))
                // Later versions begin with their number; what stands behind it is theirs.
                let newer: [@Sendable (inout EncodedSession) -> Void] = [
                    { $0.state = [.max] + $0.state.dropFirst() }, { $0.opening = [.max] + $0.opening.dropFirst() },
                ]
                let older: [@Sendable (inout EncodedSession) -> Void] = [
                    { if $0.state.first == .max { $0.state = [1] + $0.state.dropFirst() } },
                    { if $0.opening.first == .max { $0.opening = [1] + $0.opening.dropFirst() } },
                ]
                for (change, back) in zip(newer, older) {
                    try await rewrite(id, change)
                    try await expectRefusal("a read") { _ = try await store.read(id) }
                    try await expectRefusal("a list") { _ = try await store.list(owner: "ann", before: nil, limit: 10) }
                    // Nothing can be written over it either, be it by who has read it before, and it is not let go of in time.
                    var known = record
                    known.state.publisherShouldFinish = true
                    known.revision -= 1
                    try expect("a write is refused", (try? await store.replace(known, event: nil)) != true)
                    _ = try? await store.touch(id, expiresAt: record.expiresAt.adding(seconds: 1))
                    try expect("it is not ended", try await store.sweep(now: now) { _ in false } == [])
                    try expect("the others are not", try await store.read(plain.id) == .live(plain))
                    try await rewrite(id, back)
                    try expect("it is as it was", try await store.record(id).state == record.state)
                }
            }),
        SessionStoreCheck(
            "A session whose bytes are damaged is refused",
            with: { fixture, now in
                guard let rewrite = fixture.rewrite else { return }
                let store = fixture.store
                let id = try await store.open(.sample(now: now)).id
                _ = try await store.move(id, by: .next, answer: PageAnswer(texts: ["{}"], total: 45))
                try await rewrite(id) { $0.state[$0.state.count / 2] ^= 4 }
                try await expectRefusal("a read") { _ = try await store.read(id) }
                try await rewrite(id) { $0.state[$0.state.count / 2] ^= 4 }
                _ = try await store.record(id)
                try await rewrite(id) { $0.state.removeLast() }
                try await expectRefusal("a read of a part") { _ = try await store.read(id) }
            }),
    ]
}

/// A store has to say that it cannot do that now.
private func expectRefusal(_ what: String, _ call: () async throws -> Void) async throws {
    do {
        try await call()
    } catch SessionStoreError.unavailable(let reason) {
        return try expect("\(what) is refused with a reason", !reason.isEmpty)
    }
    try expect("\(what) is refused", false)
}
