/// The dates of the Table API: `yyyy-MM-dd HH:mm:ss` in UTC, without a zone, as seconds since 1970 and back.
enum DateText {
    /// Appends the text of a moment.
    static func append(_ seconds: Int64, to bytes: inout [UInt8]) {
        let (days, rest) = floored(seconds, by: 86400)
        let (year, month, day) = date(ofDay: days)
        appendDigits(year, 4, to: &bytes)
        bytes.append(0x2D)
        appendDigits(month, 2, to: &bytes)
        bytes.append(0x2D)
        appendDigits(day, 2, to: &bytes)
        bytes.append(0x20)
        appendDigits(rest / 3600, 2, to: &bytes)
        bytes.append(0x3A)
        appendDigits(rest / 60 % 60, 2, to: &bytes)
        bytes.append(0x3A)
        appendDigits(rest % 60, 2, to: &bytes)
    }

    /// The text of a moment.
    static func text(_ seconds: Int64) -> String {
        var bytes: [UInt8] = []
        append(seconds, to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Reads a text of that form, or a date alone, which means its midnight. `nil` for anything else, days that no
    /// calendar has included.
    static func seconds(_ text: String) -> Int64? {
        let parts = text.split(separator: " ", omittingEmptySubsequences: false)
        guard parts.count <= 2, let day = numbers(parts[0], separator: "-", widths: [4, 2, 2]) else { return nil }
        let days = daysSince1970(year: day[0], month: day[1], day: day[2])
        guard date(ofDay: days) == (day[0], day[1], day[2]) else { return nil }
        guard parts.count == 2 else { return days * 86400 }
        guard let time = numbers(parts[1], separator: ":", widths: [2, 2, 2]), time[0] < 24, time[1] < 60, time[2] < 60
        else { return nil }
        return days * 86400 + time[0] * 3600 + time[1] * 60 + time[2]
    }

    /// The number of days from 1 January 1970 to a date of the Gregorian calendar.
    static func daysSince1970(year: Int64, month: Int64, day: Int64) -> Int64 {
        // Years begin in March here, so that the leap day is the last of its year; an era is 400 years.
        let year = month <= 2 ? year - 1 : year
        let (era, yearOfEra) = floored(year, by: 400)
        let dayOfYear = (153 * (month > 2 ? month - 3 : month + 9) + 2) / 5 + day - 1
        return era * 146_097 + yearOfEra * 365 + yearOfEra / 4 - yearOfEra / 100 + dayOfYear - 719_468
    }

    /// The date of the Gregorian calendar that many days after 1 January 1970.
    static func date(ofDay days: Int64) -> (year: Int64, month: Int64, day: Int64) {
        let (era, dayOfEra) = floored(days + 719_468, by: 146_097)
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shifted = (5 * dayOfYear + 2) / 153
        let month = shifted < 10 ? shifted + 3 : shifted - 9
        return (yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shifted + 2) / 5 + 1)
    }

    private static func floored(_ value: Int64, by divisor: Int64) -> (quotient: Int64, remainder: Int64) {
        let (quotient, remainder) = value.quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }

    private static func appendDigits(_ value: Int64, _ width: Int, to bytes: inout [UInt8]) {
        var divisor: Int64 = 1
        for _ in 1..<width { divisor *= 10 }
        while divisor > 0 {
            bytes.append(0x30 + UInt8(truncatingIfNeeded: value / divisor % 10))
            divisor /= 10
        }
    }

    private static func numbers(_ text: Substring, separator: Character, widths: [Int]) -> [Int64]? {
        let parts = text.split(separator: separator, omittingEmptySubsequences: false)
        guard parts.map(\.utf8.count) == widths else { return nil }
        let numbers = parts.compactMap { part in
            part.utf8.allSatisfy { (0x30...0x39).contains($0) } ? Int64(part) : nil
        }
        return numbers.count == widths.count ? numbers : nil
    }
}
