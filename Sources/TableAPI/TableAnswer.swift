import HTTPModel
import Pagination
import SimdJSON

/// An instance's answer to the request for a window of rows.
struct TableAnswer {
    private let response: IncomingResponse
    private let now: @Sendable () -> Int

    /// Takes an answer.
    ///
    /// - Parameter now: the present in seconds since 1970, against which a `Retry-After` date is read.
    init(_ response: IncomingResponse, now: @escaping @Sendable () -> Int) {
        self.response = response
        self.now = now
    }

    /// The page that the answer is, once its whole body has proved good.
    ///
    /// - Parameter countOnly: whether only the count matters; the rows are checked all the same.
    /// - Throws: `PageSourceError` for every other answer.
    func page(countOnly: Bool) throws(PageSourceError) -> PageAnswer {
        guard response.status == 200 else { return try pageOfOtherStatus() }
        let total = response.headers.totalCount
        switch PageBody.read(response.body, withIdentity: total == nil && !countOnly) {
        case .rows(let rows, let identity):
            return PageAnswer(
                rows: rows, total: total, nextOffset: response.headers.nextOffset,
                digest: identity.map { RowsDigest(of: $0) })
        case .error(let message, let detail):
            throw .incomplete(upstream(message, detail), reason: "the instance answered 200 with an error inside")
        case .unusable(let fault): throw error(for: fault)
        }
    }

    /// A list without rows is a 404 to version 1 of the interface (KB0551763); every other status is an error.
    private func pageOfOtherStatus() throws(PageSourceError) -> PageAnswer {
        var message: String?
        var detail: String?
        if case .error(let foundMessage, let foundDetail) = PageBody.read(response.body) {
            (message, detail) = (foundMessage, foundDetail)
        }
        if response.status == 404, let message, equalIgnoringCase(message, "No Record found") {
            return PageAnswer(
                rows: Rows(), total: response.headers.totalCount, nextOffset: response.headers.nextOffset)
        }
        throw error(message, detail)
    }

    private func error(_ message: String?, _ detail: String?) -> PageSourceError {
        let upstream = upstream(message, detail)
        switch response.status {
        case 400, 404, 414: return .rejected(upstream)
        case 401: return .unauthenticated(upstream)
        case 403: return .forbidden(upstream)
        case 429: return .rateLimited(upstream, retryAfter: response.headers.retryAfter(now: now))
        case 503: return .unavailable(upstream, retryAfter: response.headers.retryAfter(now: now))
        case 500 where message?.hasPrefix("Transaction cancelled") == true:
            return .incomplete(upstream, reason: "the instance ended the request because it took too long")
        case 202: return .failed(upstream, reason: "the instance dropped the request (202 without a page)")
        case 300..<400: return .failed(upstream, reason: "the instance redirected the request, which is not followed")
        default: return .failed(upstream, reason: "the instance answered with status \(response.status)")
        }
    }

    /// What it means that a body with status 200 is no page.
    private func error(for fault: PageBody.Fault) -> PageSourceError {
        let upstream = upstream(nil, nil)
        switch fault {
        case .empty: return .notJSON(upstream, reason: "the answer is empty")
        case .notWhole where isMarkup:
            if isHibernating { return .unavailable(upstream, retryAfter: response.headers.retryAfter(now: now)) }
            return .notJSON(upstream, reason: "the answer is a web page or XML, not JSON")
        case .notWhole:
            guard case .error(let message, let detail) = errorAtEnd else {
                return .incomplete(upstream, reason: "the answer is not one whole JSON document")
            }
            return .incomplete(
                self.upstream(message, detail), reason: "the instance broke off its answer with an error")
        case .repeatedResult: return .incomplete(upstream, reason: "the answer has its result twice")
        case .noRows: return .notJSON(upstream, reason: "the answer's result is not a list of records")
        case .beyondLimits:
            return .notJSON(
                upstream, reason: "the answer has a number, a nesting or a character beyond what JSON readers agree on")
        case .noMemory: return .failed(upstream, reason: "no memory to read the answer")
        }
    }

    private func upstream(_ message: String?, _ detail: String?) -> PageSourceError.Upstream {
        PageSourceError.Upstream(
            status: response.status, message: message.map { printable($0) }, detail: detail.map { printable($0) })
    }

    /// Whether a body that is no JSON is HTML or XML, by its first character or by what its header says.
    private var isMarkup: Bool {
        let type = (response.headers["Content-Type"] ?? "").lowercased()
        let spaces: [UInt8] = [0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF]
        return response.body.first { !spaces.contains($0) } == UInt8(ascii: "<")
            || type.hasPrefix("text/html") || type.hasPrefix("application/xhtml") || type.hasPrefix("application/xml")
            || type.hasPrefix("text/xml")
    }

    /// Whether the page is the one by which a sleeping developer instance answers everything with 200.
    private var isHibernating: Bool {
        let start = String(decoding: response.body.prefix(64 << 10), as: UTF8.self).lowercased()
        return ["instance-hibernating-page", "instance hibernating page", "your instance is hibernating"]
            .contains { start.contains($0) }
    }

    /// The error that an instance appends to the rows it had already written when it ends a request (KB1297438): the
    /// rest of the body from its last `"error"` on.
    private var errorAtEnd: PageBody? {
        let mark = Array("\"error\"".utf8)
        let body = response.body
        let end = body.suffix(4096)
        guard end.count >= mark.count,
            let start = (end.startIndex...end.endIndex - mark.count).last(where: { body[$0...].starts(with: mark) })
        else { return nil }
        return PageBody.read([UInt8(ascii: "{")] + body[start...])
    }
}
