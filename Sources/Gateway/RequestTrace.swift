import HTTPModel
import Observability
import Synchronization

/// By what an answer is tied to its request, from the first check to the log line.
struct RequestTrace: Sendable {
    /// The request's head.
    let head: RequestHead
    /// The name under which the log and the caller know it.
    let id: String
    /// When its head had come, on the clock that never jumps.
    let start: Duration
    /// The route, once it is known.
    var route: Route?
    /// The instance that the answer came from, once it is known.
    var instance: String?
    /// The listed origin of the page that has sent it.
    var origin: String?
    /// Who has sent it, where callers are known by tokens.
    var holder: TokenHolder?
    /// What it is counted by among its holder's requests.
    var permit: RequestPermit?

    /// The language of its problems' titles.
    var language: Language {
        Language(accepting: head.headers)
    }

    /// Begins a trace.
    init(head: RequestHead, id: String, start: Duration) {
        self.head = head
        self.id = id
        self.start = start
    }
}

extension Event {
    /// What the observer is told of a problem, beside the answer; `nil` for one that the caller alone has to know of.
    ///
    /// - Parameter instance: the instance that was asked, once it is known.
    init?(_ problem: Problem, of instance: String?, requestID: String) {
        if problem.name == ProblemKind.internal.rawValue {
            self = .internalBug(detail: problem.detail, requestID: requestID)
        } else if problem.name.hasPrefix("upstream-") {
            self = .upstreamFailed(
                instance: instance ?? "-", problem: problem.name, detail: problem.detail, requestID: requestID)
        } else {
            return nil
        }
    }
}

/// What the steps of answering a request need to know of it.
struct RequestContext: Sendable {
    /// The request's head.
    let head: RequestHead
    /// The target, taken apart.
    let target: RequestTarget
    /// The query parameters that are known to the route.
    let parameters: [String: String]
    /// The members of the body, where the route takes a JSON object.
    let members: [String: JSONValue]
    /// What is wrong with all these so far.
    let faults: ParameterFaults

    /// Whose sessions it sees. Unless callers bring credentials of their own, all of them are one owner.
    let owner: String
    /// The name under which the log knows the request.
    let requestID: String
}

/// Names for requests: unique in this process, and hard to mistake for those of another.
final class RequestIDs: Sendable {
    private let latest: Atomic<UInt64>

    /// Starts somewhere by chance.
    init() {
        latest = Atomic(UInt64.random(in: 0...(.max)))
    }

    /// The next name: 16 hexadecimal digits.
    func next() -> String {
        // An odd step reaches every value before one comes again, and spreads neighbours apart. Setting the first bit,
        // which saves filling up with zeros, lets a name come again only after 2^63 others.
        let value = latest.wrappingAdd(0x9E37_79B9_7F4A_7C15, ordering: .relaxed).newValue
        return String(value | 1 << 63, radix: 16)
    }
}
