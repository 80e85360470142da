import HTTPModel
import PaginatordTesting
import Synchronization
import TableAPI

@testable import Gateway

/// A table in memory whose rows have keys: understands conditions on `sys_id` and an order by it, and may change between
/// two requests.
final class KeyedTable: Sendable {
    struct State {
        var keys: [String]
        var random: SeededGenerator
        /// Happens to the table before each answer.
        var changes: @Sendable (inout [String], inout SeededGenerator) -> Void = { _, _ in }
        /// Answers in the table's place.
        var answersInstead: @Sendable (Asked) -> IncomingResponse? = { _ in nil }
        /// Awaited before an answer.
        var waits: @Sendable (Asked) async -> Void = { _ in }
        var asked: [Asked] = []
    }

    /// What a request asks for.
    struct Asked: Sendable {
        var query = ""
        var offset = 0
        var limit = 0
        var lower: String?
        var upper: String?
        var isDescending = false
        var authorization: String?
    }

    private let state: Mutex<State>

    init(rows: Int, seed: UInt64 = 1) {
        var random = SeededGenerator(seed: seed)
        let keys = (0..<rows).map { _ in Self.key(&random) }.sorted()
        state = Mutex(State(keys: keys, random: random))
    }

    static func key(_ random: inout SeededGenerator) -> String {
        let text = String(UInt128.random(in: 0...(.max), using: &random), radix: 16)
        return String(repeating: "0", count: 32 - text.utf8.count) + text
    }

    /// All keys, in order.
    var keys: [String] { state.withLock { $0.keys } }

    /// What it was asked, in order.
    var asked: [Asked] { state.withLock { $0.asked } }

    func set(_ change: (inout State) -> Void) {
        state.withLock { change(&$0) }
    }

    /// The row of a key, as the table sends it.
    static func row(_ key: String) -> String {
        #"{"sys_id":"\#(key)","name":"\#(key.prefix(4))"}"#
    }

    func answer(_ request: OutgoingRequest) async -> IncomingResponse {
        let asked = Self.asked(request)
        await state.withLock { state in
            state.asked.append(asked)
            return state.waits
        }(asked)
        return state.withLock { state in
            state.changes(&state.keys, &state.random)
            if let answer = state.answersInstead(asked) { return answer }
            var keys = state.keys.filter { key in
                asked.lower.map { key >= $0 } ?? true && asked.upper.map { key < $0 } ?? true
            }
            let total = keys.count
            if asked.isDescending { keys.reverse() }
            let rows = keys.dropFirst(asked.offset).prefix(asked.limit).map(Self.row)
            return IncomingResponse(
                status: 200, headers: ["X-Total-Count": String(total)],
                body: Array("{\"result\":[\(rows.joined(separator: ",\r\n"))]}".utf8))
        }
    }

    private static func asked(_ request: OutgoingRequest) -> Asked {
        var asked = Asked(authorization: request.headers["Authorization"])
        let parameters = RequestTarget(request.url)?.parameters() ?? []
        for (name, value) in parameters {
            switch name {
            case "sysparm_query": asked.query = value
            case "sysparm_offset": asked.offset = Int(value) ?? 0
            case "sysparm_limit": asked.limit = Int(value) ?? 0
            default: break
            }
        }
        for term in asked.query.split(separator: "^") {
            if term.hasPrefix("sys_id>=") { asked.lower = String(term.dropFirst(8)) }
            if term.hasPrefix("sys_id<") { asked.upper = String(term.dropFirst(7)) }
            if term == "ORDERBYDESCsys_id" { asked.isDescending = true }
        }
        return asked
    }
}

extension Service {
    /// A service over such a table, whose records are read in windows of 100 rows.
    convenience init(_ table: KeyedTable, credentials: [String: Credentials] = [:]) throws {
        try self.init(configuration: GatewayConfiguration(maxItemsPerPage: 100), credentials: credentials)
        transport.answer { await table.answer($0) }
    }
}
