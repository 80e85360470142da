import DemoInstance
import EventLoops
import Foundation
import HTTPModel
import HTTPServer
import PaginatordTesting
import Testing

/// The built program with tokens and an allowed origin, in front of an instance of the test's own, reached as its callers
/// reach it.
final class Deployment: Sendable {
    /// The token that most requests show.
    static let token = "first-token-0123456789abcdef"
    /// The token of somebody else.
    static let otherToken = "other-token-fedcba9876543210"
    /// The origins whose pages may call.
    static let origins = ["https://app.example", "http://10.0.0.6"]

    let program: RunningProgram
    /// The port of the main listener.
    let port: UInt16
    /// The port of the admin listener, where there is one.
    let adminPort: UInt16?
    /// The path of the Unix socket.
    let socket: String
    /// What the instance was asked, and what it answers first.
    let instance: Script

    private init(_ program: RunningProgram, socket: String, instance: Script) async throws {
        self.program = program
        self.instance = instance
        self.socket = socket
        port = try await program.listeningPort()
        let ports = program.standardOutput.matches(of: /listening on http:\/\/127\.0\.0\.1:([0-9]+)/)
        adminPort = ports.count > 1 ? UInt16(ports[1].1) : nil
    }

    /// Runs the program for the closure, and expects it to end in order.
    ///
    /// - Parameters:
    ///   - settings: further members of the configuration, in JSON5.
    ///   - limits: its limits, in JSON5; deadlines that are not among them are such that no stall of this machine reaches.
    ///   - restraint: further members of the instance's.
    ///   - url: the instance's, where it is none of ours.
    static func run(
        _ settings: String = "", limits: [String: String] = [:], restraint: String = "retries: 0", incidents: Int = 60,
        url: String? = nil, _ body: (Deployment) async throws -> Void
    ) async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent(
            "case-\(UUID().uuidString.prefix(8))")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let instance = Script(before: try await DemoInstance(incidents: incidents))
        let limits = ["headTimeout", "bodyTimeout", "idleTimeout", "stallTimeout"]
            .reduce(into: limits) { $0[$1] = $0[$1] ?? "'600s'" }.map { "\($0): \($1)" }.joined(separator: ", ")
        try await serving(instance) { listener in
            let socket = folder.path + "/socket"
            let text = """
                {
                  listen: ["127.0.0.1:0", "unix:\(socket)"],
                  instances: { default: { url: "\(url ?? listener.description)", \(restraint) } },
                  access: {
                    tokens: { first: { env: "FIRST_TOKEN" }, other: { env: "OTHER_TOKEN" } },
                    origins: ["\(origins.joined(separator: "\", \""))"],
                  },
                  limits: { \(limits) },
                  \(settings)
                }
                """
            let file = folder.path + "/configuration.json5"
            try text.write(toFile: file, atomically: true, encoding: .utf8)
            let program = try RunningProgram(
                ["serve", "--config", file, "--log-level", "debug"],
                environment: ["FIRST_TOKEN": token, "OTHER_TOKEN": otherToken])
            do {
                try await body(try await Deployment(program, socket: socket, instance: instance))
            } catch {
                try await program.kill()
                throw error
            }
            #expect(try await program.stop() == 0, "\(program.standardError)")
        }
    }

    /// Stops the program and gives back all that it has said to standard error.
    func wholeLog() async throws -> String {
        try await program.stop()
        try await program.silence()
        return program.standardError
    }

    // MARK: Requests

    /// A request's head and body as bytes of text; `nil` leaves a header out.
    func request(
        _ method: String, _ target: String, _ lines: [String] = [], body: String? = nil,
        token: String? = Deployment.token, host: String? = "localhost"
    ) -> String {
        var head = "\(method) \(target) HTTP/1.1\r\n"
        if let host { head += "Host: \(host == "localhost" ? "localhost:\(port)" : host)\r\n" }
        if let token { head += "Authorization: Bearer \(token)\r\n" }
        if let body {
            if !lines.contains(where: { $0.hasPrefix("Content-Type:") }) {
                head += "Content-Type: application/json\r\n"
            }
            head += "Content-Length: \(body.utf8.count)\r\n"
        }
        return head + lines.map { "\($0)\r\n" }.joined() + "\r\n" + (body ?? "")
    }

    /// Opens a connection to the main listener.
    func connect() throws -> RawConnection {
        try RawConnection(port: port)
    }

    /// Sends it on a connection of its own, and gives the answer back.
    func answer(_ raw: String, overUnix: Bool = false) async throws -> RawConnection.RawResponse {
        let peer = overUnix ? try RawConnection(path: socket) : try connect()
        try await peer.send(raw)
        let answer = try await peer.response(toHead: raw.hasPrefix("HEAD "))
        await peer.close()
        return answer
    }

    /// Sends a request on a connection of its own, and gives the answer back.
    func call(
        _ method: String, _ target: String, _ lines: [String] = [], body: String? = nil,
        token: String? = Deployment.token, host: String? = "localhost"
    ) async throws -> RawConnection.RawResponse {
        try await answer(request(method, target, lines, body: body, token: token, host: host))
    }

    /// Opens a session and gives its path back.
    func open(_ members: String = "", token: String = Deployment.token) async throws -> String {
        let answer = try await call("POST", "/sessions", body: #"{"table":"incident"\#(members)}"#, token: token)
        return try #require(answer.headers["Location"], "\(answer.text)")
    }

    /// The position of a session.
    func position(of session: String) async throws -> Int? {
        try await call("GET", session).members["position"] as? Int
    }

    // MARK: Expectations

    /// Expects a request to be refused by that problem without a word to the instance.
    ///
    /// - Parameter closes: whether its connection has to end with the refusal, another request behind it unread.
    @discardableResult func expectRefusal(
        _ raw: String, _ status: Int, _ problem: String, closes: Bool = false,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> RawConnection.RawResponse {
        let asked = instance.requests.count
        let peer = try connect()
        try await peer.send(closes ? raw + request("GET", "/livez") : raw)
        let answer = try await peer.response(toHead: raw.hasPrefix("HEAD "))
        #expect(answer.status == status, "\(answer.text)", sourceLocation: sourceLocation)
        if !raw.hasPrefix("HEAD ") {
            #expect(answer.problem == problem, "\(answer.text)", sourceLocation: sourceLocation)
            #expect(answer.headers["Content-Type"] == "application/problem+json", sourceLocation: sourceLocation)
        }
        if closes {
            #expect(answer.headers["Connection"] == "close", sourceLocation: sourceLocation)
            #expect(try await peer.readToEnd() == [], sourceLocation: sourceLocation)
        }
        await peer.close()
        #expect(instance.requests.count == asked, sourceLocation: sourceLocation)
        return answer
    }
}

extension RawConnection.RawResponse {
    /// The members of a JSON object; empty for anything else.
    var members: [String: Any] {
        (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
    }

    /// The name of the problem that it reports.
    var problem: String? {
        (members["type"] as? String).map { String($0.dropFirst("/problems/".count)) }
    }
}

/// Serves a responder on a free port of this machine for the closure, which gets its listener.
func serving(_ responder: any Responder, _ body: (BoundListener) async throws -> Void) async throws {
    let group = try EventLoopGroup(count: 1)
    let listener = try BoundListener(.tcp(host: "127.0.0.1", port: 0))
    var configuration = HTTPServerConfiguration()
    // No stall of this machine reaches them.
    for deadline in [\HTTPServerConfiguration.headTimeout, \.bodyTimeout, \.idleTimeout, \.stallTimeout] {
        configuration[keyPath: deadline] = .seconds(600)
    }
    let server = HTTPServer(listeners: [listener], configuration: configuration, responder: responder, group: group)
    try await server.start()
    let result: Result<Void, any Error>
    do {
        result = .success(try await body(listener))
    } catch {
        result = .failure(error)
    }
    await server.stop(grace: .zero)
    await group.shutdown()
    try result.get()
}
