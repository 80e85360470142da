/// One way in which an instance, or what stands before it, misbehaves, and when.
public struct Fault: Sendable, Equatable {
    /// What happens.
    public var kind: Kind
    /// To which requests.
    public var occurrence: Occurrence

    /// Describes a fault.
    public init(_ kind: Kind, _ occurrence: Occurrence = .always) {
        self.kind = kind
        self.occurrence = occurrence
    }

    /// What happens instead of, or to, a right answer.
    public enum Kind: Sendable, Equatable {
        /// 429: more requests than a rule allows, or more than the queue holds.
        case rateLimit(RateLimit = .quota, retryAfter: RetryAfter = .seconds(1))
        /// A body that ends in its middle.
        case truncate(Truncation = .chunked)
        /// A request that the instance ends for taking too long (KB1297438).
        case appendError(AppendedError = .row)
        /// That share of the records is hidden from this user after limit and offset were applied, so that pages are
        /// short while the count stays (KB3047115). It is the same records every time.
        case hide(ratio: Double, as: HiddenRow = .gone)
        /// The answer is held back, for a time spread evenly around the mean.
        case latency(mean: Duration, jitter: Duration = .zero)
        /// That status with an HTML page, as a proxy before the instance sends it.
        case status(Int, retryAfter: RetryAfter = .absent)
        /// The page of a sleeping developer instance, with status 200.
        case hibernate
        /// The connection is closed without a byte of an answer.
        case drop
        /// Each time `by` more records are gone from the front of every list, `most` in all.
        case shrink(by: Int = 1, most: Int = 100)
        /// The first `most` records of every list are not there at first; each time `by` of them appear.
        case grow(by: Int = 1, most: Int = 100)
        /// No body at all: 202 as an instance with too many waiting requests in one session, or 200.
        case empty(status: Int)
        /// The login page of an instance with single sign-on.
        case login(Login = .page)
        /// 401, as if the token had run out.
        case unauthorized
        /// No `X-Total-Count`, as for tables that are computed.
        case noCount
        /// A `Link` field that is missing or leads astray.
        case links(Links = .none)
        /// A row that is no record among the others.
        case badRow
    }

    /// Which of an instance's two refusals with 429.
    public enum RateLimit: String, Sendable, CaseIterable {
        /// A request limit by the hour: JSON, with `X-RateLimit-` fields.
        case quota
        /// The queue of waiting requests is full: no JSON, and no word of when (KB0635398).
        case queue
    }

    /// What `Retry-After` says (RFC 9110 §10.2.3).
    public enum RetryAfter: Sendable, Equatable {
        /// Nothing: there is no such field.
        case absent
        /// A number of seconds.
        case seconds(Int)
        /// The date that many seconds ahead.
        case date(Int)
    }

    /// How a body ends too early.
    public enum Truncation: String, Sendable, CaseIterable {
        /// The connection ends without the final chunk: the transport shows it.
        case chunked
        /// The framing is whole, only the JSON is not: reading it shows it.
        case json
    }

    /// Where the error of a cancelled request stands.
    public enum AppendedError: String, Sendable, CaseIterable {
        /// Behind half a row.
        case row
        /// Behind a list that ends in a comma.
        case list
        /// Alone, with status 200.
        case alone
        /// Alone, with status 500: the request was cancelled while it waited.
        case queued
    }

    /// What remains of a hidden row.
    public enum HiddenRow: String, Sendable, CaseIterable {
        /// Nothing.
        case gone
        /// `{}`
        case empty
    }

    /// How an instance asks for a login.
    public enum Login: String, Sendable, CaseIterable {
        /// With a web page and status 200.
        case page
        /// With a redirect to it.
        case redirect
    }

    /// What becomes of `Link`.
    public enum Links: String, Sendable, CaseIterable {
        /// It is left out.
        case none
        /// It leads to another host.
        case foreign
        /// Its next page is the present one.
        case same
    }
}
