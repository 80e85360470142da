import Foundation
import Synchronization
import Testing

@testable import SQLite

@Suite("A connection to SQLite")
struct SQLiteConnectionTests {
    @Test(
        "gives back every kind of value as it was bound",
        arguments: [
            SQLiteValue.null, .integer(0), .integer(.min), .integer(.max), .real(0.1), .real(-.greatestFiniteMagnitude),
            .text(""), .text("it's 100% \"quoted\" \\ ; DROP TABLE t"), .text("a\0b"), .text("数据 😀 שלום é"),
            .text(String(repeating: "x", count: 100_000)), .blob([]), .blob([0, 255, 0]),
        ])
    func roundTrip(value: SQLiteValue) async throws {
        let connection = try await SQLiteConnection.open(.memory)
        let read = try await connection.run { (database) throws(SQLiteError) in
            try database.execute("CREATE TABLE t (v)")
            try database.execute("INSERT INTO t VALUES (?)", [value])
            return try database.first("SELECT v FROM t") { $0.value(at: 0) }
        }
        #expect(read == value)
    }

    @Test("reads a text's bytes without making a string, and says when there is none")
    func textBytes() async throws {
        let connection = try await SQLiteConnection.open(.memory)
        let read = try await connection.run { (database) throws(SQLiteError) in
            try database.first("SELECT 'é', NULL, 7") { row in
                var bytes: [UInt8] = [0x3E]
                let found = [0, 1, 2, 3].map { row.appendText(at: $0, to: &bytes) }
                return (bytes, found)
            }
        }
        #expect(read?.0 == Array(">é7".utf8))
        #expect(read?.1 == [true, false, true, false])
    }

    @Test("runs its work on one thread, which is not the caller's, in order")
    func oneThread() async throws {
        let connection = try await SQLiteConnection.open(.memory)
        let caller = UInt(bitPattern: pthread_self().hashValue)
        var threads: Set<UInt> = []
        for _ in 0..<50 {
            threads.insert(await connection.run { _ in UInt(bitPattern: pthread_self().hashValue) })
        }
        #expect(threads.count == 1)
        #expect(!threads.contains(caller))
    }

    @Test("keeps work of many tasks apart")
    func manyTasks() async throws {
        let connection = try await SQLiteConnection.open(.memory)
        try await connection.run { (database) throws(SQLiteError) in
            try database.execute("CREATE TABLE counter (n INTEGER)")
            try database.execute("INSERT INTO counter VALUES (0)")
        }
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<200 {
                group.addTask {
                    try await connection.run { (database) throws(SQLiteError) in
                        let count = try database.first("SELECT n FROM counter") { $0.integer(at: 0) } ?? 0
                        try database.execute("UPDATE counter SET n = ?", [.integer(count + 1)])
                    }
                }
            }
            try await group.waitForAll()
        }
        let count = try await connection.run { (database) throws(SQLiteError) in
            try database.first("SELECT n FROM counter") { $0.integer(at: 0) }
        }
        #expect(count == 200)
    }

    @Test("ends its thread and closes the file when it is released")
    func release() async throws {
        let folder = try TemporaryFolder()
        for _ in 0..<50 {
            let connection = try await SQLiteConnection.open(.file(folder.path + "/a.db"))
            try await connection.run { (database) throws(SQLiteError) in try database.setUserVersion(1) }
        }
        // Threads end on their own time: wait for them with a deadline.
        let deadline = ContinuousClock.now + .seconds(20)
        var open = 50
        while open > 5, ContinuousClock.now < deadline {
            await Task.yield()
            let descriptors = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
            open = descriptors.count { descriptor in
                let target = try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/\(descriptor)")
                return target?.hasPrefix(folder.path) == true
            }
        }
        #expect(open <= 5)
    }

    @Test("fails as closed after close")
    func closed() async throws {
        let connection = try await SQLiteConnection.open(.memory)
        await connection.close()
        let error = await #expect(throws: SQLiteError.self) {
            try await connection.run { (database) throws(SQLiteError) in try database.userVersion() }
        }
        #expect(error?.kind == .closed)
    }
}
