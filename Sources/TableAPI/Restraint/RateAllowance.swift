import HTTPModel

/// What an answer's `X-RateLimit-*` fields say: an instance counts the requests of an hour and begins anew at a set time.
public struct RateAllowance: Sendable, Equatable {
    /// The requests allowed in the present window, ≥ 1.
    public var limit: Int
    /// How many of them are left, where the instance says so.
    public var remaining: Int?
    /// The time until the next window begins.
    public var resetsIn: Duration
    /// The name of the rule that counts.
    public var rule: String

    /// Makes an allowance.
    public init(limit: Int, remaining: Int? = nil, resetsIn: Duration, rule: String = "") {
        self.limit = limit
        self.remaining = remaining
        self.resetsIn = resetsIn
        self.rule = rule
    }
}

extension RateAllowance {
    /// The longest window that is believed, in seconds: an instance counts by the hour, and a nonsensical reset must not
    /// shut it off for longer.
    private static let longestWindow = 3660

    /// Reads the fields (ServiceNow: Inbound REST API rate limiting). The reset is a time in seconds since 1970, read
    /// relative to the answer's own `Date` where there is one. `nil` where they are absent or make no sense.
    ///
    /// - Parameter now: the present, in seconds since 1970.
    init?(_ headers: HeaderFields, now: () -> Int) {
        guard let limitText = headers["X-RateLimit-Limit"], let limit = decimalNumber(limitText), limit > 0,
            let reset = headers["X-RateLimit-Reset"].flatMap({ decimalNumber($0) })
        else { return nil }
        let present = now()
        let date = headers["Date"].flatMap { HTTPDate.seconds($0, now: present) } ?? present
        let (seconds, overflows) = reset.subtractingReportingOverflow(date)
        guard !overflows, 1...Self.longestWindow ~= seconds else { return nil }
        let remaining = headers["X-RateLimit-Remaining"].flatMap { decimalNumber($0) }
        let rule = headers["X-RateLimit-Rule"] ?? ""
        self.init(limit: limit, remaining: remaining, resetsIn: .seconds(seconds), rule: rule)
    }
}

/// The instance's own counts of requests, as far as its answers have shown them.
struct AllowanceWindows: Sendable {
    private struct Window {
        var left: Int
        let limit: Int
        let until: Duration
    }

    /// Two resets within this time are the same one: they are told in whole seconds by clocks that differ.
    private static let tolerance = Duration.seconds(5)
    /// As many rules as are looked at; an instance has few that a request can match.
    private static let maxRules = 16

    private var windows: [String: Window] = [:]

    /// Counts a request by what its answer said.
    ///
    /// - Parameter isSpent: whether it was refused.
    mutating func note(_ allowance: RateAllowance, isSpent: Bool, now: Duration) {
        let end = now + allowance.resetsIn
        windows = windows.filter { $0.value.until > now }
        let known = windows[allowance.rule].flatMap { end < $0.until + Self.tolerance ? $0 : nil }
        guard known != nil || windows.count < Self.maxRules else { return }
        var left = (known?.left ?? allowance.limit) - 1
        if let remaining = allowance.remaining { left = min(left, remaining) }
        windows[allowance.rule] = Window(
            left: isSpent ? 0 : max(0, left), limit: allowance.limit, until: min(known?.until ?? end, end))
    }

    /// How long until more requests are allowed.
    ///
    /// - Parameter part: the part of each limit that is to be left.
    func wait(now: Duration, sparing part: Double = 0) -> Duration {
        windows.values.reduce(.zero) {
            Double($1.left) <= Double($1.limit) * part ? max($0, $1.until - now) : $0
        }
    }
}
