import Foundation
import HTTPModel
import PaginatordTesting

/// A demo instance, a Redis server, and in front of both some replicas of the service, each a process of its own that can be
/// killed and started again.
final class SharedService: Sendable {
    /// One replica: a process and whoever calls it.
    final class Replica: Sendable {
        let program: RunningProgram
        let caller: Caller
        let port: UInt16

        fileprivate init(_ program: RunningProgram) async throws {
            self.program = program
            caller = try Caller(await program.listeningURL())
            port = try await program.listeningPort()
        }
    }

    let redis: RedisServer
    /// `nil` where the instance is a test's own.
    private let instance: RunningProgram?
    private let instanceURL: String
    private let environment: [String: String]
    /// The replicas' configuration, where variables do not say everything.
    private let configuration: URL?

    /// - Parameters:
    ///   - options: of the Redis server, beside those that make every write durable.
    ///   - arguments: of the instance.
    ///   - auth: how the replicas prove to the instance who they are, as in a configuration; `nil`: not at all.
    ///   - environment: of instance and replicas.
    ///   - held: the instance, instead of one of a process of its own.
    init(
        incidents: Int = 10_000, redis options: [String] = [], arguments: [String] = [], auth: String? = nil,
        environment: [String: String] = [:], over held: HeldInstance? = nil
    ) async throws {
        redis = try RedisServer(["--appendonly", "yes", "--appendfsync", "always"] + options)
        if let held {
            (instance, instanceURL) = (nil, held.url)
        } else {
            let program = try RunningProgram(
                ["demo-instance", "--listen", "127.0.0.1:0", "--incidents", String(incidents)] + arguments,
                environment: environment)
            (instance, instanceURL) = (program, try await program.listeningURL())
        }
        self.environment = environment
        var file: URL?
        if let auth {
            let place = FileManager.default.temporaryDirectory.appendingPathComponent("\(UUID().uuidString).json5")
            let text = "{ instances: { default: { url: '\(instanceURL)', auth: \(auth) } } }"
            try text.write(to: place, atomically: true, encoding: .utf8)
            file = place
        }
        configuration = file
    }

    /// Starts a replica.
    func start() async throws -> Replica {
        try await Replica(
            RunningProgram(
                ["serve", "--listen", "127.0.0.1:0", "--log-level", "warning"],
                environment: [
                    configuration == nil ? "PAGINATORD_INSTANCE_URL" : "PAGINATORD_CONFIG":
                        configuration?.path ?? instanceURL,
                    "PAGINATORD_SESSIONS_STORE": "redis+unix:\(redis.socketPath)",
                ].merging(environment) { $1 }))
    }

    /// Stops replicas and the rest.
    ///
    /// - Returns: how the replicas ended.
    func close(_ replicas: [Replica]) async throws -> [Int32] {
        var statuses: [Int32] = []
        for replica in replicas {
            await replica.caller.close()
            statuses.append(try await replica.program.stop())
        }
        _ = try await instance?.stop()
        if let configuration { try FileManager.default.removeItem(at: configuration) }
        redis.kill()
        return statuses
    }
}

extension Caller {
    /// Makes a move until it is answered, as a client does that follows links: an answer that is lost, or 503, is asked for
    /// again.
    func insist(on target: String) async throws -> Answer {
        try await Self.insist(on: target, of: [self])
    }

    /// Does so of some callers in turn, as nginx would have it.
    ///
    /// - Parameter first: who is asked first.
    static func insist(on target: String, of callers: [Caller], from first: Int = 0) async throws -> Answer {
        let deadline = ContinuousClock.now + .seconds(60)
        var turn = first
        while true {
            if let answer = try? await callers[turn % callers.count].call("POST", target), answer.status != 503 {
                return answer
            }
            guard ContinuousClock.now < deadline else { throw NeverHappened(what: "an answer to \(target)") }
            turn += 1
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// As `call`, but repeats what was refused because the machine stood still for longer than a command to Redis may take:
    /// any other 503 is an answer.
    func patiently(
        _ method: String, _ target: String, _ body: String = "", headers: HeaderFields = [:]
    ) async throws -> Answer {
        let start = ContinuousClock.now
        while true {
            let answer = try await call(method, target, body, headers: headers)
            guard answer.status == 503, (2..<60).contains((ContinuousClock.now - start) / .seconds(1)) else {
                return answer
            }
            try await Task.sleep(for: .milliseconds(20))
        }
    }
}
