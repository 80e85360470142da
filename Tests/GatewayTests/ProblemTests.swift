import Clocks
import HTTPModel
import Observability
import Sessions
import Testing

@testable import Gateway

struct ProblemTests {
    @Test(
        "Every kind of problem has a title in both languages, an explanation and an address",
        arguments: ProblemKind.allCases)
    func explained(kind: ProblemKind) async throws {
        let service = try Service()
        let path = "/problems/\(kind.rawValue)"
        let english = try await service.get(path)
        let french = try await service.get(path, ["Accept-Language": "fr"])
        #expect(english.headers["Content-Language"] == "en" && french.headers["Content-Language"] == "fr")
        #expect(
            try english.text("title") == kind.title(in: .english) && french.text("title") == kind.title(in: .french))
        for member in ["title", "meaning", "remedy"] {
            #expect(try english.text(member) != french.text(member), "\(member) is in one language only")
        }
        for member in ["meaning", "remedy"] {
            let text = try french.text(member)
            #expect(!text.contains("'") && text.hasSuffix("."))
            for mark in [";", "!", "?", "»"] { #expect(!text.contains(" " + mark), "a plain space before \(mark)") }
        }
        for answer in [english, french] {
            #expect(answer.status == 200)
            #expect(try answer.text("type") == path && answer["status"] == .integer(kind.status))
            #expect(try !answer.text("meaning").isEmpty && !answer.text("remedy").isEmpty)
        }
        let list = try await service.get("/problems")
        #expect(list.text.contains(english.text))
    }

    @Test("No two problems have the same title", arguments: [Language.english, .french])
    func titles(language: Language) {
        #expect(Set(ProblemKind.allCases.map { $0.title(in: language) }).count == ProblemKind.allCases.count)
    }

    @Test("No two problems are explained alike", arguments: [Language.english, .french])
    func meanings(language: Language) {
        #expect(
            Set(ProblemKind.allCases.map { $0.explanation(in: language).meaning }).count == ProblemKind.allCases.count)
    }

    @Test("What should be impossible is told to the observer, and its caller hears the request’s name and nothing else")
    func impossible() async throws {
        let service = try Service()
        let head = RequestHead(
            method: "GET", target: "/sessions", minorVersion: 1, headers: ["Host": "localhost"], connection: .tcp)
        let trace = RequestTrace(head: head, id: "0123456789abcdef", start: .zero)
        let answer = try Answer(service.gateway.refuse(trace, Problem(SessionError.impossible("secret"))))
        #expect(try answer.status == 500 && answer.problem == "internal")
        #expect(try answer.text("detail") == "0123456789abcdef" && !answer.text.contains("secret"))
        #expect(service.events.all.first == .internalBug(detail: "secret", requestID: "0123456789abcdef"))
    }

    @Test("A problem that does not exist is not found")
    func unknownProblem() async throws {
        #expect(try await Service().get("/problems/no-such").problem == "not-found")
    }

    @Test(
        "A title is in the language that the caller prefers",
        arguments: [
            ([], Language.english), (["fr"], .french), (["en"], .english), (["fr-CH"], .french), (["FR"], .french),
            (["de"], .english), ([""], .english), (["*"], .english), (["de, fr;q=0.5"], .french),
            (["fr;q=0.5, en"], .english), (["fr;q=0.5, en;q=0.4"], .french), (["en;q=0.001, fr;q=0.002"], .french),
            (["fr, en"], .french), (["en, fr"], .english), (["fr;q=0"], .english), (["en;q=0, fr;q=0.1"], .french),
            (["fr ; q=0.9 , en ;q=0.8"], .french), (["fr;Q=0.1, en;q=0.2"], .english), (["*, fr;q=0.5"], .english),
            (["fr, *;q=0.5"], .french), (["de", "fr"], .french), (["fr;q=x, en;q=0.1"], .english),
            (["fr;q=2, en;q=0.1"], .english), (["fr;q=-1"], .english), (["frq"], .english), (["f"], .english),
            ([",;,;q=,-"], .english), ([String(repeating: "fr;q=0.1,", count: 3000)], .french),
        ])
    func languages(accepted: [String], language: Language) async throws {
        let headers = HeaderFields([.init("Host", "localhost")] + accepted.map { .init("Accept-Language", $0) })
        let answer = try await Service().send("GET", "/nowhere", headers: headers)
        #expect(answer.headers["Content-Language"] == language.rawValue)
        #expect(try answer.text("title") == ProblemKind.notFound.title(in: language))
    }

    @Test("Instances are shown by name and state, never by address")
    func instances() async throws {
        let since = Timestamp(milliseconds: 1_796_007_600_125)
        let service = try Service(status: [
            InstanceStatus(name: "a", state: .ok, since: since, inFlight: 2, queued: 0, retryAfter: nil),
            InstanceStatus(name: "b", state: .cooling, since: since, inFlight: 0, queued: 7, retryAfter: 30),
        ])
        #expect(
            try await service.get("/instances").text
                == #"{"instances":[{"name":"a","state":"ok","since":"2026-11-30T03:00:00.125Z","inFlight":2,"queued":0,"#
                + #""retryAfter":null},{"name":"b","state":"cooling","since":"2026-11-30T03:00:00.125Z","inFlight":0,"#
                + #""queued":7,"retryAfter":30}]}"#)
    }

    @Test("Every answer is told to the observer, without anything that came in its target or body")
    func observed() async throws {
        let service = try Service()
        let path = try await service.open(#"{"table":"incident","query":"secret=1"}"#)
        _ = try await service.post(path + "/next?after=0")
        _ = try await service.get("/secret?secret=1")
        _ = try await service.send("SECRET", path)
        let answered = service.events.all.compactMap { event in
            if case .requestAnswered(let request) = event { request } else { nil }
        }
        #expect(answered.map(\.route) == ["/sessions", "/sessions/{id}/next", "-", "/sessions/{id}"])
        #expect(answered.map(\.status) == [201, 200, 404, 405])
        #expect(answered.map(\.upstream) == [nil, .zero, nil, nil])
        #expect(answered[1].sessionPrefix == String(path.dropFirst(10).prefix(6)))
        #expect(!"\(answered.map(\.route))".contains("secret"))
        #expect(Set(answered.map(\.requestID)).count == 4)
    }
}
