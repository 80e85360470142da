import Foundation
import HTTPModel
import Testing

@testable import DemoInstance

/// Calls a demo instance without sockets.
struct Client {
    let instance: DemoInstance

    /// An instance with 600 incidents that all tests share; it only reads.
    static let shared = Task { try await Client(instance: DemoInstance(incidents: 600)) }

    func call(
        _ target: String, method: String = "GET", headers: HeaderFields = ["Host": "demo.example:8081"],
        connection: ConnectionKind = .tcp
    ) async throws -> (response: Response, body: [UInt8]) {
        let head = RequestHead(method: method, target: target, headers: headers, connection: connection)
        let response = await instance.respond(to: Request(head))
        switch response.body {
        case .empty: return (response, [])
        case .pieces(let pieces): return (response, Array(pieces.joined()))
        case .stream(let produce):
            let collector = BodyCollector()
            try await produce(collector)
            return (response, await collector.bytes)
        case .noAnswer: throw NoAnswer()
        }
    }

    /// The rows of a list, with every value as the string that it has to be.
    func rows(_ table: String, _ parameters: [(String, String)]) async throws -> [[String: String]] {
        let (response, body) = try await call("/api/now/table/\(table)?" + Self.encoded(parameters))
        #expect(response.status == 200, "\(String(decoding: body.prefix(500), as: UTF8.self))")
        return try Self.rows(body)
    }

    static func encoded(_ parameters: [(String, String)]) -> String {
        var bytes: [UInt8] = []
        for (name, value) in parameters {
            if !bytes.isEmpty { bytes.append(0x26) }
            bytes += name.utf8
            bytes.append(0x3D)
            appendPercentEncoded(value, to: &bytes)
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Decodes into strings at once: every value has to be one.
    static func rows(_ body: [UInt8]) throws -> [[String: String]] {
        try JSONDecoder().decode(List.self, from: Data(body)).result
    }

    private struct NoAnswer: Error {}

    private struct List: Decodable {
        var result: [[String: String]]
    }
}
