import Foundation
import Glibc
import PaginatordTesting
import Testing

/// `paginatord export`, as a user runs it.
@Suite(.timeLimit(.minutes(10)))
struct ExportCommandTests {
    private static let table = ["export", "--table", "incident", "--fields", "number,sys_id"]

    /// Runs a command to its end.
    private func run(
        _ arguments: [String], environment: [String: String] = [:]
    ) async throws -> (status: Int32, output: String, error: String) {
        let program = try RunningProgram(arguments, environment: environment)
        let status = try await program.exitStatus()
        try await program.silence()
        return (status, program.standardOutput, program.standardError)
    }

    @Test(
        "A file holds all records in the format of its ending, and nothing is said",
        arguments: ["csv", "json", "ndjson", "x"])
    func files(ending: String) async throws {
        let expected = try await DemoRecords.incidents()
        let folder = try OwnFolder()
        let end = try await run(Self.table + ["--demo", "--output", folder.path("a.\(ending)")])
        #expect(end == (0, "", ""))
        #expect(try folder.names == ["a.\(ending)"])
        #expect(try DemoRecords.values(folder.text("a.\(ending)"), ending == "x" ? "ndjson" : ending) == expected)
    }

    @Test(
        "Standard output gets the same, and the command gives what the route gives",
        arguments: ["csv", "json", "ndjson"])
    func standardOutput(format: String) async throws {
        let query = "active=true^ORDERBYDESCnumber"
        let end = try await run(Self.table + ["--demo", "--query", query, "--format=\(format)", "--concurrency", "8"])
        #expect(end.status == 0 && end.error.isEmpty)
        let service = try RunningProgram(["serve", "--demo", "--listen", "127.0.0.1:0", "--log-level", "warning"])
        let caller = try Caller(await service.listeningURL())
        let session = try await caller.open(#"{"table":"incident","query":"\#(query)","fields":["number","sys_id"]}"#)
        let answer = try await caller.call("GET", "\(session)/records?format=\(format)")
        #expect(end.output == String(decoding: answer.body, as: UTF8.self) && end.output.utf8.count > 50_000)
        await caller.close()
        #expect(try await service.stop() == 0)
    }

    @Test(
        "Where standard output takes nothing, whatever the reason, the export has failed",
        arguments: [">&-", ">/dev/full", "1</dev/null", "<&- >&-"])
    func noOutput(redirection: String) async throws {
        let program = try RunningProgram(
            ["-c", "exec \"$0\" \"$@\" \(redirection)", RunningProgram.executable.path] + Self.table + ["--demo"],
            executable: URL(fileURLWithPath: "/bin/sh"))
        #expect(try await program.exitStatus() == 75)
        try await program.silence()
        #expect(program.standardError.hasPrefix("paginatord: the export is not whole: "))
        #expect(program.standardError.count(of: "\n") == 1)
    }

    @Test("What is not whole leaves no file, or the old one, and ends with 75 and one line", arguments: [true, false])
    func incomplete(isThere: Bool) async throws {
        let folder = try OwnFolder()
        if isThere { try "old".write(toFile: folder.path("a.csv"), atomically: true, encoding: .utf8) }
        try await failing { environment in
            let end = try await run(
                Self.table + ["--output", folder.path("a.csv"), "--config", environment], environment: [:])
            #expect(end.status == 75 && end.output.isEmpty)
            #expect(
                end.error.hasPrefix("paginatord: the export is not whole: upstream-unauthenticated, "), "\(end.error)")
            #expect(end.error.hasSuffix("a.csv is as it was, begin again\n") && end.error.count(of: "\n") == 1)
        }
        #expect(try folder.names == (isThere ? ["a.csv"] : []))
        if isThere { #expect(try folder.text("a.csv") == "old") }
    }

    @Test("A stream that is not whole says how to go on, and that gives exactly the rest", arguments: [false, true])
    func resumed(isOrdered: Bool) async throws {
        let expected = try await DemoRecords.incidents(isOrdered ? "ORDERBYDESCnumber" : "ORDERBYsys_id")
        let query = isOrdered ? ["--query", "ORDERBYDESCnumber"] : []
        var resume: [String] = []
        var received: [String] = []
        try await failing { configuration in
            for _ in 0..<10 {
                let end = try await run(Self.table + query + resume + ["--config", configuration])
                received += try DemoRecords.values(end.output, "ndjson")
                guard end.status != 0 else { break }
                #expect(end.status == 75)
                #expect(try DemoRecords.report(end.output)["type"] as? String == "/problems/upstream-unauthenticated")
                let words = end.error.split(whereSeparator: \.isWhitespace).map(String.init)
                let start = try #require(words.firstIndex(of: isOrdered ? "--from-page" : "--after-key"))
                resume = Array(words[start...])
                #expect(resume.count == (isOrdered ? 4 : 2))
            }
        }
        #expect(!resume.isEmpty && received == expected)
    }

    @Test("A signal ends it with 75 and leaves no file", arguments: [SIGINT, SIGTERM])
    func signals(number: Int32) async throws {
        let folder = try OwnFolder()
        let instance = try endless()
        let url = try await instance.listeningURL()
        let program = try RunningProgram(
            Self.table + ["--output", folder.path("a.ndjson"), "--concurrency", "1", "--items-per-page", "50"],
            environment: ["PAGINATORD_INSTANCE_URL": url])
        try await eventually("it has begun a file") { try !folder.names.isEmpty }
        let partial = try #require(try folder.names.first)
        #expect(partial.hasPrefix(".a.ndjson.") && partial.hasSuffix(".part"))
        program.signal(number)
        #expect(try await program.exitStatus() == 75)
        try await program.silence()
        let name = number == SIGINT ? "SIGINT" : "SIGTERM"
        #expect(program.standardError.hasPrefix("paginatord: the export is not whole: stopped by \(name), after "))
        #expect(try folder.names.isEmpty)
        #expect(try await instance.stop() == 0)
    }

    @Test("A signal ends a stream behind whole records, and says how to get the rest")
    func signalledStream() async throws {
        let expected = try await DemoRecords.incidents()
        let instance = try endless()
        let program = try RunningProgram(
            Self.table + ["--concurrency", "1"],
            environment: ["PAGINATORD_INSTANCE_URL": await instance.listeningURL()])
        try await eventually("a record is out") { !program.standardOutput.isEmpty }
        program.signal(SIGINT)
        #expect(try await program.exitStatus() == 75)
        try await program.silence()
        let report = try DemoRecords.report(program.standardOutput)
        #expect(report["type"] as? String == "/problems/shutting-down")
        let key = try #require(report["afterKey"] as? String)
        #expect(program.standardError.hasSuffix("; go on with --after-key \(key)\n"))
        let rest = try await run(Self.table + ["--after-key", key, "--demo"])
        #expect(rest.status == 0)
        let received = try DemoRecords.values(program.standardOutput, "ndjson")
        #expect(try received + DemoRecords.values(rest.output, "ndjson") == expected)
        #expect((1..<10_000).contains(received.count))
        #expect(try await instance.stop() == 0)
    }

    @Test("A reader of standard output who goes ends it with 75 and a line")
    func brokenPipe() async throws {
        let program = try RunningProgram.executable.path
        let end = try await OtherProgram.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["bash", "-c", "'\(program)' export --demo --table incident | head -n 1 >/dev/null; echo ${PIPESTATUS[0]}"])
        #expect(end.said.hasSuffix("75\n"))
        #expect(end.said.hasPrefix("paginatord: the export is not whole: whoever read the output closed it, after "))
    }

    @Test("A full disk ends it with 75 and the system's reason")
    func fullDisk() async throws {
        let end = try await run(Self.table + ["--demo", "--output", "/dev/full"])
        #expect(end.status == 75 && end.error.contains("No space left on device"))
    }

    @Test("A named pipe is written as it is, and stays one")
    func namedPipe() async throws {
        let folder = try OwnFolder()
        try #require(mkfifo(folder.path("p"), 0o600) == 0)
        let reading = Task.detached { [path = folder.path("p")] in
            String(decoding: try FileHandle(forReadingAtPath: path)?.readToEnd() ?? Data(), as: UTF8.self)
        }
        let end = try await run(Self.table + ["--demo", "--query", "active=true", "--output", folder.path("p")])
        #expect(end == (0, "", ""))
        #expect(try await reading.value.split(separator: "\n").count > 1000)
        var status = stat()
        #expect(stat(folder.path("p"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
    }

    @Test("A terminal sees how far it is, five times a second at most, and the records go elsewhere")
    func terminal() async throws {
        let folder = try OwnFolder()
        let instance = try RunningProgram(["demo-instance", "--listen", "127.0.0.1:0", "--latency", "50"])
        let url = try await instance.listeningURL()
        let program = try RunningProgram.executable.path
        let command =
            "'\(program)' export --table incident --fields sys_id --concurrency 1 --output '\(folder.path("a"))'"
        let start = ContinuousClock.now
        let end = try await OtherProgram.run(
            URL(fileURLWithPath: "/usr/bin/env"), ["script", "-qefc", command, "/dev/null"],
            environment: ["PAGINATORD_INSTANCE_URL": url])
        let seconds = (ContinuousClock.now - start) / .seconds(1)
        #expect(end.status == 0)
        let drawings = end.said.components(separatedBy: "\r").filter { !$0.isEmpty && $0 != "\n" }
        #expect(drawings.count >= 2 && Double(drawings.count) <= 5 * seconds + 2)
        #expect(
            drawings.dropLast().contains { $0.contains(#/\d+%  [\d,]+ of 10,000 records  [\d,]+\/s  \d+:\d\d left/#) })
        #expect(drawings.last?.contains(#/^10,000 records in [\d.]+ s  [\d,]+\/s/#) == true, "\(end.said)")
        #expect(try folder.text("a").split(separator: "\n").count == 10_000)
        #expect(try await instance.stop() == 0)
    }

    @Test("What cannot be written is found out before anything is asked")
    func unwritable() async throws {
        let folder = try OwnFolder()
        for (path, reason) in [
            (folder.path("none/a"), "No such file or directory"), (folder.url.path, "is a folder"),
        ] {
            let end = try await run(
                Self.table + ["--output", path], environment: ["PAGINATORD_INSTANCE_URL": "http://127.0.0.1:1"])
            #expect(end == (64, "", "paginatord: --output: cannot write \(path): \(reason)\n"))
        }
    }

    /// An instance that does not get to an end: its eighth answer, of the eleven and more that an export takes, does not come.
    private func endless() throws -> RunningProgram {
        try RunningProgram(["demo-instance", "--listen", "127.0.0.1:0", "--fault", "latency:mean=60000,every=8"])
    }

    /// An instance of which every ninth answer is a failure, and the path of a configuration for it.
    private func failing(_ body: (String) async throws -> Void) async throws {
        let instance = try RunningProgram([
            "demo-instance", "--listen", "127.0.0.1:0", "--fault", "unauthorized:every=9",
        ])
        let folder = try OwnFolder()
        let url = try await instance.listeningURL()
        try #"{ instances: { default: { url: "\#(url)", retries: 0, concurrency: 1 } } }"#
            .write(toFile: folder.path("c.json5"), atomically: true, encoding: .utf8)
        try await body(folder.path("c.json5"))
        #expect(try await instance.stop() == 0)
    }
}

extension String {
    fileprivate func count(of character: Character) -> Int {
        count { $0 == character }
    }
}
