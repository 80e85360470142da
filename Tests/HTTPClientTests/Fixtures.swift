import EventLoops
import Foundation
import HTTPModel
import Testing

@testable import HTTPClient

/// The kinds of `TransportError`, without their details.
enum Kind: Equatable {
    case success
    case invalidRequest
    case connectionFailed
    case tlsFailed
    case timedOut(receivedBytes: Bool)
    case bodyIncomplete
    case noResponse
    case bodyTooLarge(limit: Int)
    case cancelled

    init(_ error: TransportError?) {
        self =
            switch error {
            case nil: .success
            case .invalidRequest: .invalidRequest
            case .connectionFailed: .connectionFailed
            case .tlsFailed: .tlsFailed
            case .timedOut(let receivedBytes): .timedOut(receivedBytes: receivedBytes)
            case .bodyIncomplete: .bodyIncomplete
            case .noResponse: .noResponse
            case .bodyTooLarge(let limit): .bodyTooLarge(limit: limit)
            case .cancelled: .cancelled
            }
    }
}

/// Every test's environment names a proxy that refuses connections: whoever succeeds has not used it. Set before the
/// first client is made, so that nobody reads the environment at the same time. There are descriptors for both ends of
/// hundreds of connections.
private let environment: Void = {
    var descriptors = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors) == 0 {
        descriptors.rlim_cur = max(descriptors.rlim_cur, min(descriptors.rlim_max, 10_000))
        _ = setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &descriptors)
    }
    setenv("http_proxy", "http://127.0.0.1:\(closedPort())", 1)
    setenv("https_proxy", "http://127.0.0.1:\(closedPort())", 1)
    setenv("no_proxy", "localhost", 1)
}()

/// Runs the body with a client on that many loops; by default it uses no proxy.
func withClient(
    _ configuration: HTTPClientConfiguration = HTTPClientConfiguration(proxy: .direct), loops: Int = 1,
    _ body: (HTTPClient, EventLoopGroup) async throws -> Void
) async throws {
    _ = environment
    let group = try EventLoopGroup(count: loops)
    let client = HTTPClient(configuration, on: group)
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(client, group))
    } catch {
        result = .failure(error)
    }
    await client.shutdown()
    await group.shutdown()
    try result.get()
}

/// Runs the body with a scripted server and a client.
func withServer(
    _ configuration: HTTPClientConfiguration = HTTPClientConfiguration(proxy: .direct), loops: Int = 1,
    script: @escaping ScriptedServer.Script, _ body: (ScriptedServer, HTTPClient) async throws -> Void
) async throws {
    let server = ScriptedServer(script)
    defer { server.stop() }
    try await withClient(configuration, loops: loops) { client, _ in try await body(server, client) }
}

extension HTTPClient {
    /// What the request ends with.
    func error(of request: OutgoingRequest) async -> TransportError? {
        do throws(TransportError) {
            _ = try await send(request)
            return nil
        } catch {
            return error
        }
    }

    /// The body of the answer to GET; `nil` where there is none.
    func text(of url: String) async -> String? {
        (try? await send(OutgoingRequest(url: url))).map { String(decoding: $0.body, as: UTF8.self) }
    }

    /// The kind of what the request ends with.
    func kind(of request: OutgoingRequest) async -> Kind {
        Kind(await error(of: request))
    }
}

/// Waits until the condition holds; false if it does not within a minute.
func eventually(_ condition: () -> Bool) async -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while ContinuousClock.now < deadline {
        if condition() { return true }
        try? await Task.sleep(for: .milliseconds(2))
    }
    return condition()
}

/// Runs a program to its end and returns its output.
@discardableResult
func run(_ arguments: [String], in directory: URL? = nil) throws -> [UInt8] {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = arguments
    process.currentDirectoryURL = directory
    let output = Pipe()
    process.standardOutput = output
    process.standardError = FileHandle.nullDevice
    try process.run()
    let bytes = try output.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    try #require(process.terminationStatus == 0, "\(arguments.joined(separator: " "))")
    return Array(bytes)
}

/// The gzip form of the bytes that a Python expression yields.
func gzipped(_ expression: String) throws -> [UInt8] {
    try run(["python3", "-c", "import gzip,sys; sys.stdout.buffer.write(gzip.compress(\(expression)))"])
}
