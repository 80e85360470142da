import Testing

@testable import DemoInstance

@Suite("Dates of the Table API")
struct DateTextTests {
    @Test(
        "are written in UTC and read back",
        arguments: [
            (0, "1970-01-01 00:00:00"), (-1, "1969-12-31 23:59:59"), (951_782_400, "2000-02-29 00:00:00"),
            (1_704_067_199, "2023-12-31 23:59:59"), (1_709_251_199, "2024-02-29 23:59:59"),
            (4_107_542_400, "2100-03-01 00:00:00"), (-2_203_891_200, "1900-03-01 00:00:00"),
        ])
    func roundTrip(seconds: Int64, text: String) {
        #expect(DateText.text(seconds) == text)
        #expect(DateText.seconds(text) == seconds)
    }

    @Test("take a date alone as its midnight")
    func dateAlone() {
        #expect(DateText.seconds("2024-02-29") == 1_709_164_800)
    }

    @Test(
        "are refused where no calendar has them",
        arguments: [
            "", "2023-02-29", "2024-13-01", "2024-00-10", "2024-01-32", "2024-1-1", "2024-01-01 24:00:00",
            "2024-01-01 00:60:00", "2024-01-01T00:00:00", "2024-01-01 00:00:00 ", "+024-01-01", "２024-01-01",
        ])
    func refused(text: String) {
        #expect(DateText.seconds(text) == nil)
    }
}
