import EventLoops
import Foundation
import HTTPModel
import HTTPServer
import PaginatordTesting
import Synchronization

/// A running server with a listener of its own on a free port.
struct TestServer: Sendable {
    let group: EventLoopGroup
    let server: HTTPServer
    let listener: BoundListener

    var port: UInt16 { listener.port ?? 0 }
}

extension HTTPServerConfiguration {
    /// Deadlines that no stall of this machine reaches: a test that is about one sets its own.
    static func patient(_ change: (inout Self) -> Void = { _ in }) -> Self {
        var configuration = Self()
        for deadline in [\Self.headTimeout, \.bodyTimeout, \.idleTimeout, \.stallTimeout] {
            configuration[keyPath: deadline] = .seconds(600)
        }
        change(&configuration)
        return configuration
    }
}

/// Runs a server for the closure, then stops it and its loops.
func withServer(
    loops: Int = 1, on address: ListenAddress = .tcp(host: "127.0.0.1", port: 0),
    configuration: HTTPServerConfiguration = .patient(), responder: some Responder,
    _ body: (TestServer) async throws -> Void
) async throws {
    let group = try EventLoopGroup(count: loops)
    let listener = try BoundListener(address, isTLS: configuration.tls != nil)
    let server = HTTPServer(listeners: [listener], configuration: configuration, responder: responder, group: group)
    try await server.start()
    do {
        try await body(TestServer(group: group, server: server, listener: listener))
    } catch {
        await server.stop(grace: .zero)
        await group.shutdown()
        throw error
    }
    await server.stop(grace: .seconds(5))
    await group.shutdown()
}

/// How a test's own part of a connection goes on.
struct Pace {
    private(set) var last = ContinuousClock.now
    /// The longest time that it took for one step.
    private(set) var longest = Duration.zero

    /// A step is done.
    mutating func step() {
        longest = max(longest, last.duration(to: .now))
        last = .now
    }
}

extension TestServer {
    /// Gives the closure a connection; where that is cut, and the closure has missed the deadline by itself because this
    /// machine stalled in one of its steps, another one, for a minute at most.
    ///
    /// - Parameter deadline: how long the server waits for a step, be it a little less by its own count.
    /// - Throws: what the closure throws in time.
    func connect(
        within deadline: Duration, receiveBuffer: Int32? = nil,
        _ body: (RawConnection, inout Pace) async throws -> Void
    ) async throws -> RawConnection {
        try await connect(
            within: deadline, opening: { try RawConnection(port: port, receiveBuffer: receiveBuffer) }, body)
    }

    /// The same with connections of another kind.
    func connect(
        within deadline: Duration, opening: () throws -> RawConnection,
        _ body: (RawConnection, inout Pace) async throws -> Void
    ) async throws -> RawConnection {
        let end = ContinuousClock.now + .seconds(60)
        while true {
            var pace = Pace()
            let peer = try opening()
            do {
                try await body(peer, &pace)
                return peer
            } catch let failure as RawConnection.Failure {
                pace.step()
                guard case .ended = failure, pace.longest > deadline / 2, .now < end else { throw failure }
            }
        }
    }
}

/// A responder made of one closure.
struct Answers: Responder {
    private let reception: @Sendable (RequestHead) -> Reception

    /// Decides by the head.
    init(_ reception: @escaping @Sendable (RequestHead) -> Reception) {
        self.reception = reception
    }

    /// Reads a body of up to `limit` bytes and answers the whole request.
    static func whole(
        limit: Int = 1 << 20, _ respond: @escaping @Sendable (Request) async -> Response
    ) -> Answers {
        Answers { _ in .body(limit: limit, tooLarge: { .text("too large", status: 413) }, respond: respond) }
    }

    func receive(_ head: RequestHead) -> Reception { reception(head) }
}

extension Response {
    static func text(_ text: String, status: Int = 200) -> Response {
        Response(status: status, body: .bytes(Array(text.utf8)))
    }
}

/// A value that a test looks at while others change it.
final class Box<Value: Sendable>: Sendable {
    private let mutex: Mutex<Value>

    init(_ value: Value) {
        mutex = Mutex(value)
    }

    var value: Value { mutex.withLock { $0 } }

    func change(_ body: (inout sending Value) -> Void) { mutex.withLock { body(&$0) } }
}

/// Waits until the condition holds, a minute at most; says whether it does.
func eventually(_ condition: @Sendable () async throws -> Bool) async rethrows -> Bool {
    let deadline = ContinuousClock.now + .seconds(60)
    while .now < deadline {
        if try await condition() { return true }
        try? await Task.sleep(for: .milliseconds(5))
    }
    return false
}

/// A directory that is removed after the closure.
func withTemporaryDirectory(_ body: (String) async throws -> Void) async throws {
    let directory = FileManager.default.temporaryDirectory.appendingPathComponent("io-\(UUID().uuidString.prefix(8))")
    try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: directory) }
    try await body(directory.path)
}

/// Runs a program of the system and returns how it ended and what it wrote.
func run(_ arguments: String...) async throws -> (status: Int32, output: String) {
    try await run(arguments)
}

/// Runs a program of the system and returns how it ended and what it wrote.
func run(_ arguments: [String]) async throws -> (status: Int32, output: String) {
    try await withCheckedThrowingContinuation { done in
        DispatchQueue(label: "process").async {
            let process = Process()
            process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
            process.arguments = arguments
            // Other tests of this process name a proxy there.
            process.environment = ProcessInfo.processInfo.environment
                .filter { !$0.key.lowercased().hasSuffix("_proxy") }
            let pipe = Pipe()
            process.standardOutput = pipe
            process.standardError = pipe
            process.standardInput = FileHandle.nullDevice
            done.resume(
                with: Result {
                    try process.run()
                    let output = pipe.fileHandleForReading.readDataToEndOfFile()
                    process.waitUntilExit()
                    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
                })
        }
    }
}
