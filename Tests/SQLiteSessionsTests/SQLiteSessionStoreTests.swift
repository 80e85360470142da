import Clocks
import Glibc
import Pagination
import PaginatordTesting
import SQLite
import Sessions
import Testing

@testable import SQLiteSessions

@Suite(.timeLimit(.minutes(10))) struct SQLiteSessionStoreTests {
    private let folder: TemporaryFolder
    private let now = ManualClock().now
    private let unlimited = SessionLimits(perOwner: nil, total: .max)

    init() throws {
        folder = try TemporaryFolder()
    }

    private func open(memory: Int = 256 << 20) async throws -> SQLiteSessionStore {
        try await SQLiteSessionStore.open(folder.file("sessions.db"), memory: memory)
    }

    @Test("It does what every session store does", arguments: SessionStoreCheck.all)
    func conforms(check: SessionStoreCheck) async throws {
        let store = try await open()
        try await check.run(SessionStoreFixture(store: store) { id, change in try await store.rewrite(id, change) })
    }

    @Test("It does so too where it remembers next to nothing", arguments: SessionStoreCheck.all)
    func conformsWithoutMemory(check: SessionStoreCheck) async throws {
        let store = try await open()
        let forgetful = ForgetfulStore(store)
        try await check.run(SessionStoreFixture(store: forgetful) { id, change in try await store.rewrite(id, change) })
    }

    @Test("Sessions, pages, tombstones and the order of opening outlive the store", arguments: [true, false])
    func outlives(isClosed: Bool) async throws {
        var store = try await open()
        var expected: [SessionRecord] = []
        for number in 0..<20 {
            var record = try await store.create(.sample(now: now), limits: unlimited)
            if number > 0 {
                let texts = (0..<number).map { "{\"n\":\"\($0) é\"}" }
                let (moved, page) = try record.moved(by: .next, answer: PageAnswer(texts: texts, total: 45))
                #expect(try await store.replace(moved, event: .page(page, moved)))
                record = moved
                record.revision += 1
            }
            expected.append(record)
        }
        try await store.delete(expected[19].id, now: now)
        if isClosed { await store.close() } else { try await store.letGo() }
        store = try await open()
        for record in expected.dropLast() {
            #expect(try await store.record(record.id).comparable == record.comparable)
        }
        #expect(try await store.read(expected[19].id) == .gone(owner: "ann"))
        let listed = try await store.list(owner: "ann", before: nil, limit: 100)
        #expect(listed.map(\.id) == expected.dropLast().reversed().map(\.id))
        let next = try await store.create(.sample(now: now), limits: unlimited)
        #expect(next.sequence > expected[19].sequence, "a sequence is never given twice")
        let limits = SessionLimits(perOwner: nil, total: 20)
        await #expect(throws: SessionStoreError.self) { try await store.create(.sample(now: now), limits: limits) }
    }

    @Test("When a session ends is written each tenth of its idle timeout, and at the close")
    func expiryWrites() async throws {
        let store = try await open()
        let id = try await store.create(.sample(idleTimeout: 100, now: now), limits: unlimited).id
        var written: [Int] = []
        for second in 1...35 {
            try await store.touch(id, expiresAt: now.adding(seconds: 100 + second))
            _ = try await store.sweep(now: now) { _ in false }
            written.append((try await store.writtenExpiry(of: id).milliseconds - now.milliseconds) / 1000)
            #expect(try await store.record(id).expiresAt == now.adding(seconds: 100 + second))
        }
        let expected = (1...35).map { 100 + $0 / 10 * 10 }
        #expect(written == expected)
        await store.close()
        let reopened = try await open()
        #expect(try await reopened.writtenExpiry(of: id) == now.adding(seconds: 135))
    }

    @Test("A session that was used lately does not end for what is written, in this process")
    func realExpiry() async throws {
        let store = try await open()
        let id = try await store.create(.sample(idleTimeout: 100, now: now), limits: unlimited).id
        try await store.touch(id, expiresAt: now.adding(seconds: 105))
        #expect(try await store.sweep(now: now.adding(seconds: 104)) { _ in false }.isEmpty)
        #expect(try await store.sweep(now: now.adding(seconds: 105)) { _ in false } == [id])
    }

    @Test("More sessions than one look at the file takes end in one sweep, but for those in use")
    func manyDue() async throws {
        let store = try await open()
        var ids: [SessionID] = []
        try await withThrowingTaskGroup(of: SessionID.self) { group in
            for number in 0..<2500 {
                group.addTask {
                    try await store.create(.sample(idleTimeout: 10 + number % 7, now: now), limits: unlimited).id
                }
            }
            for try await id in group { ids.append(id) }
        }
        let used = Set(ids.indices.filter { $0.isMultiple(of: 3) }.map { ids[$0] })
        let ended = try await store.sweep(now: now.adding(seconds: 20)) { used.contains($0) }
        #expect(Set(ended) == Set(ids).subtracting(used) && ended.count == ids.count - used.count)
        let rest = try await store.sweep(now: now.adding(seconds: 21)) { _ in false }
        #expect(Set(rest) == used)
        _ = try await store.sweep(now: now.adding(seconds: 3700)) { _ in false }
        #expect(try await store.rows(of: "session") == 0)
        #expect(try await store.rows(of: "kept_rows") == 0)
        #expect(try await store.rows(of: "ended") == 0)
    }

    @Test("A page's rows that were damaged in the file cost a fetch, and nothing else")
    func damagedRows() async throws {
        let store = try await open()
        let record = try await store.create(.sample(now: now), limits: unlimited)
        let (moved, page) = try record.moved(by: .next, answer: PageAnswer(texts: ["{\"a\":1}"], total: 45))
        #expect(try await store.replace(moved, event: nil))
        try await store.rewrite(record.id) { $0.rows?[5] ^= 1 }
        let read = try await store.record(record.id)
        var bare = page
        bare.rows = Rows()
        #expect(read.keptPage == .withoutRows(bare) && read.state == moved.state)
        let (next, _) = try read.moved(by: .next, answer: PageAnswer(texts: ["{\"b\":1}"], total: 45))
        #expect(try await store.replace(next, event: nil))
    }

    @Test("Writes that wait together are committed together, each with its own outcome")
    func grouped() async throws {
        let store = try await open()
        let empty = try await store.create(.sample(now: now), limits: unlimited)
        let before = folder.size(of: "sessions.db-wal")
        let writes = store.writes
        // The connection's thread is held until all of them wait.
        let holding = Gate()
        async let held: Void = writes.read { _ throws(SQLiteError) in
            holding.open()
            while writes.waitingCount < 202 { usleep(100) }
            return .success(())
        }
        await holding.wait()
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask { _ = try await store.create(.sample(now: now), limits: unlimited) }
            }
            group.addTask {
                let full = SessionLimits(perOwner: nil, total: 1)
                await #expect(throws: SessionStoreError.self) {
                    try await store.create(.sample(now: now), limits: full)
                }
            }
            group.addTask {
                let isWritten = try await store.replace(.sample(now: now), event: nil)
                #expect(!isWritten)
            }
            try await group.waitForAll()
        }
        try await held
        // By themselves, each would write the page that it is added to and those of three indexes, of 4 KiB each.
        #expect(folder.size(of: "sessions.db-wal") - before < 200 * 4 * 4096 / 4)
        let listed = try await store.list(owner: "ann", before: nil, limit: 1000)
        #expect(listed.count == 201 && listed.last?.id == empty.id)
        #expect(Set(listed.map(\.sequence)).count == 201)
    }
}
