import Testing

@testable import paginatord

struct SettingTextTests {
    @Test(
        "Durations",
        arguments: [
            ("0", Duration.zero), ("15", .seconds(15)), ("1.5", .milliseconds(1500)), ("500ms", .milliseconds(500)),
            ("65s", .seconds(65)), ("15m", .seconds(900)), ("24h", .seconds(86_400)), ("0.5h", .seconds(1800)),
            ("", nil), ("s", nil), ("-1s", nil), ("+1s", nil), ("1 s", nil), ("1d", nil), ("1S", nil), (".5s", nil),
            ("5.s", nil), ("1e3s", nil), ("1.2.3s", nil), ("infinity", nil), ("nan", nil), ("٣s", nil),
            ("99999999999999999999h", nil),
        ])
    func durations(text: String, expected: Duration?) {
        #expect(DurationText.parse(text) == expected)
    }

    @Test("Seconds that cannot be a duration", arguments: [-1, .infinity, -.infinity, .nan, 1e300])
    func seconds(value: Double) {
        #expect(DurationText.seconds(value) == nil)
    }

    @Test(
        "Durations are written in the largest unit",
        arguments: [
            (Duration.zero, "0s"), (.milliseconds(1), "1ms"), (.milliseconds(1500), "1500ms"), (.seconds(65), "65s"),
            (.seconds(900), "15m"), (.seconds(86_400), "24h"),
        ])
    func writtenDurations(duration: Duration, expected: String) {
        #expect(DurationText.format(duration) == expected)
        #expect(DurationText.parse(expected) == duration)
    }

    @Test(
        "Sizes",
        arguments: [
            ("0", 0), ("100", 100), ("7B", 7), ("32KiB", 32_768), ("1MiB", 1_048_576), ("2GiB", 2_147_483_648),
            ("", nil), ("KiB", nil), ("-1", nil), ("1.5MiB", nil), ("1 MiB", nil), ("1MB", nil), ("1mib", nil),
            ("9223372036854775807", Int.max), ("9223372036854775808", nil), ("9223372036854775807KiB", nil), ("٣", nil),
        ])
    func sizes(text: String, expected: Int?) {
        #expect(SizeText.parse(text) == expected)
    }

    @Test(
        "Addresses",
        arguments: [
            ("127.0.0.1:8080", ["127.0.0.1:8080"]), ("[::1]:8080", ["[::1]:8080"]),
            (":8080", ["0.0.0.0:8080", "[::]:8080"]),
            ("localhost:0", ["localhost:0"]), ("unix:/run/p.sock", ["unix:/run/p.sock"]),
            ("unix:p.sock", ["unix:p.sock"]),
            ("fd:3", ["fd:3"]), ("[fe80::1%eth0]:65535", ["[fe80::1%eth0]:65535"]),
            ("8080", nil), ("127.0.0.1", nil), ("127.0.0.1:", nil), ("127.0.0.1:65536", nil), ("127.0.0.1:-1", nil),
            ("127.0.0.1:+1", nil), ("::1:8080", nil), ("[::1]", nil), ("[127.0.0.1]:80", nil), ("a b:80", nil),
            ("unix:", nil),
            ("fd:", nil), ("fd:-1", nil), ("fd:x", nil), ("fd:99999999999", nil), ("http://a:80", nil), ("", nil),
            (":", nil),
            ("unix:" + String(repeating: "a", count: 108), nil),
        ])
    func addresses(text: String, expected: [String]?) {
        #expect(Listener.parse(text)?.map(\.address.description) == expected)
    }

    @Test(
        "Names of variables",
        arguments: [
            (["listen"], "PAGINATORD_LISTEN"), (["pages", "itemsPerPage"], "PAGINATORD_PAGES_ITEMS_PER_PAGE"),
            (["pages", "cacheTTL"], "PAGINATORD_PAGES_CACHE_TTL"), (["shutdownGrace"], "PAGINATORD_SHUTDOWN_GRACE"),
        ])
    func variableNames(path: [String], expected: String) {
        #expect(ConfigurationReading.variableName(path) == expected)
    }

    @Test(
        "What was probably meant",
        arguments: [
            ("itemPerPage", "itemsPerPage"), ("itemsPerPages", "itemsPerPage"), ("itemsPerPaeg", "itemsPerPage"),
            ("itemsPerPaga", "itemsPerPage"), ("ITEMSPERPAGE", "itemsPerPage"), ("xtemsPerPage", "itemsPerPage"),
            ("itemsPage", nil), ("", nil), ("x", nil), ("itmPerPage", nil),
        ])
    func spelling(word: String, expected: String?) {
        #expect(Spelling.nearest(to: word, among: ["itemsPerPage", "maxBytes", "a"]) == expected)
    }
}
