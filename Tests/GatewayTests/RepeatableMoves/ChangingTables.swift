import HTTPModel
import PaginatordTesting
import Synchronization

/// An instance whose tables change between the steps of a test, which fails as it is told, and which can be made to hold
/// its answers back.
final class ChangingTables: Sendable {
    /// One table as it is at a time. Its rows say in which version of it they were sent.
    struct Table: Sendable {
        var count: Int
        /// Whether answers carry the count.
        var counts = true
        /// Whether answers name the next window.
        var links = false
        /// Every so manieth row is counted, but never shown; 0 for none.
        var hidesEvery = 0
        var version = 0

        func rows(_ window: SessionModel.Window) -> SessionModel.Rows {
            let start = min(window.offset, count)
            let end = min(start + window.limit, count)
            let shown = (start..<end).filter { hidesEvery == 0 || $0 % hidesEvery != 0 }
            let texts = shown.map { #"{"sys_id":"\#($0)","v": \#(version)}"# }
            return SessionModel.Rows(
                text: texts.joined(separator: [",", " , ", ",\r\n\t"][version % 3]), count: texts.count,
                total: counts ? count : nil, nextOffset: links && end < count ? end : nil)
        }
    }

    /// What an instance does wrong.
    enum Fault: String, CaseIterable, Sendable {
        case rateLimited, unavailable, silent, cut, half, broken

        var problem: (name: String, status: Int) {
            switch self {
            case .rateLimited: ("upstream-rate-limited", 429)
            case .unavailable: ("upstream-unavailable", 503)
            case .silent: ("upstream-timeout", 504)
            case .cut, .half: ("upstream-incomplete", 502)
            case .broken: ("upstream-failed", 502)
            }
        }

        fileprivate func answer() throws(TransportError) -> IncomingResponse {
            switch self {
            case .rateLimited: IncomingResponse(status: 429, headers: ["Retry-After": "100"])
            case .unavailable: IncomingResponse(status: 503)
            case .silent: throw .timedOut(receivedBytes: false)
            case .cut: throw .bodyIncomplete("cut", status: 200)
            case .half: IncomingResponse(status: 200, body: Array(#"{"result":[{"sys_id":"0"},"#.utf8))
            case .broken: IncomingResponse(status: 500)
            }
        }
    }

    private struct State {
        /// Every version of every table.
        var tables: [String: [Table]] = [:]
        var fault: Fault?
        /// Which of the coming requests fail; those beyond do not.
        var fails: [Bool] = []
        var gate: Gate?
        var requests = 0
    }

    private let state = Mutex(State())

    /// How many requests have come.
    var requests: Int { state.withLock(\.requests) }

    /// The present version of a table.
    func version(of name: String) -> Int { state.withLock { ($0.tables[name]?.count ?? 0) - 1 } }

    /// A table as it is, or was.
    func table(_ name: String, version: Int) -> Table? { state.withLock { $0.tables[name]?[version] } }

    /// Changes a table, or makes it.
    func change(_ name: String, _ change: (inout Table) -> Void) {
        state.withLock { state in
            var table = state.tables[name]?.last ?? Table(count: 0, version: -1)
            change(&table)
            table.version += 1
            state.tables[name, default: []].append(table)
        }
    }

    /// Makes some of the coming requests fail.
    func fail(with fault: Fault?, _ fails: [Bool]) {
        state.withLock { ($0.fault, $0.fails) = (fault, fails) }
    }

    /// Holds back all answers from now on, until the gate is open.
    func hold(behind gate: Gate?) {
        state.withLock { $0.gate = gate }
    }

    /// Answers a request by what holds when the answer is let go; not at all where its task was cancelled.
    @concurrent func answer(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        let (gate, fault) = state.withLock { state in
            state.requests += 1
            let fails = state.fails.isEmpty ? false : state.fails.removeFirst()
            return (state.gate, fails ? state.fault : nil)
        }
        await gate?.wait()
        if Task.isCancelled { throw .cancelled }
        if let fault { return try fault.answer() }
        guard let (name, window) = Self.asked(request.url),
            let table = state.withLock({ $0.tables[name]?.last })
        else { return IncomingResponse(status: 404) }
        let rows = table.rows(window)
        var headers: HeaderFields = [:]
        if let total = rows.total { headers.append("X-Total-Count", String(total)) }
        if let offset = rows.nextOffset {
            headers.append("Link", "<https://elsewhere.example/?sysparm_offset=\(offset)>;rel=\"next\"")
        }
        return IncomingResponse(status: 200, headers: headers, body: Array("{\"result\":[\(rows.text)]}".utf8))
    }

    private static func asked(_ url: String) -> (String, SessionModel.Window)? {
        let parts = url.split(whereSeparator: { "/?&".contains($0) })
        func number(_ name: String) -> Int? {
            parts.last { $0.hasPrefix(name + "=") }.flatMap { Int($0.dropFirst(name.utf8.count + 1)) }
        }
        guard let index = parts.firstIndex(of: "table"), let offset = number("sysparm_offset"),
            let limit = number("sysparm_limit")
        else { return nil }
        return (String(parts[index + 1]), SessionModel.Window(offset: offset, limit: limit))
    }
}
