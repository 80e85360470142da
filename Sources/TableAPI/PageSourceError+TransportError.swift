import HTTPModel
import Pagination

extension PageSourceError {
    /// What it means for a page that the transport brought no whole answer.
    init(_ error: TransportError) {
        switch error {
        case .invalidRequest(let detail): self = .failed(nil, reason: "the request cannot be sent: \(detail)")
        case .connectionFailed(let detail): self = .failed(nil, reason: "no connection to the instance: \(detail)")
        case .tlsFailed(let detail): self = .failed(nil, reason: "no secure connection to the instance: \(detail)")
        case .noResponse(let detail): self = .failed(nil, reason: "the instance did not answer: \(detail)")
        case .timedOut: self = .timedOut(nil)
        case .bodyIncomplete(let detail, let status):
            self = .incomplete(Upstream(status: status), reason: "the answer was cut on its way: \(detail)")
        case .bodyTooLarge(let limit): self = .tooLarge(limit: limit)
        case .cancelled: self = .stopping
        }
    }
}
