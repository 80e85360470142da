import Pagination
import PaginatordTesting

/// One call on a paginator.
enum Call: String, Sendable, CaseIterable {
    case first, next, previous, last, reset

    var move: Move? { Move(rawValue: rawValue) }
}

extension PaginatorState {
    /// Makes a call to its end, with the answers of a source that never waits.
    ///
    /// - Returns: the page, or `nil` for a reset. After an error the state is as it was, as drivers have it.
    @discardableResult
    mutating func call(
        _ call: Call, _ answer: (PageRequest) throws(PageSourceError) -> PageAnswer
    ) throws(PaginationError) -> Page? {
        guard let move = call.move else {
            reset()
            return nil
        }
        var moving = self
        var action = try moving.begin(move)
        while true {
            switch action {
            case .deliver(let page):
                self = moving
                return page
            case .fetch(let request):
                let found: PageAnswer
                do { found = try answer(request) } catch { throw .source(error) }
                action = try moving.complete(found)
            }
        }
    }

    /// Makes a call on a record set.
    @discardableResult
    mutating func call(_ call: Call, on set: SampleSet) throws(PaginationError) -> Page? {
        try self.call(call) { set.answer(to: $0) }
    }

    /// Makes a call with these answers, which have to be asked for one after the other, all of them.
    ///
    /// - Returns: the page, and the requests that were made.
    @discardableResult
    mutating func call(
        _ call: Call, answers: [PageAnswer]
    ) throws(PaginationError) -> (page: Page?, requests: [PageRequest]) {
        var requests: [PageRequest] = []
        let page = try self.call(call) { request throws(PageSourceError) in
            guard requests.count < answers.count else { throw .failed(nil, reason: "asked too often") }
            requests.append(request)
            return answers[requests.count - 1]
        }
        guard requests.count == answers.count else { throw .source(.failed(nil, reason: "asked too seldom")) }
        return (page, requests)
    }
}

/// That many rows of a page, from that row on.
func rows(_ count: Int, from start: Int = 0) -> [String] {
    (start..<start + count).map(SampleSet.row)
}
