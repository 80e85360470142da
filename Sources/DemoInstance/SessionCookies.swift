internal import Clocks
internal import HTTPModel

/// The cookies of an instance, and the other fields that all its answers have.
enum SessionCookies {
    /// The session that a request belongs to.
    static func session(of headers: HeaderFields) -> String? {
        for line in headers.values(of: "Cookie") {
            for pair in line.split(separator: ";") {
                let parts = pair.split(separator: "=", maxSplits: 1)
                if parts.count == 2, parts[0].trimmingSpaces == "JSESSIONID" { return parts[1].trimmingSpaces }
            }
        }
        return nil
    }

    /// Adds the fields to an answer. A new session's identifier belongs to the request's number.
    static func add(to response: inout Response, session: String?, request: UInt64, now: Timestamp) {
        if session == nil {
            let id = SysID(table: 0x7365_7373, row: Int(truncatingIfNeeded: request)).text
            response.headers.append("Set-Cookie", "JSESSIONID=\(id.uppercased()); Path=/; HttpOnly")
            for name in ["glide_user", "glide_user_session"] {
                response.headers.append(
                    "Set-Cookie", "\(name)=; Max-Age=0; Expires=Thu, 01-Jan-1970 00:00:10 GMT; Path=/; HttpOnly")
            }
            response.headers.append("Set-Cookie", cookie("glide_user_route", "glide.\(id)", now, Int64(Int32.max)))
            response.headers.append("Set-Cookie", "glide_node_id_for_js=\(id); Path=/")
        }
        let stored = SysID(table: 0x73_746F_7265, row: 1).text
        response.headers.append("Set-Cookie", cookie("glide_session_store", stored.uppercased(), now, 1800))
        response.headers["X-Is-Logged-In"] = response.status == 401 ? "false" : "true"
        response.headers["X-Transaction-ID"] =
            String(SysID(table: 0x7472_616E, row: Int(truncatingIfNeeded: request)).text.prefix(12))
    }

    private static func cookie(_ name: String, _ value: String, _ now: Timestamp, _ lifetime: Int64) -> String {
        let end = date(Int64(now.milliseconds / 1000) + lifetime)
        return "\(name)=\(value); Max-Age=\(lifetime); Expires=\(end); Path=/; HttpOnly"
    }

    /// A moment as instances write it in cookies: `Sat, 18-Dec-2094 10:01:02 GMT`.
    private static func date(_ seconds: Int64) -> String {
        let days = seconds.flooredQuotient(by: 86400)
        let (year, month, day) = DateText.date(ofDay: days)
        let weekday = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"][Int(days % 7 + 7) % 7]
        let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]
        let text = DateText.text(seconds)
        return "\(weekday), \(day < 10 ? "0" : "")\(day)-\(months[Int(month) - 1])-\(year) \(text.suffix(8)) GMT"
    }
}
