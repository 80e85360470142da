import Foundation

/// Dates of queries by Foundation's calendar, as texts of the Table API: they compare as they follow each other.
struct PlainCalendar {
    let present: Date
    private let calendar: Calendar

    init(present: Date) {
        self.present = present
        var calendar = Calendar(identifier: .iso8601)
        calendar.timeZone = TimeZone(secondsFromGMT: 0) ?? .gmt
        self.calendar = calendar
    }

    /// The text of a moment.
    func text(_ date: Date) -> String {
        let parts = calendar.dateComponents([.year, .month, .day, .hour, .minute, .second], from: date)
        return String(
            format: "%04d-%02d-%02d %02d:%02d:%02d", parts.year ?? 0, parts.month ?? 0, parts.day ?? 0, parts.hour ?? 0,
            parts.minute ?? 0, parts.second ?? 0)
    }

    /// The moment of a text; `nil` for one that is none.
    func date(_ text: String) -> Date? {
        let isWhole = text.utf8.count == 19
        let numbers = text.split { !$0.isNumber }.map { Int($0) ?? -1 }
        guard isWhole || text.utf8.count == 10, numbers.count == (isWhole ? 6 : 3) else { return nil }
        var parts = DateComponents()
        (parts.year, parts.month, parts.day) = (numbers[0], numbers[1], numbers[2])
        if isWhole { (parts.hour, parts.minute, parts.second) = (numbers[3], numbers[4], numbers[5]) }
        guard let date = calendar.date(from: parts) else { return nil }
        let normal = self.text(date)
        return normal == text || normal == text + " 00:00:00" ? date : nil
    }

    /// The moment of an operand: a text or a script; `nil` for one that cannot be read.
    func moment(_ operand: String) -> Date? {
        guard operand.hasPrefix("javascript:gs.") else { return date(operand) }
        let script = operand.replacingOccurrences(of: "javascript:gs.", with: "")
        if let match = script.wholeMatch(of: /dateGenerate\('([^']*)','([^']*)'\)/) {
            let times = ["start": "00:00:00", "end": "23:59:59"]
            return date("\(match.1) \(times[String(match.2)] ?? String(match.2))")
        }
        if let match = script.wholeMatch(of: /(minute|hour|day|month|quarter|year)sAgo(Start|End|)\((-?\d+)\)/),
            let count = Int(match.3)
        {
            let unit = String(match.1)
            if match.2.isEmpty { return shifted(present, unit, -count) }
            let start = shifted(start(present, unit), unit, -count)
            return match.2 == "Start" ? start : end(start, unit)
        }
        if let match = script.wholeMatch(of: /(beginning|end)Of(Last|This|Next)(Week|Month|Quarter|Year)\(\)/) {
            let unit = match.3.lowercased()
            let distance = ["Last": -1, "This": 0, "Next": 1][String(match.2)] ?? 0
            let start = shifted(start(present, unit), unit, distance)
            return match.1 == "beginning" ? start : end(start, unit)
        }
        if let match = script.wholeMatch(of: /(beginning|end)Of(Yesterday|Today|Tomorrow)\(\)/) {
            let distance = ["Yesterday": -1, "Today": 0, "Tomorrow": 1][String(match.2)] ?? 0
            let start = shifted(start(present, "day"), "day", distance)
            return match.1 == "beginning" ? start : end(start, "day")
        }
        switch script {
        case "nowDateTime()": return present
        case "now()": return start(present, "day")
        default: return nil
        }
    }

    /// The same time that many units later.
    func shifted(_ date: Date, _ unit: String, _ count: Int) -> Date {
        let (component, factor): (Calendar.Component, Int) =
            switch unit {
            case "minute": (.minute, 1)
            case "hour": (.hour, 1)
            case "day", "dayofweek": (.day, 1)
            case "week": (.day, 7)
            case "month": (.month, 1)
            case "quarter": (.month, 3)
            default: (.year, 1)
            }
        return calendar.date(byAdding: component, value: count * factor, to: date) ?? date
    }

    /// The first moment of the unit around a moment.
    func start(_ date: Date, _ unit: String) -> Date {
        if unit == "week" { return calendar.dateInterval(of: .weekOfYear, for: date)?.start ?? date }
        let text = text(date)
        let month = Int(text.dropFirst(5).prefix(2)) ?? 1
        let start: String =
            switch unit {
            case "minute": text.prefix(16) + ":00"
            case "hour": text.prefix(13) + ":00:00"
            case "day", "dayofweek": text.prefix(10) + " 00:00:00"
            case "month": text.prefix(7) + "-01 00:00:00"
            case "quarter": text.prefix(5) + ["01", "04", "07", "10"][(month - 1) / 3] + "-01 00:00:00"
            default: text.prefix(4) + "-01-01 00:00:00"
            }
        return self.date(start) ?? date
    }

    /// The last second of the unit that begins at a moment.
    func end(_ start: Date, _ unit: String) -> Date {
        shifted(start, unit, 1).addingTimeInterval(-1)
    }

    /// A part of a date as a number.
    func part(_ part: String, of text: String) -> Int? {
        guard let date = date(text) else { return nil }
        switch part {
        case "dayofweek": return (calendar.component(.weekday, from: date) + 5) % 7 + 1
        case "hour": return calendar.component(.hour, from: date)
        case "month": return calendar.component(.month, from: date)
        case "quarter": return (calendar.component(.month, from: date) + 2) / 3
        case "year": return calendar.component(.year, from: date)
        default: return nil
        }
    }
}
