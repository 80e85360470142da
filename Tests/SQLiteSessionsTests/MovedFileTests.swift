import Clocks
import Foundation
import Pagination
import PaginatordTesting
import SQLite
import Sessions
import Testing

@testable import SQLiteSessions

/// What a store does when somebody takes its file away while it runs.
@Suite(.timeLimit(.minutes(10))) struct MovedFileTests {
    enum Change: CaseIterable {
        case deleted, replaced, logDeleted, logReplaced, bothMoved, folderMoved
    }

    private let folder: TemporaryFolder
    private let clock = ManualClock()
    private let unlimited = SessionLimits(perOwner: nil, total: .max)

    init() throws {
        folder = try TemporaryFolder()
    }

    @Test(
        "Nothing is answered for that is written to a file that is not at its path; the store goes on with the one that is",
        arguments: Change.allCases)
    func moved(change: Change) async throws {
        let files = FileManager.default
        let inner = folder.file("data")
        try files.createDirectory(atPath: inner, withIntermediateDirectories: false)
        let path = inner + "/sessions.db"
        let store = try await SQLiteSessionStore.open(SessionFile(path: path), clock: clock.clock)
        let old = try await store.create(.sample(now: clock.now), limits: unlimited)
        try await store.move(old.id)
        try await store.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        let backup = folder.file("backup.db")
        try files.copyItem(atPath: path, toPath: backup)
        try await store.move(old.id)
        let away = folder.file("away")
        switch change {
        case .deleted: try files.removeItem(atPath: path)
        case .replaced:
            try files.removeItem(atPath: path)
            try files.copyItem(atPath: backup, toPath: path)
        case .logDeleted: try files.removeItem(atPath: path + "-wal")
        case .logReplaced:
            try files.removeItem(atPath: path + "-wal")
            try Data("a log of somebody else's".utf8).write(to: URL(fileURLWithPath: path + "-wal"))
        case .bothMoved:
            try files.createDirectory(atPath: away, withIntermediateDirectories: false)
            for end in ["", "-wal"] {
                try files.moveItem(atPath: path + end, toPath: away + "/sessions.db" + end)
            }
        case .folderMoved: try files.moveItem(atPath: inner, toPath: away)
        }
        // Each is asked for until it is answered, as callers do who are told 503.
        var refused = 0
        func insist<Output>(_ call: () async throws -> Output) async throws -> Output {
            for _ in 0..<5 {
                do { return try await call() } catch SessionStoreError.unavailable(let reason) {
                    refused += 1
                    #expect(!reason.contains(folder.file("")))
                    if change == .folderMoved, refused == 1 {
                        try files.createDirectory(atPath: inner, withIntermediateDirectories: false)
                    }
                    clock.advance(seconds: 2)
                }
            }
            throw NeverHappened(what: "an answer")
        }
        let new = try await insist { try await store.create(.sample(now: clock.now), limits: unlimited) }
        try await store.move(new.id)
        #expect(refused >= 1)
        let before: Int? =
            switch change {
            case .logDeleted, .logReplaced: 2
            case .replaced: 1
            case .deleted, .bothMoved, .folderMoved: nil
            }
        let isOldThere = try await store.list(owner: "ann", before: nil, limit: 9).contains { $0.id == old.id }
        #expect(isOldThere == (before != nil))
        // What a kill of the process leaves.
        let copy = try TemporaryFolder()
        for end in ["", "-wal"] { try files.copyItem(atPath: path + end, toPath: copy.file("a.db" + end)) }
        let found = try await SQLiteSessionStore.open(copy.file("a.db"))
        #expect(try await found.record(new.id).position == 1)
        if let before { #expect(try await found.record(old.id).position == before) }
        // What was moved away is whole, be it without its log.
        guard change == .bothMoved || change == .folderMoved else { return }
        try? files.removeItem(atPath: away + "/sessions.db-wal")
        let moved = try await SQLiteSessionStore.open(away + "/sessions.db")
        #expect(try await moved.record(old.id).position == 2)
    }

    @Test(
        "Sessions and tombstones are ended and forgotten in groups, so that nobody waits for all of them",
        arguments: [0, 2000])
    func groups(limit: Int) async throws {
        let store = try await SQLiteSessionStore.open(folder.file("sessions.db"))
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<2600 {
                group.addTask { _ = try await store.create(.sample(now: clock.now), limits: unlimited) }
            }
            try await group.waitForAll()
        }
        let later = clock.now.adding(seconds: 900)
        let due = try await store.writes.read { database throws(SQLiteError) in
            .success(try database.due(at: later, behind: nil).count)
        }
        #expect((1...500).contains(due))
        #expect(try await store.sweep(now: later) { _ in false }.count == 2600)
        // The oldest past a number of them, or those that are too old.
        let forgotten = try await store.writes.write { transaction throws(SQLiteError) in
            .success(
                try transaction.database.forgetEnded(
                    before: limit == 0 ? later.adding(seconds: 1) : later, count: 2600, limit: limit == 0 ? .max : limit
                ))
        }
        #expect(forgotten == (limit == 0 ? SQLiteDatabase.tombstoneGroup : 600))
        #expect(try await store.rows(of: "ended") == 2600 - forgotten)
        _ = try await store.sweep(now: later.adding(seconds: 3601)) { _ in false }
        #expect(try await store.rows(of: "ended") == 0)
    }
}
