import Foundation
import Locks
import Pagination
import PaginatordTesting
import SQLite
import Sessions
import Testing

@testable import SQLiteSessions

/// What a store does with the files that it finds.
@Suite(.timeLimit(.minutes(10))) struct SessionFileTests {
    private let folder: TemporaryFolder
    private let path: String
    private let now = ManualClock().now
    private let unlimited = SessionLimits(perOwner: nil, total: .max)

    init() throws {
        folder = try TemporaryFolder()
        path = folder.file("sessions.db")
    }

    private func open(
        _ schema: Schema = .current, ownerKey: FileOwnerKey? = nil
    ) async throws(SessionFileError) -> SQLiteSessionStore {
        try await SQLiteSessionStore.open(
            SessionFile(path: path, schema: schema, ownerKey: ownerKey, patience: .milliseconds(50)))
    }

    /// A closed file with that many sessions, each with a page.
    private func makeFile(sessions: Int = 200) async throws -> [SessionID] {
        let store = try await open()
        // At the same time, so that they share what is written.
        let ids = try await withThrowingTaskGroup(of: SessionID.self) { [now, unlimited] group in
            for _ in 0..<sessions {
                group.addTask {
                    let record = try await store.create(.sample(now: now), limits: unlimited)
                    return try await store.move(record.id).id
                }
            }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        await store.close()
        return ids
    }

    /// The refusal to open the file.
    private func refusal(_ schema: Schema = .current) async -> SessionFileError? {
        do throws(SessionFileError) {
            await (try open(schema)).close()
            return nil
        } catch {
            return error
        }
    }

    @Test("Nobody but its owner may read the file, or what is beside it, whatever was allowed before")
    func modes() async throws {
        let store = try await open()
        _ = try await store.create(.sample(now: now), limits: unlimited)
        #expect(folder.mode(of: "sessions.db") == 0o600 && folder.mode(of: "sessions.db-wal") == 0o600)
        #expect(folder.mode(of: "sessions.db-shm").map { $0 & 0o077 } ?? 0 == 0)
        try await store.letGo()
        try FileManager.default.setAttributes([.posixPermissions: 0o664], ofItemAtPath: path)
        let again = try await open()
        _ = try await again.create(.sample(now: now), limits: unlimited)
        #expect(folder.mode(of: "sessions.db") == 0o600 && folder.mode(of: "sessions.db-wal") == 0o600)
    }

    @Test("A second store on the same file is refused, until the first has closed it")
    func inUse() async throws {
        let store = try await open()
        let record = try await store.create(.sample(now: now), limits: unlimited)
        for _ in 0..<3 { #expect(await refusal() == .inUse(path: path)) }
        #expect(try await store.read(record.id) == .live(record))
        await store.close()
        #expect(await refusal() == nil)
    }

    @Test("A file of an earlier version is brought up to date with all that it holds; a newer one is refused untouched")
    func migration() async throws {
        let older = Schema(steps: [Schema.current.steps[0]])
        let first = try await open(older)
        var ids: [SessionID] = []
        for _ in 0..<3 { ids.append(try await first.move(first.create(.sample(now: now), limits: unlimited).id).id) }
        await first.close()
        // Through the version of today, with a key that it keeps, to one to come.
        let keys = OwnerKeys((1, 2))
        let present = try await open(ownerKey: keys.fileKey)
        #expect(try await present.record(ids[0]).position == 1)
        await present.close()
        let newer = Schema(
            steps: Schema.current.steps + [
                ["ALTER TABLE session ADD COLUMN note TEXT", "UPDATE session SET note = 'kept'"]
            ])
        let failing = Schema(steps: newer.steps + [["DELETE FROM session", "not SQL"]])
        guard case .damaged = await refusal(failing) else {
            Issue.record("a step that fails is not noticed")
            return
        }
        let store = try await open(newer)
        for id in ids { #expect(try await store.record(id).position == 1) }
        let version = try await store.writes.read { database throws(SQLiteError) in .success(try database.userVersion())
        }
        #expect(version == Schema.current.version + 1)
        await store.close()
        let before = try Data(contentsOf: URL(fileURLWithPath: path))
        #expect(await refusal() == .newer(path: path, version: newer.version, known: Schema.current.version))
        #expect(try Data(contentsOf: URL(fileURLWithPath: path)) == before)
        let again = try await open(newer)
        #expect(try await again.list(owner: "ann", before: nil, limit: 10).count == 3)
    }

    @Test("Callers with credentials of their own are named by the file's key from the first moment on")
    func ownerKey() async throws {
        let first = OwnerKeys((.max, 1 << 63))
        await (try open(ownerKey: first.fileKey)).close()
        #expect(first.current == (.max, 1 << 63))
        let second = OwnerKeys((3, 4))
        await (try open(ownerKey: second.fileKey)).close()
        #expect(second.current == (.max, 1 << 63))
        await (try open()).close()

        // Where the file can be opened only later, nothing is done for who was named before.
        let clock = ManualClock()
        let third = OwnerKeys((5, 6))
        let writable = Gate()
        let file = SessionFile(path: path, ownerKey: third.fileKey) { database throws(SQLiteError) in
            guard !writable.isOpen else { return }
            try database.execute("PRAGMA query_only = 1")
            try database.execute("DELETE FROM session")
        }
        let store = try await SQLiteSessionStore.open(file, clock: clock.clock)
        #expect(third.current == (5, 6))
        writable.open()
        clock.advance(seconds: 2)
        #expect(await isUnavailable { _ = try await store.create(.sample(now: clock.now), limits: unlimited) })
        #expect(third.current == (.max, 1 << 63))
        _ = try await store.create(.sample(now: clock.now), limits: unlimited)
        try await store.letGo()
        _ = try await store.create(.sample(now: clock.now), limits: unlimited)
        #expect(try await store.list(owner: "ann", before: nil, limit: 10).count == 2)
        await store.close()
    }

    @Test("An empty file becomes one with sessions")
    func empty() async throws {
        try Data().write(to: URL(fileURLWithPath: path))
        #expect(await refusal() == nil)
        #expect(try await makeFile(sessions: 1).count == 1)
    }

    enum Damage: CaseIterable {
        case text, cut, head, middle, zeros, otherProgram
    }

    @Test("A damaged or foreign file is refused with its name, and stays as it is", arguments: Damage.allCases)
    func damaged(damage: Damage) async throws {
        _ = try await makeFile()
        let url = URL(fileURLWithPath: path)
        var data = try Data(contentsOf: url)
        switch damage {
        case .text: data = Data("This is a letter to my grandmother and no database at all.\n".utf8)
        case .cut: data = data.prefix(data.count / 2)
        case .head: data.replaceSubrange(0..<16, with: Array("SQLite format 9\0".utf8))
        case .middle: for page in 1..<data.count / 4096 { data[page * 4096] ^= 0xFF }
        case .zeros: data.replaceSubrange(4096..<data.count, with: Data(count: data.count - 4096))
        case .otherProgram:
            try FileManager.default.removeItem(at: url)
            let other = try await SQLiteConnection.open(.file(path))
            try await other.run { database throws(SQLiteError) in
                try database.execute("CREATE TABLE recipes (name TEXT)")
                try database.setUserVersion(1)
            }
            await other.close()
            data = try Data(contentsOf: url)
        }
        try data.write(to: url)
        let error = try #require(await refusal())
        switch error {
        case .damaged: #expect(damage != .otherProgram)
        case .foreign: #expect(damage == .otherProgram)
        default: Issue.record("\(error)")
        }
        #expect(error.description.contains(path))
        #expect(!error.reason.contains(path))
        #expect(try Data(contentsOf: url) == data)
    }

    @Test("A file whose folder is not there is refused with its name")
    func noFolder() async throws {
        let lost = folder.file("absent/sessions.db")
        let error = await #expect(throws: SessionFileError.self) { try await SQLiteSessionStore.open(lost) }
        #expect(error?.description.contains(lost) == true)
        if case .cannotOpen = error {} else { Issue.record("\(String(describing: error))") }
    }

    @Test("What was written survives, whole, wherever the log is cut off", arguments: 0..<12)
    func cutLog(part: Int) async throws {
        let store = try await open()
        var ids: [SessionID] = []
        for _ in 0..<40 { ids.append(try await store.move(store.create(.sample(now: now), limits: unlimited).id).id) }
        let copy = try TemporaryFolder()
        let data = try Data(contentsOf: URL(fileURLWithPath: path))
        let log = try Data(contentsOf: URL(fileURLWithPath: path + "-wal"))
        try data.write(to: URL(fileURLWithPath: copy.file("a.db")))
        try log.prefix(log.count * part / 11).write(to: URL(fileURLWithPath: copy.file("a.db-wal")))
        let cut = try await SQLiteSessionStore.open(copy.file("a.db"))
        let found = try await cut.list(owner: "ann", before: nil, limit: 100)
        #expect(found.map(\.id) == ids.prefix(found.count).reversed())
        #expect(part < 11 || found.count == 40)
        for record in found {
            let read = try await cut.record(record.id)
            if read.position == 1, case .page(let page) = read.keptPage {
                #expect(page.rows.count == 1)
            } else {
                // The last one may not have moved yet.
                #expect(read.position == 0 && record.id == found.first?.id)
            }
        }
    }
}

extension SQLiteSessionStore {
    /// Moves a session to the next page, which has one row of about that many bytes.
    @discardableResult
    func move(_ id: SessionID, bytes: Int = 100) async throws -> SessionRecord {
        let row = "{\"text\":\"\(String(repeating: "x", count: bytes))\"}"
        let (moved, page) = try await record(id).moved(by: .next, answer: PageAnswer(texts: [row], total: 4000))
        guard try await replace(moved, event: .page(page, moved)) else { throw NeverHappened(what: "a move") }
        return moved
    }
}

/// A process's key to name callers by.
private final class OwnerKeys: Sendable {
    private let words: Lock<FileOwnerKey.Words>

    init(_ words: FileOwnerKey.Words) {
        self.words = Lock(words)
    }

    var current: FileOwnerKey.Words { words.withLock { $0 } }

    var fileKey: FileOwnerKey {
        FileOwnerKey(current: { self.current }, adopt: { key in self.words.withLock { $0 = key } })
    }
}
