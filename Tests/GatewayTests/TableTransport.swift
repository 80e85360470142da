import HTTPModel
import Pagination
import Synchronization

/// An instance in memory: answers as a table with so many rows would, or as a test says, and remembers what it was asked.
final class TableTransport: HTTPTransport {
    typealias Answer = @Sendable (OutgoingRequest) async throws(TransportError) -> IncomingResponse

    private let state: Mutex<(answer: Answer, requests: [OutgoingRequest])>

    /// A table with that many rows `{"n":0}`, `{"n":1}`, …
    init(rows: Int, counts: Bool = true) {
        state = Mutex((Self.table(rows: rows, counts: counts), []))
    }

    var urls: [String] {
        state.withLock { $0.requests.map(\.url) }
    }

    var requests: [OutgoingRequest] {
        state.withLock { $0.requests }
    }

    func answer(_ answer: @escaping Answer) {
        state.withLock { $0.answer = answer }
    }

    func answer(_ status: Int, _ text: String, headers: HeaderFields = [:]) {
        answer { _ in IncomingResponse(status: status, headers: headers, body: Array(text.utf8)) }
    }

    func answer(rows: Int, counts: Bool = true) {
        answer(Self.table(rows: rows, counts: counts))
    }

    @concurrent func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answer
        }
        return try await answer(request)
    }

    private static func table(rows: Int, counts: Bool) -> Answer {
        { request in
            let offset = number("sysparm_offset", in: request.url)
            let end = offset + min(number("sysparm_limit", in: request.url), max(0, rows - offset))
            let body = (min(offset, end)..<end).map { "{\"n\":\($0)}" }.joined(separator: ",")
            return IncomingResponse(
                status: 200, headers: counts ? ["X-Total-Count": String(rows)] : [:],
                body: Array("{\"result\":[\(body)]}".utf8))
        }
    }

    private static func number(_ name: String, in url: String) -> Int {
        url.split(whereSeparator: { "?&".contains($0) }).last { $0.hasPrefix(name + "=") }
            .flatMap { Int($0.dropFirst(name.utf8.count + 1)) } ?? 0
    }
}
