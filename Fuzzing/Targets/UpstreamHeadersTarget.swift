import Foundation
import HTTPModel

@testable import TableAPI

/// Header fields of an instance's answer, one on each line.
enum UpstreamHeadersTarget {
    private static let now = 1_796_007_600
    private static let host = "dev1.service-now.com"
    private static let target = "/api/now/table/incident?sysparm_limit=1"

    static func check(_ bytes: [UInt8]) throws(BrokenProperty) {
        let headers = HeaderFields(fields(of: lines(of: bytes)).map { HeaderFields.Field($0.name, $0.value) })
        try require(headers.nextOffset.map { $0 >= 0 } ?? true, "an offset is none below 0")
        if let offset = headers.nextOffset {
            let links = headers.values(of: "Link").joined()
            try require(
                links.contains("sysparm_offset=") && links.contains("<"), "a next offset is named: \(offset)")
        }
        try require(headers.totalCount.map { $0 >= 0 } ?? true, "a count is none below 0")
        try require(headers.retryAfter { now }.map { $0 >= 0 } ?? true, "nobody waits for the past")
        if let allowance = RateAllowance(headers, now: { now }) {
            try require(
                allowance.limit > 0 && allowance.remaining ?? 0 >= 0
                    && Duration.seconds(1)...(.seconds(3660)) ~= allowance.resetsIn, "an allowance is plausible")
        }
        for field in headers.fields { try checkDate(field.value) }
        try checkCookies(headers)
    }

    // MARK: Dates

    /// A date is the one that C reads, and is read again as it was.
    private static func checkDate(_ text: String) throws(BrokenProperty) {
        for moment in [now, 0, 4_000_000_000] {
            guard let seconds = HTTPDate.seconds(text, now: moment) else { continue }
            var parts = tm()
            var time = time_t(seconds)
            gmtime_r(&time, &parts)
            try require(parts.tm_year >= -1901 && parts.tm_year <= 8100, "a year has four digits: \(parts.tm_year)")
            var buffer = [CChar](repeating: 0, count: 64)
            strftime(&buffer, buffer.count, "%a, %d %b ", &parts)
            let day = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            strftime(&buffer, buffer.count, " %H:%M:%S GMT", &parts)
            let rest = String(decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
            let year = String(parts.tm_year + 1900)
            guard 0...9999 ~= parts.tm_year + 1900 else { continue }
            let written = day + String(repeating: "0", count: 4 - year.count) + year + rest
            try require(
                HTTPDate.seconds(written, now: moment) == seconds, "\(shown(text)) survives being written: \(written)")
            // The 31st of February is a day in March, and a leap second one of the next minute.
            let behindDay = text.split(separator: ",", maxSplits: 1).last ?? ""
            let dayOfMonth = behindDay.dropFirst().prefix(2)
            let isPlain =
                text.contains(",") && behindDay.utf8.count == 25 && "01"..."28" ~= dayOfMonth && !text.contains("-")
                && !text.contains(":60")
                && behindDay.split(separator: " ").count == 5
            try require(!isPlain || written.dropFirst(4) == behindDay, "\(shown(text)) is \(written)")
        }
    }

    // MARK: Cookies

    private static func checkCookies(_ headers: HeaderFields) throws(BrokenProperty) {
        var jar = CookieJar()
        jar.take(headers, target: target, host: host, now: now)
        for path in [target, "/", "/api/now", "/api/nowhere"] {
            guard let header = jar.header(target: path, now: now) else { continue }
            try require(
                header.utf8.allSatisfy { 0x20..<0x7F ~= $0 } && !header.isEmpty,
                "a header is one line: \(shown(header))")
            try require(header.utf8.count <= 4096 + 32 * 3, "cookies stay within their bounds")
            for cookie in header.split(separator: "; ", omittingEmptySubsequences: false) {
                try require(cookie.utf8.first != 0x3D && cookie.contains("="), "a cookie has a name: \(shown(header))")
            }
        }
        // None outlives a century, but for those of the session.
        let centuries = now + 300 * 366 * 86_400
        let values = headers.values(of: "Set-Cookie")
        if values.allSatisfy({ $0.lowercased().contains("max-age") && !$0.lowercased().contains("expires") }) {
            for value in values {
                guard let cookie = SetCookie(value, now: now), let expiry = cookie.expiry else { continue }
                try require(expiry < centuries, "a cookie ends")
            }
        }
        for value in values {
            guard let cookie = SetCookie(value, now: now) else { continue }
            try require(!cookie.name.isEmpty && !cookie.name.contains("=") && !cookie.name.contains(";"), "a name")
            try require(!cookie.value.contains(";"), "a value ends at its semicolon")
            var jar = CookieJar()
            jar.take(["Set-Cookie": value], target: target, host: host, now: now)
            let isForeign = cookie.domain.map { host != $0 && !host.hasSuffix("." + $0) } ?? false
            if isForeign { try require(jar.isEmpty, "no cookie for \(cookie.domain ?? "")") }
            let isGone = cookie.expiry.map { $0 <= now } ?? false
            if isGone { try require(jar.isEmpty, "no cookie that is gone") }
            // A header says the same when it is read again.
            var again = CookieJar()
            let path = (cookie.path ?? "/") + (cookie.path?.hasSuffix("/") ?? true ? "" : "/")
            if let header = jar.header(target: path, now: now) {
                again.take(["Set-Cookie": header], target: "/", host: host, now: now)
                try require(again.header(target: "/", now: now) == header, "a cookie goes back as it came")
            }
        }
    }
}
