import EventLoops
import Foundation
import HTTPClient
import HTTPModel
import PaginatordTesting

/// Calls a running service as curl would.
final class Caller: Sendable {
    /// An answer with its JSON taken apart.
    struct Answer {
        var status: Int
        var headers: HeaderFields
        var body: [UInt8]

        /// The members of its object.
        var members: [String: Any] {
            (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any] ?? [:]
        }

        /// One member.
        subscript<Value>(name: String, as type: Value.Type = Value.self) -> Value? {
            members[name] as? Value
        }

        /// Its rows' `sys_id`s, in order.
        var keys: [String] {
            (members["items"] as? [[String: Any]] ?? []).compactMap { $0["sys_id"] as? String }
        }

        /// The target of one of its links.
        func link(_ name: String) -> String? {
            (members["links"] as? [String: String])?[name]
        }
    }

    private let base: String
    private let group: EventLoopGroup
    private let client: HTTPClient

    init(_ base: String) throws {
        self.base = base
        group = try EventLoopGroup(count: 1)
        client = HTTPClient(HTTPClientConfiguration(proxy: .direct), on: group)
    }

    /// Sends one request; the body is JSON.
    func call(
        _ method: String, _ target: String, _ body: String = "", headers: HeaderFields = [:]
    ) async throws -> Answer {
        var headers = headers
        if !body.isEmpty { headers.append("Content-Type", "application/json") }
        let response = try await client.send(
            OutgoingRequest(method: method, url: base + target, headers: headers, body: Array(body.utf8)))
        return Answer(status: response.status, headers: response.headers, body: response.body)
    }

    /// Opens a session and gives its path back.
    func open(_ body: String) async throws -> String {
        let answer = try await call("POST", "/sessions", body)
        guard answer.status == 201, let location = answer.headers["Location"] else {
            throw RunningProgram.ProgramFailure(text: String(decoding: answer.body, as: UTF8.self))
        }
        return location
    }

    func close() async {
        await client.shutdown()
        await group.shutdown()
    }
}
