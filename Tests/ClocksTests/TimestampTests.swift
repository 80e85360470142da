import Testing

@testable import Clocks

struct TimestampTests {
    @Test(
        "A moment is written as RFC 3339 in UTC with milliseconds",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"),
            (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (1_709_164_800_007, "2024-02-29T00:00:00.007Z"),
            (1_767_225_599_050, "2025-12-31T23:59:59.050Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (4_107_456_000_000, "2100-02-28T00:00:00.000Z"),
            (-62_135_596_800_000, "0001-01-01T00:00:00.000Z"),
            (253_402_300_799_999, "9999-12-31T23:59:59.999Z"),
        ])
    func written(milliseconds: Int, expected: String) {
        #expect(text(milliseconds) == expected)
    }

    @Test("Every day of four centuries follows the day before it")
    func calendar() {
        var day = (year: 1900, month: 1, day: 1)
        for number in -25_567..<(146_097 - 25_567) {
            let date = text(number * 86_400_000).prefix(10)
            guard date == "\(day.year)-\(two(day.month))-\(two(day.day))" else {
                Issue.record("day \(number) is written as \(date)")
                return
            }
            let isLeap = day.year % 4 == 0 && (day.year % 100 != 0 || day.year % 400 == 0)
            let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
            day.day += 1
            if day.day > lengths[day.month - 1] { day = (day.year, day.month + 1, 1) }
            if day.month > 12 { day = (day.year + 1, 1, 1) }
        }
    }

    private func text(_ milliseconds: Int) -> String {
        var bytes: [UInt8] = []
        Timestamp(milliseconds: milliseconds).write(to: &bytes)
        return String(decoding: bytes, as: UTF8.self)
    }

    private func two(_ value: Int) -> String {
        value < 10 ? "0\(value)" : "\(value)"
    }
}
