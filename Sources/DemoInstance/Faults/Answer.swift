internal import HTTPModel

/// An instance's good answer to a GET, looked at more closely.
struct Answer {
    /// The request.
    let head: RequestHead
    /// The answer.
    let response: Response
    /// Its whole body.
    let body: [UInt8]
    /// Which records were asked for.
    private let route: InstanceRoute?

    /// Looks at an answer; `nil` for one that is no 200 with a body that is there already, which faults leave alone.
    init?(_ response: Response, to head: RequestHead) {
        guard response.status == 200, head.method == "GET", case .pieces(let pieces) = response.body else { return nil }
        self.head = head
        self.response = response
        // One piece is copied as a whole; joining goes byte by byte.
        body = pieces.count == 1 ? Array(pieces[0]) : Array(pieces.joined())
        route = RequestTarget(head.target).flatMap { try? InstanceRoute(path: $0.path) }
    }

    /// Whether it answers the request for a list.
    var isList: Bool {
        if case .list = route { true } else { false }
    }

    /// Whether it answers the request for one record.
    var isRecord: Bool {
        if case .record = route { true } else { false }
    }

    /// Its rows; `nil` where it is no list.
    var list: ListBody? {
        isList ? ListBody(body) : nil
    }

    /// The record in it; `nil` where it is no single record.
    var record: ArraySlice<UInt8>? {
        isRecord ? JSONParts(bytes: body).member("result", ofObjectAt: 0).map { body[$0] } : nil
    }
}
