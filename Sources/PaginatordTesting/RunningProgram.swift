public import Foundation
internal import Glibc
internal import Locks

/// The built program as a process of its own, ended by its id.
public final class RunningProgram: Sendable {
    /// The program beside the test bundle.
    public static var executable: URL {
        get throws {
            let bundle = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent()
            let candidates = [bundle, Bundle.main.bundleURL].map { $0.appendingPathComponent("paginatord") }
            guard let found = candidates.first(where: { FileManager.default.isExecutableFile(atPath: $0.path) }) else {
                throw ProgramFailure(text: "no paginatord at \(candidates.map(\.path))")
            }
            return found
        }
    }

    /// What a program did not do.
    public struct ProgramFailure: Error {
        /// What happened instead.
        public var text: String

        /// Says what happened.
        public init(text: String) {
            self.text = text
        }
    }

    /// The programs that may still run. A test that fails leaves its own behind: they end with the tests.
    private static let started: Lock<[Process]> = {
        atexit { for process in RunningProgram.started.withLock({ $0 }) where process.isRunning { end(process) } }
        return Lock([])
    }()

    private let process: Process
    private let output = Pipe()
    private let errors = Pipe()
    private let lines = Lock((output: "", errors: ""))
    private let openPipes = Lock(2)

    /// Starts the program, without any setting of the tests' own environment.
    public init(_ arguments: [String], environment: [String: String] = [:], executable: URL? = nil) throws {
        process = Process()
        process.executableURL = try executable ?? Self.executable
        process.arguments = arguments
        process.environment = ProcessInfo.processInfo.environment
            .filter { !$0.key.hasPrefix("PAGINATORD_") && !$0.key.lowercased().hasSuffix("_proxy") }
            .merging(environment) { $1 }
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = output
        process.standardError = errors
        try process.run()
        Self.started.withLock { [process] started in
            started.removeAll { !$0.isRunning }
            started.append(process)
        }
        collect(output) { $0.output += $1 }
        collect(errors) { $0.errors += $1 }
    }

    /// Reads on a thread of its own. Foundation closes what its handles read from only with the process object, which it may
    /// keep for good: behind some hundred programs no small descriptor would be left.
    private func collect(
        _ pipe: Pipe, _ add: @escaping @Sendable (inout (output: String, errors: String), String) -> Void
    ) {
        let descriptor = fcntl(pipe.fileHandleForReading.fileDescriptor, F_DUPFD_CLOEXEC, 0)
        try? pipe.fileHandleForReading.close()
        Thread.detachNewThread { [weak self] in
            var chunk = [UInt8](repeating: 0, count: 64 << 10)
            while true {
                // Safe because the call stays within the array that it is given.
                let count = unsafe read(descriptor, &chunk, chunk.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { break }
                self?.lines.withLock { add(&$0, String(decoding: chunk[..<count], as: UTF8.self)) }
            }
            close(descriptor)
            self?.openPipes.withLock { $0 -= 1 }
        }
    }

    /// What it has written to standard output so far.
    public var standardOutput: String { lines.withLock(\.output) }

    /// What it has written to standard error so far.
    public var standardError: String { lines.withLock(\.errors) }

    /// Waits for the program to say where it listens, and gives that URL back.
    public func listeningURL() async throws -> String {
        let prefix = "listening on "
        for _ in 0..<1200 {
            if let line = standardOutput.split(separator: "\n").first(where: { $0.hasPrefix(prefix) }) {
                return String(line.dropFirst(prefix.count))
            }
            if !process.isRunning { break }
            try await Task.sleep(for: .milliseconds(50))
        }
        throw ProgramFailure(text: "it does not listen; it said: \(standardOutput)\(standardError)")
    }

    /// Waits as `listeningURL` does, and gives the URL's port back.
    public func listeningPort() async throws -> UInt16 {
        let url = try await listeningURL()
        guard let port = URL(string: url)?.port.flatMap({ UInt16(exactly: $0) }) else {
            throw ProgramFailure(text: "\(url) has no port")
        }
        return port
    }

    /// Waits until all that it has written is here: its end may be noticed before its last words.
    public func silence() async throws {
        for _ in 0..<1200 where openPipes.withLock({ $0 }) > 0 { try await Task.sleep(for: .milliseconds(50)) }
        guard openPipes.withLock({ $0 }) == 0 else { throw ProgramFailure(text: "its output does not end") }
    }

    /// Its process's id.
    public var identifier: Int32 { process.processIdentifier }

    /// Sends it a signal.
    public func signal(_ number: Int32) {
        Glibc.kill(identifier, number)
    }

    /// Asks it to stop.
    public func terminate() {
        process.terminate()
    }

    /// Waits for its end and gives back its exit status.
    public func exitStatus() async throws -> Int32 {
        for _ in 0..<1200 where process.isRunning { try await Task.sleep(for: .milliseconds(50)) }
        guard !process.isRunning else { throw ProgramFailure(text: "it does not end") }
        // A status of its own, or the negative number of the signal that ended it.
        return process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
    }

    /// Ends it at once and waits for that. For other programs than ours: a child of a test may have SIGTERM blocked, which
    /// ours takes over and others do not.
    public func kill() async throws {
        Self.end(process)
        _ = try await exitStatus()
    }

    private static func end(_ process: Process) {
        Glibc.kill(process.processIdentifier, SIGKILL)
    }

    /// Stops it and waits for its end.
    @discardableResult public func stop() async throws -> Int32 {
        if process.isRunning { process.terminate() }
        return try await exitStatus()
    }
}
