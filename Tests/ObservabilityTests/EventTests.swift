import Clocks
import Testing

@testable import Observability

struct EventTests {
    static let request = AnsweredRequest(
        method: "POST", route: "/sessions/{id}/next", status: 200, duration: .microseconds(1_234), bytes: 16_384,
        requestID: "r-1", sessionID: "abcdefghijklmnop", owner: "dashboard", upstream: .milliseconds(1),
        cacheStatus: "fwd=miss; collapsed")

    /// One of each kind with the line that is expected of it in both formats.
    static let samples: [(event: Event, json: String, text: String)] = [
        (
            .requestAnswered(request),
            #""level":"info","event":"request-answered","method":"POST","route":"/sessions/{id}/next","status":200,"#
                + #""milliseconds":1.234,"bytes":16384,"upstreamMilliseconds":1.000,"cacheStatus":"fwd=miss; collapsed","requestID":"r-1","session":"abcdef","owner":"dashboard"}"#,
            "info    request-answered method=POST route=/sessions/{id}/next status=200 milliseconds=1.234 bytes=16384 "
                + #"upstreamMilliseconds=1.000 cacheStatus="fwd=miss; collapsed" requestID=r-1 session=abcdef owner=dashboard"#
        ),
        (
            .serviceStarted(version: "1", instances: ["a", "b"], listeners: ["http://127.0.0.1:1"]),
            #""level":"info","event":"service-started","version":"1","instances":"a,b","#
                + #""listeners":"http://127.0.0.1:1"}"#,
            "info    service-started version=1 instances=a,b listeners=http://127.0.0.1:1"
        ),
        (
            .serviceStopping(reason: "SIGTERM"),
            #""level":"info","event":"service-stopping","reason":"SIGTERM"}"#,
            "info    service-stopping reason=SIGTERM"
        ),
        (
            .serviceStopped(unfinished: 3),
            #""level":"info","event":"service-stopped","unfinished":3}"#,
            "info    service-stopped unfinished=3"
        ),
        (
            .listenerSkipped(address: "[::1]:8080", reason: "no IPv6"),
            #""level":"info","event":"listener-skipped","address":"[::1]:8080","reason":"no IPv6"}"#,
            #"info    listener-skipped address=[::1]:8080 reason="no IPv6""#
        ),
        (
            .configurationWarning("odd"),
            #""level":"warning","event":"configuration-warning","detail":"odd"}"#,
            "warning configuration-warning detail=odd"
        ),
        (
            .settingRenewed(setting: "access.tokens.a"),
            #""level":"info","event":"setting-renewed","setting":"access.tokens.a"}"#,
            "info    setting-renewed setting=access.tokens.a"
        ),
        (
            .settingNotRenewed(setting: "access.tokens.a", reason: "too short"),
            #""level":"error","event":"setting-not-renewed","setting":"access.tokens.a","reason":"too short"}"#,
            #"error   setting-not-renewed setting=access.tokens.a reason="too short""#
        ),
        (
            .sessionsInMemory,
            #""level":"info","event":"sessions-in-memory","#
                + #""detail":"sessions are kept in memory and end with the process"}"#,
            #"info    sessions-in-memory detail="sessions are kept in memory and end with the process""#
        ),
        (
            .sessionsInFile(path: "/data/sessions.db"),
            #""level":"info","event":"sessions-in-file","path":"/data/sessions.db"}"#,
            "info    sessions-in-file path=/data/sessions.db"
        ),
        (
            .sessionsInRedis(address: "redis://a:6379", database: 3),
            #""level":"info","event":"sessions-in-redis","address":"redis://a:6379","database":3}"#,
            "info    sessions-in-redis address=redis://a:6379 database=3"
        ),
        (.storeAvailable, #""level":"info","event":"store-available"}"#, "info    store-available"),
        (
            .storeUnavailable(reason: "full"),
            #""level":"warning","event":"store-unavailable","reason":"full"}"#,
            "warning store-unavailable reason=full"
        ),
        (
            .upstreamFailed(instance: "default", problem: "upstream-timeout", detail: "65 s", requestID: "r-2"),
            #""level":"warning","event":"upstream-failed","instance":"default","problem":"upstream-timeout","#
                + #""detail":"65 s","requestID":"r-2"}"#,
            #"warning upstream-failed instance=default problem=upstream-timeout detail="65 s" requestID=r-2"#
        ),
        (
            .serverFault("full"),
            #""level":"error","event":"server-fault","detail":"full"}"#,
            "error   server-fault detail=full"
        ),
        (
            .logLinesDropped(7),
            #""level":"warning","event":"log-lines-dropped","count":7}"#,
            "warning log-lines-dropped count=7"
        ),
        (
            .internalBug(detail: "", requestID: nil),
            #""level":"error","event":"internal-bug","detail":""}"#,
            #"error   internal-bug detail="""#
        ),
    ]

    @Test("Every kind of event is one line with its time, level, name and fields", arguments: samples)
    func line(_ sample: (event: Event, json: String, text: String)) {
        let time = Timestamp(milliseconds: 1_795_921_200_125)
        let json = String(decoding: sample.event.logLine(time: time, format: .json), as: UTF8.self)
        let text = String(decoding: sample.event.logLine(time: time, format: .text), as: UTF8.self)
        #expect(json == #"{"time":"2026-11-29T03:00:00.125Z","# + sample.json + "\n")
        #expect(text == "2026-11-29T03:00:00.125Z " + sample.text + "\n")
    }

    @Test("Of a session's id only the first characters are kept")
    func sessionPrefix() {
        #expect(Self.request.sessionPrefix == "abcdef")
        #expect(!"\(Self.request)".contains("abcdefg"))
    }

    @Test("Levels are ordered by how much they matter")
    func levels() {
        #expect(Level.allCases == [.debug, .info, .warning, .error])
        #expect(Level.allCases.sorted() == Level.allCases)
    }
}
