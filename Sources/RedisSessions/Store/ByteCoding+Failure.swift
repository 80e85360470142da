internal import Pagination
internal import Sessions

extension ByteWriter {
    /// Writes why a fetch failed.
    mutating func failure(_ error: PageSourceError) {
        switch error {
        case .rejected(let report): start(0, report)
        case .forbidden(let report): start(1, report)
        case .unauthenticated(let report): start(2, report)
        case .callerUnauthenticated(let report): start(3, report)
        case .rateLimited(let report, let seconds):
            start(4, report)
            optional(seconds)
        case .unavailable(let report, let seconds):
            start(5, report)
            optional(seconds)
        case .failed(let report, let reason):
            start(6, report)
            text(reason)
        case .incomplete(let report, let reason):
            start(7, report)
            text(reason)
        case .notJSON(let report, let reason):
            start(8, report)
            text(reason)
        case .tooLarge(let limit):
            start(9, nil)
            number(max(0, limit))
        case .timedOut(let report): start(10, report)
        case .stopping: start(11, nil)
        }
    }

    private mutating func start(_ kind: UInt8, _ report: PageSourceError.Upstream?) {
        byte(kind)
        flags(report != nil, report?.message != nil, report?.detail != nil)
        guard let report else { return }
        number(max(0, report.status))
        if let message = report.message { text(message) }
        if let detail = report.detail { text(detail) }
    }

    private mutating func optional(_ value: Int?) {
        flags(value != nil)
        if let value { number(max(0, value)) }
    }
}

extension ByteReader {
    /// Reads why a fetch failed.
    ///
    /// - Throws: `SessionEncodingError`.
    mutating func failure() throws(SessionEncodingError) -> PageSourceError {
        let kind = try byte()
        let flags = try flags(3)
        var report: PageSourceError.Upstream?
        if flags[0] {
            report = PageSourceError.Upstream(
                status: try number(), message: flags[1] ? try text() : nil, detail: flags[2] ? try text() : nil)
        }
        let error = try failure(kind, report)
        try end()
        return error
    }

    private mutating func failure(
        _ kind: UInt8, _ report: PageSourceError.Upstream?
    ) throws(SessionEncodingError) -> PageSourceError {
        switch (kind, report) {
        case (0, let report?): .rejected(report)
        case (1, let report?): .forbidden(report)
        case (2, let report?): .unauthenticated(report)
        case (3, _): .callerUnauthenticated(report)
        case (4, _): .rateLimited(report, retryAfter: try optional())
        case (5, _): .unavailable(report, retryAfter: try optional())
        case (6, _): .failed(report, reason: try text())
        case (7, let report?): .incomplete(report, reason: try text())
        case (8, let report?): .notJSON(report, reason: try text())
        case (9, nil): .tooLarge(limit: try number())
        case (10, _): .timedOut(report)
        case (11, nil): .stopping
        default: throw .unknownFields
        }
    }

    private mutating func optional() throws(SessionEncodingError) -> Int? {
        try flags(1)[0] ? try number() : nil
    }
}
