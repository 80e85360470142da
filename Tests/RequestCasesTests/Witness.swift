import HTTPModel
import Synchronization

/// Answers everything, and keeps what it was asked.
final class Witness: Responder {
    private let list = Mutex<[RequestHead]>([])

    /// What it was asked, in order.
    var heads: [RequestHead] { list.withLock { $0 } }

    func receive(_ head: RequestHead) -> Reception {
        list.withLock { $0.append(head) }
        return .body(limit: 1 << 20, tooLarge: { Response(status: 413) }) { _ in
            Response(status: 200, body: .bytes(Array("ok".utf8)))
        }
    }
}
