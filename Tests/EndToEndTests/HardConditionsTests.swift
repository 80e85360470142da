import Foundation
import Glibc
import PaginatordTesting
import Testing

/// The program as an unfriendly system starts and stops it.
@Suite(.timeLimit(.minutes(10)))
struct HardConditionsTests {
    @Test(
        "It works without standard input, output or error, and nothing that it opens takes their place",
        arguments: [[0], [1], [2], [0, 1], [0, 2], [0, 1, 2]], [["serve", "--demo"], ["demo-instance"]])
    func missingDescriptors(missing: [Int], command: [String]) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let socket = folder.appendingPathComponent("socket").path
        let program = try RunningProgram(
            ["-c", "exec \"$0\" \"$@\"" + missing.map { " \($0)>&-" }.joined(), RunningProgram.executable.path]
                + command + ["--listen", "unix:" + socket],
            executable: URL(fileURLWithPath: "/bin/sh"))
        // Whatever it says of its health: it listens, and takes signals, once it answers at all.
        try await eventually("it answers") {
            let asking = try RunningProgram(["healthcheck", "unix:" + socket])
            guard try await asking.exitStatus() != 0 else { return true }
            try await asking.silence()
            return asking.standardError.contains("answered")
        }
        for number in missing {
            let link = "/proc/\(program.identifier)/fd/\(number)"
            #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link) == "/dev/null")
        }
        #expect(try await program.stop() == 0)
    }

    @Test("A further signal cuts what is under way and ends the program in order", arguments: [SIGTERM, SIGINT])
    func secondSignal(signal: Int32) async throws {
        let upstream = try RunningProgram(["demo-instance", "--listen", "127.0.0.1:0", "--latency", "60000"])
        let program = try RunningProgram(
            ["serve", "--listen", "127.0.0.1:0"],
            environment: [
                "PAGINATORD_INSTANCE_URL": try await upstream.listeningURL(), "PAGINATORD_SHUTDOWN_GRACE": "600",
            ])
        let caller = try Caller(await program.listeningURL())
        let answer = Task { try await caller.call("GET", "/tables/incident").status }
        try await eventually("the instance is asked") {
            try await !caller.call("GET", "/instances").body.contains(Array(#""inFlight":0"#.utf8))
        }
        program.signal(signal)
        try await eventually("it stops") { program.standardError.contains("service-stopping") }
        program.signal(signal)
        await #expect(throws: (any Error).self) { try await answer.value }
        #expect(try await program.exitStatus() == 0)
        try await program.silence()
        #expect(program.standardError.contains("service-stopped"))
        await caller.close()
        try await upstream.kill()
    }
}
