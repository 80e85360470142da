import Testing

@testable import DemoInstance

@Suite("Scripts in queries")
struct DateScriptTests {
    /// 2024-05-31 13:45:30, a Friday.
    private let script = DateScript(present: 1_717_163_130)

    @Test(
        "give the moments that they stand for",
        arguments: [
            ("gs.now()", "2024-05-31 00:00:00"), ("gs.nowDateTime()", "2024-05-31 13:45:30"),
            ("gs.yesterday()", "2024-05-30 13:45:30"), ("gs.daysAgo(1)", "2024-05-30 13:45:30"),
            ("gs.daysAgoStart(0)", "2024-05-31 00:00:00"), ("gs.daysAgoEnd(0)", "2024-05-31 23:59:59"),
            ("gs.daysAgoStart(-1);", "2024-06-01 00:00:00"), ("gs.hoursAgo(14)", "2024-05-30 23:45:30"),
            ("gs.hoursAgoStart(1)", "2024-05-31 12:00:00"), ("gs.minutesAgoEnd(1)", "2024-05-31 13:44:59"),
            ("gs.monthsAgo(3)", "2024-02-29 13:45:30"), ("gs.monthsAgoStart(1)", "2024-04-01 00:00:00"),
            ("gs.monthsAgoEnd(3)", "2024-02-29 23:59:59"), ("gs.quartersAgoStart(1)", "2024-01-01 00:00:00"),
            ("gs.yearsAgo(1)", "2023-05-31 13:45:30"), ("gs.yearsAgoEnd(1)", "2023-12-31 23:59:59"),
            ("gs.beginningOfToday()", "2024-05-31 00:00:00"), ("gs.endOfYesterday()", "2024-05-30 23:59:59"),
            ("gs.beginningOfThisWeek()", "2024-05-27 00:00:00"), ("gs.endOfLastWeek()", "2024-05-26 23:59:59"),
            ("gs.beginningOfNextMonth()", "2024-06-01 00:00:00"), ("gs.endOfThisQuarter()", "2024-06-30 23:59:59"),
            ("gs.beginningOfLastYear()", "2023-01-01 00:00:00"),
            ("gs.dateGenerate('2024-02-29','12:00:00')", "2024-02-29 12:00:00"),
            ("gs.dateGenerate('2024-02-29', 'end')", "2024-02-29 23:59:59"),
        ])
    func moments(text: String, expected: String) throws {
        #expect(DateText.text(try #require(script.moment("javascript:" + text))) == expected)
    }

    @Test(
        "are not run where they are anything else",
        arguments: [
            "", "gs", "gs.", "gs.now", "gs.getUserID()", "gs.daysAgoStart()", "gs.daysAgoStart(1,2)",
            "gs.daysAgoStart(x)", "gs.daysAgoStart(100001)", "gs.daysAgoStart(9223372036854775807)",
            "gs.daysAgoStart(-9223372036854775808)", "gs.daysAgoStart(gs.now())", "gs.secondsAgo(1)",
            "gs.beginningOfThisDay()", "gs.beginningOf()", "gs.dateGenerate('2023-02-29','start')", "alert(1)",
            "gs.now();gs.now()", "gs.'now'()", "gs.Ago(1)",
        ])
    func refused(text: String) {
        #expect(script.moment("javascript:" + text) == nil)
    }

    @Test("shift across months and years to the last day that there is")
    func shifts() throws {
        for (start, unit, count, expected) in [
            ("2024-03-31 10:00:00", CalendarUnit.month, -1, "2024-02-29 10:00:00"),
            ("2024-12-31 10:00:00", .month, 2, "2025-02-28 10:00:00"),
            ("2024-02-29 00:00:00", .year, 1, "2025-02-28 00:00:00"),
            ("2024-01-31 00:00:00", .quarter, -1, "2023-10-31 00:00:00"),
            ("1969-12-31 23:59:59", .day, 1, "1970-01-01 23:59:59"),
            ("1970-01-01 00:00:00", .week, -1, "1969-12-25 00:00:00"),
        ] as [(String, CalendarUnit, Int64, String)] {
            let moment = try #require(DateText.seconds(start))
            #expect(DateText.text(unit.shifted(moment, by: count)) == expected)
        }
    }
}
