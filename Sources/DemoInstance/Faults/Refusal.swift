internal import Clocks
internal import HTTPModel

extension Fault.Kind {
    /// The answer that a fault gives in place of the instance's; `nil` for one that changes the instance's own.
    func refusal(now: Timestamp) -> Response? {
        switch self {
        case .rateLimit(let limit, let retryAfter):
            var response = limit == .quota ? quotaExceeded(now: now) : plain(429, "Rejecting request")
            response.headers["Retry-After"] = retryAfter.text(now: now)
            return response
        case .status(let status, let retryAfter):
            var response = proxyPage(status)
            response.headers["Retry-After"] = retryAfter.text(now: now)
            return response
        case .hibernate:
            return page(
                title: "Instance Hibernating page",
                body: "<p>Your instance is hibernating. Sign in to the developer site to wake it.</p>")
        case .drop:
            return .noAnswer
        case .empty(let status):
            return Response(status: status)
        case .login(.page):
            return page(title: "Log in", body: #"<form action="/login.do" method="post"></form>"#)
        case .login(.redirect):
            return Response(status: 302, headers: ["Location": "/login.do"])
        case .unauthorized:
            return InstanceError.notAuthenticated.response
        case .truncate, .appendError, .hide, .latency, .shrink, .grow, .noCount, .links, .badRow:
            return nil
        }
    }
}

/// Ends a body before its time.
struct CutShort: Error {}

/// A request limit by the hour that is used up (ServiceNow, "Inbound REST API rate limiting").
private func quotaExceeded(now: Timestamp) -> Response {
    var headers = InstanceError.jsonHeaders
    headers.append("X-RateLimit-Limit", "100")
    headers.append("X-RateLimit-Reset", String((now.milliseconds / 3_600_000 + 1) * 3600))
    headers.append("X-RateLimit-Rule", "3f1b5c0ac3a40110d4ddfeb1d0013145")
    let body =
        #"{"error":{"message":"Rate limit exceeded","detail":"Rate limit of 100 requests per hour for Table API "#
        + #"exceeded"},"status":"failure"}"#
    return Response(status: 429, headers: headers, body: .bytes(Array(body.utf8)))
}

private func plain(_ status: Int, _ text: String) -> Response {
    Response(status: status, headers: ["Content-Type": "text/plain"], body: .bytes(Array(text.utf8)))
}

private func page(title: String, body: String) -> Response {
    let text = "<!DOCTYPE html>\n<html><head><title>\(title)</title></head><body>\(body)</body></html>\n"
    return Response(status: 200, headers: ["Content-Type": "text/html;charset=UTF-8"], body: .bytes(Array(text.utf8)))
}

/// The page that nginx sends for an error of its own.
private func proxyPage(_ status: Int) -> Response {
    let reasons = [
        400: "Bad Request", 401: "Authorization Required", 403: "Forbidden", 404: "Not Found", 405: "Not Allowed",
        408: "Request Time-out", 413: "Request Entity Too Large", 414: "Request-URI Too Large",
        429: "Too Many Requests", 500: "Internal Server Error", 501: "Not Implemented", 502: "Bad Gateway",
        503: "Service Temporarily Unavailable", 504: "Gateway Time-out",
    ]
    let title = reasons[status].map { "\(status) \($0)" } ?? String(status)
    let lines = [
        "<html>", "<head><title>\(title)</title></head>", "<body>", "<center><h1>\(title)</h1></center>",
        "<hr><center>nginx</center>", "</body>", "</html>", "",
    ]
    return Response(
        status: status, headers: ["Content-Type": "text/html"],
        body: .bytes(Array(lines.joined(separator: "\r\n").utf8)))
}

extension Fault.RetryAfter {
    /// The field's value.
    fileprivate func text(now: Timestamp) -> String? {
        switch self {
        case .absent: nil
        case .seconds(let seconds): String(seconds)
        case .date(let seconds): Self.date(now.adding(seconds: seconds).milliseconds / 1000)
        }
    }

    /// A date as HTTP writes it (RFC 9110 §5.6.7); 1 January 1970 was a Thursday.
    private static func date(_ seconds: Int) -> String {
        let days = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = DateText.text(Int64(seconds))
        let (_, month, day) = DateText.date(ofDay: Int64(seconds / 86400))
        let date = "\(day < 10 ? "0" : "")\(day) \(months[Int(month) - 1]) \(text.prefix(4))"
        return "\(days[seconds / 86400 % 7]), \(date) \(text.suffix(8)) GMT"
    }
}
