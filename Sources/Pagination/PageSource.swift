/// Where the pages of a record set come from, by offset and limit.
public protocol PageSource: Sendable {
    /// Fetches one window of rows, or only their count.
    ///
    /// Either the window is whole or an error is thrown. A source may receive several requests at once.
    /// - Throws: `PageSourceError`, after whatever retries the source makes.
    func fetch(_ request: PageRequest) async throws(PageSourceError) -> PageAnswer

    /// The same source for work that goes on when the calling task has ended. It brings along what that task had for it, such as
    /// its caller's own credentials, and is not to be kept longer than the work takes.
    func detached() -> any PageSource
}

extension PageSource {
    /// Itself: most sources take nothing from the calling task.
    public func detached() -> any PageSource { self }
}

/// One window of a record set.
public struct PageRequest: Sendable, Equatable {
    /// Who waits for the answer; what nobody waits for gives way.
    public enum Priority: Int, Sendable {
        /// A caller waits for this page.
        case interactive
        /// Part of an export.
        case bulk
        /// Nobody waits yet.
        case readAhead
    }

    /// The rows to skip, ≥ 0.
    public var offset: Int
    /// The rows to return at most, ≥ 1.
    public var limit: Int
    /// Whether only the count matters; the rows of the answer are then ignored.
    public var countOnly: Bool
    /// How urgent it is.
    public var priority: Priority
    /// On whose behalf: the name under which limits and credentials are kept per caller; `nil` for the service itself.
    public var caller: String?

    /// Makes a request.
    public init(
        offset: Int, limit: Int, countOnly: Bool = false, priority: Priority = .interactive, caller: String? = nil
    ) {
        self.offset = offset
        self.limit = limit
        self.countOnly = countOnly
        self.priority = priority
        self.caller = caller
    }
}

/// What a source found in one window.
public struct PageAnswer: Sendable, Equatable {
    /// Where an answer came from, what asked most of the source first.
    public enum Origin: Int, Sendable, Comparable {
        /// From the source, for this request.
        case fetched
        /// From the source, for an identical request that was under way already.
        case collapsed
        /// From memory: an identical request was answered a short while before.
        case cached

        /// By how much was asked of the source.
        public static func < (left: Origin, right: Origin) -> Bool { left.rawValue < right.rawValue }
    }

    /// The rows, as they came.
    public var rows: Rows
    /// The size of the whole record set as counted for this answer, hidden rows included (`X-Total-Count`), ≥ 0; `nil`
    /// where the source does not count.
    public var total: Int?
    /// The offset of the next window as the source names it (`rel="next"`), where it does.
    public var nextOffset: Int?
    /// A digest of the rows' keys, or of whole rows that have none; equal digests mean equal rows. `nil` for no rows.
    public var digest: RowsDigest?
    /// Where it came from.
    public var origin: Origin

    /// Makes an answer.
    public init(
        rows: Rows, total: Int?, nextOffset: Int? = nil, digest: RowsDigest? = nil, origin: Origin = .fetched
    ) {
        self.rows = rows
        self.total = total
        self.nextOffset = nextOffset
        self.digest = digest
        self.origin = origin
    }
}

/// A 128-bit digest that tells whether two windows hold the same rows.
public struct RowsDigest: Sendable, Hashable {
    /// The upper half.
    public var high: UInt64
    /// The lower half.
    public var low: UInt64

    /// Makes a digest.
    public init(high: UInt64, low: UInt64) {
        self.high = high
        self.low = low
    }
}

/// Why a window could not be fetched. Closed, so that whoever reports it can be exhaustive.
public enum PageSourceError: Error, Sendable, Equatable {
    /// What the source itself said, where it answered.
    public struct Upstream: Sendable, Equatable {
        /// The HTTP status.
        public var status: Int
        /// Its message, on one line, limited in length.
        public var message: String?
        /// Its detail, on one line, limited in length.
        public var detail: String?

        /// Makes a report.
        public init(status: Int, message: String? = nil, detail: String? = nil) {
            self.status = status
            self.message = message
            self.detail = detail
        }
    }

    /// The query is wrong: no such table, a bad query, a URL too long.
    case rejected(Upstream)
    /// Access rules forbid the query.
    case forbidden(Upstream)
    /// The credentials were refused.
    case unauthenticated(Upstream)
    /// The credentials that the caller has to bring were refused, or, with `nil`, were not there.
    case callerUnauthenticated(Upstream?)
    /// Too many requests; `retryAfter` in seconds where known. Without a report the source was not asked.
    case rateLimited(Upstream?, retryAfter: Int?)
    /// The source is down for now or hibernating; `retryAfter` in seconds where known. Without a report it was not asked,
    /// after repeated failure.
    case unavailable(Upstream?, retryAfter: Int?)
    /// Any other failure: unexpected status, no connection, TLS, a redirect, no progress. The reason is one line.
    case failed(Upstream?, reason: String)
    /// The answer was cut, or carried an error inside.
    case incomplete(Upstream, reason: String)
    /// The answer was no JSON of the expected shape.
    case notJSON(Upstream, reason: String)
    /// The answer was larger than allowed, in bytes.
    case tooLarge(limit: Int)
    /// The time was up.
    case timedOut(Upstream?)
    /// The source is being shut down.
    case stopping
}
