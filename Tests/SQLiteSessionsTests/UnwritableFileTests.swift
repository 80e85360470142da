import Foundation
import Locks
import Pagination
import PaginatordTesting
import SQLite
import Sessions
import Testing

@testable import SQLiteSessions

/// What a store does while its file cannot be written.
@Suite(.timeLimit(.minutes(10))) struct UnwritableFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let clock = ManualClock()
    private let unlimited = SessionLimits(perOwner: nil, total: .max)
    /// Whether the file could be used, each time that the store said so.
    private let told = Told()

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("sessions.db")
    }

    /// Opens the file, and remembers what the store tells.
    private func open(_ file: SessionFile? = nil) async throws -> SQLiteSessionStore {
        try await SQLiteSessionStore.open(file ?? SessionFile(path: path), clock: clock.clock) { [told] reason in
            told.all.withLock { $0.append(reason == nil) }
        }
    }

    @Test("A full store refuses what it has no room for, with nothing half-done, and goes on when there is room")
    func full() async throws {
        let store = try await open()
        let small = try await store.create(.sample(now: clock.now), limits: unlimited)
        let large = try await store.create(.sample(now: clock.now), limits: unlimited)
        try await store.check()
        try await store.execute("PRAGMA max_page_count = 1")
        let before = try await store.record(large.id)
        #expect(told.all.withLock { $0 } == [])
        #expect(await isUnavailable { try await store.move(large.id, bytes: 500_000) })
        #expect(told.all.withLock { $0 } == [false, true], "for most of what is written there is room")
        #expect(try await store.record(large.id) == before, "neither the position nor the page has changed")
        store.forget()
        #expect(try await store.record(large.id) == before, "not in the file either")
        // What needs no room still works: a page without rows, an expiry, a read.
        let (moved, page) = try small.moved(by: .next, answer: PageAnswer(texts: [], total: 0))
        #expect(try await store.replace(moved, event: .page(page, moved)))
        var opened = 0
        while true {
            let isFull = await isUnavailable {
                _ = try await store.create(.sample(now: clock.now), limits: unlimited)
                opened += 1
            }
            if isFull { break }
            try #require(opened < 10_000)
        }
        #expect(try await store.list(owner: "ann", before: nil, limit: 20_000).count == 2 + opened)
        let (again, nothing) = try await store.record(small.id).moved(
            by: .first, answer: PageAnswer(texts: [], total: 0))
        #expect(try await store.replace(again, event: .page(nothing, again)), "which is no sign that it is over")
        clock.advance(seconds: 2)
        #expect(await isUnavailable { try await store.check() })
        #expect(told.all.withLock { $0 } == [false, true, false])
        try await store.execute("PRAGMA max_page_count = 100000")
        clock.advance(seconds: 2)
        try await store.check()
        #expect(told.all.withLock { $0 } == [false, true, false, true])
        #expect(try await store.move(large.id, bytes: 500_000).position == 1)
        _ = try await store.create(.sample(now: clock.now), limits: unlimited)
        #expect(try await store.list(owner: "ann", before: nil, limit: 20_000).count == 3 + opened)
    }

    @Test("Of the writes that wait together only those fail for which there is no room")
    func fullForOne() async throws {
        let store = try await open()
        var records: [SessionRecord] = []
        for _ in 0..<21 { records.append(try await store.create(.sample(now: clock.now), limits: unlimited)) }
        for record in records { try await store.move(record.id) }
        try await store.execute("PRAGMA max_page_count = 1")
        let writes = store.writes
        let holding = Gate()
        async let held: Void = writes.read { _ throws(SQLiteError) in
            holding.open()
            while writes.waitingCount < 21 { usleep(100) }
            return .success(())
        }
        await holding.wait()
        let refused = try await withThrowingTaskGroup(of: Int?.self) { group in
            for (number, record) in records.enumerated() {
                group.addTask {
                    let bytes = number == 7 ? 500_000 : 100
                    return await isUnavailable { try await store.move(record.id, bytes: bytes) } ? number : nil
                }
            }
            return try await group.reduce(into: []) { $0 += [$1].compactMap { $0 } }
        }
        try await held
        #expect(refused == [7])
        store.forget()
        for (number, record) in records.enumerated() {
            #expect(try await store.record(record.id).position == (number == 7 ? 1 : 2))
        }
    }

    @Test("A file that may only be read is no end: the store refuses, and goes on once it may be written")
    func readOnly() async throws {
        let first = try await open()
        let id = try await first.move(first.create(.sample(now: clock.now), limits: unlimited).id).id
        await first.close()
        // Rights do not bind root, so the file is made unwritable by what SQLite does for lack of rights.
        let writable = Gate()
        let file = SessionFile(path: path) { database throws(SQLiteError) in
            guard !writable.isOpen else { return }
            try database.execute("PRAGMA query_only = 1")
            try database.execute("DELETE FROM session")
        }
        let store = try await open(file)
        #expect(told.all.withLock { $0 } == [false])
        #expect(await isUnavailable { try await store.check() })
        #expect(await isUnavailable { try await store.move(id) })
        #expect(await isUnavailable { _ = try await store.create(.sample(now: clock.now), limits: unlimited) })
        writable.open()
        #expect(await isUnavailable { try await store.move(id) }, "it is left alone for a second")
        clock.advance(seconds: 2)
        #expect(told.all.withLock { $0 } == [false])
        try await store.check()
        #expect(try await store.move(id).position == 2)
        #expect(told.all.withLock { $0 } == [false, true])
    }

    @Test("A store that was closed refuses everything")
    func closed() async throws {
        let store = try await SQLiteSessionStore.open(path)
        let record = try await store.create(.sample(now: clock.now), limits: unlimited)
        await store.close()
        await store.close()
        store.forget()
        #expect(await isUnavailable { _ = try await store.read(record.id) })
        #expect(await isUnavailable { _ = try await store.replace(record, event: nil) })
        #expect(await isUnavailable { try await store.check() })
        #expect(await isUnavailable { _ = try await store.sweep(now: clock.now) { _ in false } })
    }
}

private final class Told: Sendable {
    let all = Lock<[Bool]>([])
}
