import Foundation
import PaginatordTesting

/// A demo instance and, in front of it, a service whose sessions are in a folder: the service can be killed and started
/// again, the folder stays.
final class DurableService {
    let folder: URL
    /// Who calls the service that runs now.
    private(set) var caller: Caller
    /// The service that runs now.
    private(set) var program: RunningProgram
    private let instance: RunningProgram
    private let instanceURL: String
    private let wrapper: [String]
    private let settings: [String: String]
    private let setUp: (URL) async throws -> Void

    /// The folder's file.
    var file: URL { folder.appendingPathComponent("sessions.db") }

    /// - Parameters:
    ///   - incidents: how many there are.
    ///   - wrapper: a program, with its arguments, that runs the service.
    ///   - settings: further variables of the service's environment.
    init(
        incidents: Int = 10_000, wrapper: [String] = [], settings: [String: String] = [:],
        setUp: @escaping (URL) async throws -> Void = { _ in }
    ) async throws {
        folder = FileManager.default.temporaryDirectory.appendingPathComponent("paginatord-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        try await setUp(folder)
        self.setUp = setUp
        self.wrapper = wrapper
        self.settings = settings
        instance = try RunningProgram(
            ["demo-instance", "--listen", "127.0.0.1:0", "--incidents", String(incidents)])
        instanceURL = try await instance.listeningURL()
        program = try Self.start(folder, instanceURL, wrapper, settings)
        caller = try Caller(await program.listeningURL())
    }

    private static func start(
        _ folder: URL, _ instance: String, _ wrapper: [String], _ settings: [String: String]
    ) throws -> RunningProgram {
        let arguments = [
            "serve", "--listen", "127.0.0.1:0", "--log-level", "info", "--data-directory", folder.path,
        ]
        let environment = ["PAGINATORD_INSTANCE_URL": instance].merging(settings) { $1 }
        guard let first = wrapper.first else { return try RunningProgram(arguments, environment: environment) }
        let command = Array(wrapper.dropFirst()) + [try RunningProgram.executable.path] + arguments
        return try RunningProgram(command, environment: environment, executable: URL(fileURLWithPath: first))
    }

    /// A second service on the same folder.
    func startAnother() throws -> RunningProgram {
        try Self.start(folder, instanceURL, wrapper, settings)
    }

    /// Starts the service again, once it has ended.
    func start() async throws {
        await caller.close()
        program = try Self.start(folder, instanceURL, wrapper, settings)
        caller = try Caller(await program.listeningURL())
    }

    /// Ends the service as the loss of its machine would, and starts it again.
    func restart() async throws {
        try await program.kill()
        try await start()
    }

    /// Ends everything and takes the folder away.
    ///
    /// - Returns: how the service ended.
    func close() async throws -> Int32 {
        await caller.close()
        let status = try await program.stop()
        _ = try await instance.stop()
        try FileManager.default.removeItem(at: folder)
        return status
    }
}
