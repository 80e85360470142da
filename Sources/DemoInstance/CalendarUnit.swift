/// A span of the calendar in UTC, as queries name it.
enum CalendarUnit: String, CaseIterable, Sendable {
    case minute, hour, day, week, month, quarter, year

    /// The unit of that name; `dayofweek` is how relative conditions call a day.
    init?(name: some StringProtocol) {
        self.init(rawValue: name == "dayofweek" ? "day" : String(name))
    }

    /// Its seconds, where every one has the same number.
    var seconds: Int64? {
        switch self {
        case .minute: 60
        case .hour: 3600
        case .day: 86400
        case .week: 604_800
        case .month, .quarter, .year: nil
        }
    }

    /// The first second of the unit that a moment lies in. Weeks begin on Monday.
    func start(of moment: Int64) -> Int64 {
        let days = moment.flooredQuotient(by: 86400)
        switch self {
        case .minute, .hour, .day:
            let length = seconds ?? 1
            return moment.flooredQuotient(by: length) * length
        case .week:
            // 1 January 1970 was a Thursday.
            return ((days + 3).flooredQuotient(by: 7) * 7 - 3) * 86400
        case .month, .quarter, .year:
            let date = DateText.date(ofDay: days)
            let month = self == .year ? 1 : self == .month ? date.month : (date.month - 1) / 3 * 3 + 1
            return DateText.daysSince1970(year: date.year, month: month, day: 1) * 86400
        }
    }

    /// The last second of the unit that a moment lies in.
    func end(of moment: Int64) -> Int64 {
        shifted(start(of: moment), by: 1) - 1
    }

    /// The moment that many units later, at the same time of day. Where a month has no such day it is its last.
    func shifted(_ moment: Int64, by count: Int64) -> Int64 {
        if let seconds { return moment + count * seconds }
        let months = count * (self == .month ? 1 : self == .quarter ? 3 : 12)
        let days = moment.flooredQuotient(by: 86400)
        let date = DateText.date(ofDay: days)
        let month = date.year * 12 + date.month - 1 + months
        let first = DateText.daysSince1970(
            year: month.flooredQuotient(by: 12), month: month - month.flooredQuotient(by: 12) * 12 + 1, day: 1)
        let next = DateText.daysSince1970(
            year: (month + 1).flooredQuotient(by: 12),
            month: (month + 1) - (month + 1).flooredQuotient(by: 12) * 12 + 1,
            day: 1)
        return (first + min(date.day, next - first) - 1) * 86400 + moment - days * 86400
    }
}

extension Int64 {
    /// The quotient rounded towards minus infinity.
    func flooredQuotient(by divisor: Int64) -> Int64 {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? quotient - 1 : quotient
    }
}
