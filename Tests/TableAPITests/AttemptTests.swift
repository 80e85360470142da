import HTTPModel
import Pagination
import Testing

@testable import TableAPI

struct AttemptTests {
    @Test(
        "What an attempt without an answer shows of the instance, and what could help",
        arguments: [
            (.connectionFailed("d"), .failed, .again(after: nil)), (.tlsFailed("d"), .failed, .again(after: nil)),
            (.noResponse("d"), .failed, .again(after: nil)), (.timedOut(receivedBytes: false), .failed, .smaller),
            (.timedOut(receivedBytes: true), .answered, .smaller),
            (.bodyIncomplete("d", status: 200), .answered, .smallerOrAgain),
            (.bodyIncomplete("d", status: 500), .answered, .smallerOrAgain),
            (.bodyIncomplete("d", status: 202), .answered, .again(after: nil)),
            (.bodyIncomplete("d", status: 404), .answered, .again(after: nil)),
            (.bodyIncomplete("d", status: 429), .limited(nil), .again(after: nil)),
            (.bodyIncomplete("d", status: 502), .failed, .again(after: nil)),
            (.bodyTooLarge(limit: 1), .answered, .none),
            (.invalidRequest("d"), .unknown, .none), (.cancelled, .unknown, .none),
        ] as [(TransportError, RequestOutcome, Attempt.Remedy)])
    func transport(error: TransportError, outcome: RequestOutcome, remedy: Attempt.Remedy) {
        let attempt = Attempt(error)
        #expect(attempt.report == RequestReport(outcome))
        #expect(attempt.remedy == remedy)
        #expect(attempt.result == .failure(PageSourceError(error)))
    }

    @Test(
        "Credentials that cannot be had for now are asked for again; those that are refused are not (D11)",
        arguments: [
            (.rateLimited(.init(status: 429), retryAfter: 2), .limited(.seconds(2)), .again(after: 2)),
            (.unavailable(.init(status: 503), retryAfter: nil), .failed, .again(after: nil)),
            (.failed(.init(status: 502), reason: "r"), .failed, .again(after: nil)),
            (.failed(.init(status: 500), reason: "r"), .failed, .none),
            (.failed(nil, reason: "r"), .failed, .again(after: nil)), (.timedOut(nil), .failed, .again(after: nil)),
            (.incomplete(.init(status: 200), reason: "r"), .answered, .again(after: nil)),
            (.failed(.init(status: 200), reason: "r"), .answered, .none),
            (.unauthenticated(.init(status: 401)), .answered, .none), (.stopping, .unknown, .none),
        ] as [(PageSourceError, RequestOutcome, Attempt.Remedy)])
    func credentials(error: PageSourceError, outcome: RequestOutcome, remedy: Attempt.Remedy) {
        let asked = Attempt(withoutCredentials: .asked(error))
        #expect(asked.report == RequestReport(outcome))
        #expect(asked.remedy == remedy)
        // Whoever only waited for them has learnt nothing of the instance itself.
        let shared = Attempt(withoutCredentials: .shared(error))
        #expect(shared.report == RequestReport(.unknown))
        #expect(shared.remedy == remedy)
        // And what is not there will not be there the next time.
        let absent = Attempt(withoutCredentials: .absent(error))
        #expect(absent.report == RequestReport(.unknown))
        #expect(absent.remedy == .none)
        for attempt in [asked, shared, absent] { #expect(attempt.result == .failure(error)) }
    }

    @Test(
        "What a status shows of the instance",
        arguments: [
            (200, .answered), (202, .answered), (302, .answered), (400, .answered), (401, .answered),
            (403, .answered), (404, .answered), (414, .answered), (429, .limited(nil)), (500, .failed),
            (501, .failed), (502, .failed), (503, .failed), (504, .failed), (599, .failed),
        ] as [(Int, RequestOutcome)])
    func statuses(status: Int, outcome: RequestOutcome) {
        let attempt = Attempt(IncomingResponse(status: status), countOnly: false) { 0 }
        #expect(attempt.report == RequestReport(outcome))
    }

    @Test("A transaction that the instance cancelled is the query's failure, not the instance's (D8)")
    func cancelledTransaction() {
        let body = #"{"error":{"message":"Transaction cancelled: maximum execution time exceeded"},"status":"failure"}"#
        let attempt = Attempt(.json(body, status: 500), countOnly: false) { 0 }
        #expect(attempt.report == RequestReport(.answered))
        #expect(attempt.remedy == .smallerOrAgain)
    }

    @Test("The instance's own limit is read from its fields, relative to its own clock")
    func allowance() {
        let headers: HeaderFields = [
            "x-ratelimit-limit": "100", "X-RateLimit-Reset": "784112377", "X-RateLimit-Rule": "r",
            "Date": "Sun, 06 Nov 1994 08:49:37 GMT",
        ]
        #expect(
            RateAllowance(headers) { 5 } == RateAllowance(limit: 100, resetsIn: .seconds(600), rule: "r"))
        var withRemaining = headers
        withRemaining.append("X-RateLimit-Remaining", "7")
        #expect(RateAllowance(withRemaining) { 5 }?.remaining == 7)
    }

    @Test(
        "The wait that a refusal asks for holds against a later reset of the count",
        arguments: [("1", 1), ("0", 0), ("600", 600), ("601", 600), (nil, 600), ("soon", 600)] as [(String?, Int)])
    func refusal(retryAfter: String?, seconds: Int) {
        var headers: HeaderFields = ["X-RateLimit-Limit": "100", "X-RateLimit-Reset": "600"]
        if let retryAfter { headers.append("Retry-After", retryAfter) }
        let attempt = Attempt(IncomingResponse(status: 429, headers: headers, body: []), countOnly: false) { 0 }
        #expect(attempt.report.allowance?.resetsIn == .seconds(seconds))
    }

    @Test(
        "Fields that make no sense hold nobody back",
        arguments: [
            ("100", nil), (nil, "600"), ("0", "600"), ("-1", "600"), ("x", "600"), ("100", "x"), ("100", "0"),
            ("100", "-5"), ("100", "3661"), ("100", "9223372036854775807"), ("100", "99999999999999999999"),
        ] as [(String?, String?)])
    func nonsense(limit: String?, reset: String?) {
        var headers: HeaderFields = [:]
        if let limit { headers.append("X-RateLimit-Limit", limit) }
        if let reset { headers.append("X-RateLimit-Reset", reset) }
        #expect(RateAllowance(headers) { 0 } == nil)
    }
}
