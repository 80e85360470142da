/// Dates as HTTP writes them (RFC 9110 §5.6.7), in seconds since 1970.
enum HTTPDate {
    private static let months = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"]

    /// Reads any of the three forms: `Sun, 06 Nov 1994 08:49:37 GMT`, `Sunday, 06-Nov-94 08:49:37 GMT`,
    /// `Sun Nov  6 08:49:37 1994`.
    ///
    /// - Parameter now: tells the century of a year of two digits: one over 50 years ahead is in the past.
    static func seconds(_ text: String, now: Int) -> Int? {
        let parts = text.split { $0 == " " || $0 == "-" }.map(String.init)
        let isOldest = parts.count == 5 && !text.contains(",")
        guard isOldest || (parts.count == 6 && parts[0].hasSuffix(",") && parts[5] == "GMT") else { return nil }
        let (day, month, year, time) =
            isOldest ? (parts[2], parts[1], parts[4], parts[3]) : (parts[1], parts[2], parts[3], parts[4])
        guard let day = decimalNumber(day), 1...31 ~= day, let month = months.firstIndex(of: month),
            var fullYear = decimalNumber(year), year.count == 4 || (year.count == 2 && !isOldest),
            let seconds = secondsOfDay(time)
        else { return nil }
        if year.count == 2 {
            let present = civilYear(ofDay: now / 86_400)
            fullYear += present / 100 * 100
            if fullYear > present + 50 { fullYear -= 100 }
        }
        return daysSince1970(year: fullYear, month: month + 1, day: day) * 86_400 + seconds
    }

    private static func secondsOfDay(_ text: String) -> Int? {
        let parts = text.split(separator: ":", omittingEmptySubsequences: false)
        guard parts.count == 3, parts.allSatisfy({ $0.count == 2 }) else { return nil }
        let numbers = parts.compactMap { decimalNumber($0) }
        guard numbers.count == 3, numbers[0] < 24, numbers[1] < 60, numbers[2] <= 60 else { return nil }
        return numbers[0] * 3600 + numbers[1] * 60 + numbers[2]
    }

    /// Years are counted from March, so that the leap day is the last of its year.
    private static func daysSince1970(year: Int, month: Int, day: Int) -> Int {
        let year = month > 2 ? year : year - 1
        let leapDays = year / 4 - year / 100 + year / 400
        let dayOfYear = (153 * ((month + 9) % 12) + 2) / 5 + day - 1
        return year * 365 + leapDays + dayOfYear - 719_468
    }

    private static func civilYear(ofDay day: Int) -> Int {
        var year = 1970 + day / 366
        while daysSince1970(year: year + 1, month: 1, day: 1) <= day { year += 1 }
        return year
    }
}
