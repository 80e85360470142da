internal import Clocks
internal import HTTPModel
internal import Locks

/// How many requests an account may make in one hour of the clock (ServiceNow, "Inbound REST API rate limiting").
final class RequestLimit: Sendable {
    private struct Window {
        var end = Timestamp(milliseconds: .min)
        var requests: [Account: Int] = [:]
    }

    private let limit: Int
    private let rule: String
    private let clock: ServiceClock
    private let window = Lock(Window())

    /// Makes a limit.
    init(perHour limit: Int, clock: ServiceClock) {
        self.limit = limit
        self.clock = clock
        rule = SysID(table: 0x7275_6C65, row: 1).text
    }

    /// Counts a request. Returns the header fields that tell about the limit, for every answer.
    /// - Throws: `.rateLimited` where the account has made too many.
    func admit(_ account: Account) throws(InstanceError) -> HeaderFields {
        let now = clock.now()
        let (count, end) = window.withLock { window in
            if window.end <= now {
                let hour = Int(Int64(now.milliseconds).flooredQuotient(by: 3_600_000))
                window = Window(end: Timestamp(milliseconds: (hour + 1) * 3_600_000))
            }
            window.requests[account, default: 0] += 1
            return (window.requests[account, default: 0], window.end)
        }
        let headers: HeaderFields = [
            "X-RateLimit-Limit": String(limit), "X-RateLimit-Reset": String(end.milliseconds / 1000),
            "X-RateLimit-Rule": rule,
        ]
        guard count <= limit else {
            throw .rateLimited(limit: limit, retryAfter: end.secondsLater(than: now), headers)
        }
        return headers
    }
}
