internal import HTTPModel

/// A list that lacks its first records: what `shrink` and `grow` make of a request and of its answer.
struct DriftedList {
    private let head: RequestHead
    private let target: RequestTarget
    private let offset: Int
    private let limit: Int
    private let missing: Int

    /// Takes the request for a list; `nil` for any other, and for one whose offset is no number.
    ///
    /// - Parameter missing: how many records the list lacks.
    init?(_ head: RequestHead, missing: Int) {
        guard ["GET", "HEAD"].contains(head.method), let target = RequestTarget(head.target),
            case .list = try? InstanceRoute(path: target.path), let parameters = try? ReadParameters(target)
        else { return nil }
        self.head = head
        self.target = target
        self.missing = missing
        offset = parameters.offset
        limit = parameters.limit
    }

    /// The request that gives the records which remain.
    var request: RequestHead {
        let (offset, overflows) = offset.addingReportingOverflow(missing)
        var pieces = (target.query ?? "").split(separator: "&").filter { !$0.hasPrefix("sysparm_offset=") }
        pieces.append("sysparm_offset=\(overflows ? .max : offset)")
        var head = head
        let origin = target.authority.map { "http://\($0)" } ?? ""
        head.target = origin + target.path + "?" + pieces.joined(separator: "&")
        return head
    }

    /// The answer with the count and the links of the list that remains.
    func response(_ response: Response) -> Response {
        var response = response
        guard let count = response.headers["X-Total-Count"].flatMap({ Int($0) }) else { return response }
        let total = max(0, count - missing)
        response.headers["X-Total-Count"] = String(total)
        if let link = response.headers["Link"] {
            let base = String(link.dropFirst().prefix { $0 != "?" })
            response.headers["Link"] = PaginationLinks.value(
                base: base, query: target.query, offset: offset, limit: limit, total: total)
        }
        return response
    }
}
