import HTTPModel
import Synchronization

/// Answers requests from a list, in order, and remembers them; when the list is used up, its last entry stands.
final class ScriptedTransport: HTTPTransport {
    typealias Answer = Result<IncomingResponse, TransportError>

    private let state: Mutex<(answers: [Answer], requests: [OutgoingRequest])>

    init(_ answers: [Answer]) {
        state = Mutex((answers, []))
    }

    convenience init(_ responses: IncomingResponse...) {
        self.init(responses.map { .success($0) })
    }

    var requests: [OutgoingRequest] {
        state.withLock { $0.requests }
    }

    @concurrent func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        let answer = state.withLock { state in
            state.requests.append(request)
            return state.answers.count > 1 ? state.answers.removeFirst() : state.answers[0]
        }
        return try answer.get()
    }
}

extension IncomingResponse {
    static func json(_ text: String, status: Int = 200, headers: HeaderFields = [:]) -> IncomingResponse {
        var headers = headers
        headers.append("Content-Type", "application/json;charset=UTF-8")
        return IncomingResponse(status: status, headers: headers, body: Array(text.utf8))
    }

    static func page(_ count: Int, total: Int?) -> IncomingResponse {
        let rows = (0..<count).map { "{\"n\":\($0)}" }.joined(separator: ",")
        return .json("{\"result\":[\(rows)]}", headers: total.map { ["X-Total-Count": String($0)] } ?? [:])
    }
}
