import Clocks
import Foundation
import HTTPModel
import Testing

@testable import DemoInstance

/// A demo instance of 300 incidents behind faults, called without sockets.
struct FaultyInstance {
    let faults: Faults

    private static let instance = Task { try await DemoInstance(incidents: 300) }

    init(
        _ texts: String..., seed: UInt64 = 1,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { _ in Issue.record("nothing was to be awaited") }
    ) async throws {
        let clock = ServiceClock(now: { Timestamp(milliseconds: 784_111_777_000) }, uptime: { .zero })
        faults = Faults(
            try texts.map { try Fault($0) }, around: try await Self.instance.value, seed: seed, clock: clock,
            sleep: sleep)
    }

    static let list = "/api/now/table/incident?sysparm_query=ORDERBYsys_id&sysparm_fields=sys_id,number"

    struct Answer {
        var status: Int
        var headers: HeaderFields
        var body: [UInt8]
        /// Whether the body ended before its end.
        var isCut: Bool
        /// Whether there was none: the connection was closed.
        var isMissing = false

        var text: String { String(decoding: body, as: UTF8.self) }

        /// The `sys_id` of each row; `nil` for a row that has none.
        func keys() throws -> [String?] {
            try JSONDecoder().decode(List.self, from: Data(body)).result.map { $0["sys_id"] }
        }

        private struct List: Decodable {
            var result: [[String: String]]
        }
    }

    func call(_ target: String = list, method: String = "GET") async -> Answer {
        let response = await faults.respond(
            to: Request(RequestHead(method: method, target: target, headers: ["Host": "demo.example"])))
        var answer = Answer(status: response.status, headers: response.headers, body: [], isCut: false)
        switch response.body {
        case .empty: break
        case .pieces(let pieces): answer.body = Array(pieces.joined())
        case .stream(let produce):
            let collector = BodyCollector()
            do { try await produce(collector) } catch { answer.isCut = true }
            answer.body = await collector.bytes
        case .noAnswer: answer.isMissing = true
        }
        return answer
    }

    /// The keys of one page.
    func page(_ offset: Int, _ limit: Int) async throws -> [String?] {
        try await call(Self.list + "&sysparm_offset=\(offset)&sysparm_limit=\(limit)").keys()
    }
}
