import Clocks
import HTTPModel
import PaginatordTesting
import SimdJSON
import TableAPI
import Testing

@testable import Gateway
@testable import Observability

/// Plants a caller's secrets in random requests, most of them wrong in some way, and looks for them in all that is said.
struct CallerSecrecyTests {
    private static let token = "s3cret-0123456789abcdef"
    private static let planted = ["s3cret", "c00kie", "passw0rd"]
    private static let targets = [
        "/sessions", "/sessions?limit=1", "/sessions/00000000000000000000000000000000", "/tables/incident", "/livez",
        "/nowhere", "/problems/none", "/instances", "/sessions/x/next", "/tables/incident?page=0", "/readyz", "/%zz",
        "*",
    ]

    /// A request that carries secrets where callers put them, rightly or not.
    private static func head(_ random: inout SeededGenerator) -> RequestHead {
        var target = targets.randomElement(using: &random) ?? "/"
        let method = ["GET", "POST", "DELETE", "PUT", "OPTIONS", "HEAD"].randomElement(using: &random) ?? "GET"
        var fields = [HeaderFields.Field("Host", "localhost")]
        let values = [
            ("Authorization", "Bearer \(token)"), ("Authorization", "bearer \(token)x"), ("Authorization", token),
            ("Authorization", "Basic s3cret"), ("Cookie", "session=c00kie; token=\(token)"), ("X-Api-Key", token),
            ("Proxy-Authorization", "Basic passw0rd"), ("Origin", "https://\(token).example"), ("Host", "passw0rd"),
            ("Referer", "https://a.example/?token=\(token)"), ("If-Match", "\"\(token)\""), ("Prefer", token),
            ("Accept-Language", token), ("Content-Type", "application/json; x=\(token)"), ("Last-Event-ID", token),
            ("Content-Length", token), ("Transfer-Encoding", token), ("Sec-Fetch-Mode", token), ("Accept", token),
        ]
        for _ in 0..<Int.random(in: 1...4, using: &random) {
            let (name, value) = values.randomElement(using: &random) ?? ("", "")
            fields.append(.init(name, value))
        }
        if Bool.random(using: &random) {
            let names = [
                "access_token", "token", "after", "limit", "page", "itemsPerPage", "afterKey", "instance", "format",
            ]
            let name = names.randomElement(using: &random) ?? "x"
            target += (target.contains("?") ? "&" : "?") + "\(name)=\(token)"
        }
        return RequestHead(method: method, target: target, headers: HeaderFields(fields))
    }

    @Test("No log line, header or problem holds a token, a cookie or an Authorization header", arguments: 0..<20)
    func nothingSecret(seed: Int) async throws {
        var random = SeededGenerator(seed: UInt64(seed))
        var statuses: Set<Int> = []
        let policies = [
            AccessPolicy(), try .sample(tokens: ["alice": Self.token]),
            try .sample(tokens: ["alice": Self.token], origins: ["https://app.example"], requestsPerToken: 1),
        ]
        for number in 0..<300 {
            let forwards = number % 4 == 3
            let service = try Service(
                configuration: .sample(forwards ? policies[0] : policies[number % 3]),
                credentials: forwards ? ["default": .forward] : [:])
            if number % 5 == 0 { service.transport.answer(401, #"{"error":{"message":"no","detail":null}}"#) }
            let head = Self.head(&random)
            let body = Bool.random(using: &random) ? #"{"table":"incident","x":1}"# : #"{"table":"incident"}"#
            let response = await service.gateway.respond(
                to: Request(head, body: head.method == "POST" ? Array(body.utf8) : []))
            let answer = try Answer(response)
            statuses.insert(answer.status)
            var said = answer.text + answer.headers.fields.map { "\($0.name): \($0.value)\n" }.joined()
            for event in service.events.all {
                for format in [LogFormat.json, .text] {
                    said += String(
                        decoding: event.logLine(time: Timestamp(milliseconds: 0), format: format), as: UTF8.self)
                }
            }
            for word in Self.planted { #expect(!said.contains(word), "\(word) of \(head) in \(said)") }
        }
        // So that it is not the first check that answers all of them.
        #expect(statuses.isSuperset(of: [200, 400, 401, 403, 404, 405, 422]), "\(statuses)")
    }

    @Test(
        "What a request says is repeated without what steers a terminal, and not at any length",
        arguments: [
            "\u{202E}", "\u{2066}", "\u{200F}", "\u{2028}", "\u{2029}", "\u{85}", "\u{9B}31m", "\u{1B}[31m", "\u{7}",
            "\r\n",
            "\u{FEFF}", "\u{AD}", "\u{E0001}",
        ])
    func printable(text: String) async throws {
        let service = try Service()
        let name = "a" + text + "b"
        var encoded: [UInt8] = []
        appendPercentEncoded(name, to: &encoded)
        var member = JSONWriter()
        member.object { $0.member(name, 1) }
        let answers = [
            try await service.get("/livez?" + String(decoding: encoded, as: UTF8.self)),
            try await service.post("/sessions", String(decoding: member.bytes, as: UTF8.self)),
            try await service.post("/sessions", #"{"table":"\#(name)"}"#.replacing("\r\n", with: "\\r\\n")),
        ]
        for answer in answers where answer.status != 400 {
            #expect(answer.status == 422)
            for scalar in answer.text.unicodeScalars {
                switch scalar.properties.generalCategory {
                case .control, .format, .lineSeparator, .paragraphSeparator:
                    Issue.record("U+\(String(scalar.value, radix: 16)) in \(answer.text)")
                default: break
                }
            }
        }
        #expect(try answers[0].faults == ["?" + name] && answers[1].faults.contains("/" + name))
    }

    @Test("A name of any length is cut in an answer")
    func lengths() async throws {
        let name = String(repeating: "x", count: 100_000)
        let service = try Service()
        #expect(try await service.get("/livez?" + name).body.count < 1000)
        #expect(try await service.post("/sessions", #"{"\#(name)":1}"#).body.count < 2000)
        #expect(try await service.post("/sessions", #"{"table":"\#(name)"}"#).body.count < 2000)
    }
}
