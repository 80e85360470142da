import HTTPModel
import Observability
import TableAPI
import Testing

@testable import Gateway

struct Failure: Sendable, CustomTestStringConvertible {
    var problem: String
    var status: Int
    var retryAfter: String?
    /// `upstream` as JSON, `nil` where there is none.
    var upstream: String?
    var answer: Result<IncomingResponse, TransportError>

    var testDescription: String {
        let cause =
            switch answer {
            case .success(let response): "\(response.status) \(String(decoding: response.body, as: UTF8.self))"
            case .failure(let error): "\(error)"
            }
        return "\(problem): \(cause)"
    }

    init(_ problem: String, _ status: Int, retryAfter: String? = nil, upstream: String?, _ error: TransportError) {
        (self.problem, self.status, self.retryAfter, self.upstream) = (problem, status, retryAfter, upstream)
        answer = .failure(error)
    }

    init(
        _ problem: String, _ status: Int, retryAfter: String? = nil, upstream: String?, _ upstreamStatus: Int,
        _ body: String, headers: HeaderFields = [:]
    ) {
        (self.problem, self.status, self.retryAfter, self.upstream) = (problem, status, retryAfter, upstream)
        answer = .success(IncomingResponse(status: upstreamStatus, headers: headers, body: Array(body.utf8)))
    }
}

private func envelope(_ message: String, _ detail: String) -> String {
    "{\"error\":{\"message\":\(message),\"detail\":\(detail)},\"status\":\"failure\"}"
}

private func upstream(_ status: Int, _ message: String = "null", _ detail: String = "null") -> String {
    "{\"detail\":\(detail),\"message\":\(message),\"status\":\(status)}"
}

private let failures: [Failure] = [
    Failure(
        "query-rejected", 422, upstream: upstream(400, "\"Invalid table nope\"", "null"), 400,
        envelope("\"Invalid table nope\"", "null")),
    Failure("query-rejected", 422, upstream: upstream(404), 404, ""),
    Failure(
        "query-rejected", 422, upstream: upstream(414, "\"a\\\\u{A}b\"", "\"\\\"d\\\"\""), 414,
        envelope("\"a\\nb\"", "\"\\\"d\\\"\"")),
    Failure(
        "upstream-forbidden", 403, upstream: upstream(403, "\"Operation Failed\"", "\"ACL\""), 403,
        envelope("\"Operation Failed\"", "\"ACL\"")),
    Failure(
        "upstream-unauthenticated", 502, upstream: upstream(401, "\"User Not Authenticated\"", "\"Required\""), 401,
        envelope("\"User Not Authenticated\"", "\"Required\"")),
    Failure("upstream-rate-limited", 429, retryAfter: "5", upstream: upstream(429), 429, ""),
    Failure(
        "upstream-rate-limited", 429, retryAfter: "77", upstream: upstream(429), 429, "",
        headers: ["Retry-After": "77"]),
    Failure(
        "upstream-rate-limited", 429, retryAfter: "1", upstream: upstream(429), 429, "",
        headers: ["Retry-After": "0"]),
    Failure("upstream-unavailable", 503, retryAfter: "5", upstream: upstream(503), 503, "<html>"),
    Failure(
        "upstream-unavailable", 503, retryAfter: "9", upstream: upstream(503), 503, "",
        headers: ["Retry-After": "9"]),
    Failure(
        "upstream-unavailable", 503, retryAfter: "5", upstream: upstream(200), 200,
        "<html>Your instance is hibernating</html>"),
    Failure("upstream-failed", 502, upstream: upstream(500), 500, "x"),
    Failure("upstream-failed", 502, upstream: upstream(502), 502, ""),
    Failure("upstream-failed", 502, upstream: upstream(418), 418, ""),
    Failure("upstream-failed", 502, upstream: upstream(202), 202, ""),
    Failure(
        "upstream-failed", 502, upstream: upstream(302), 302, "", headers: ["Location": "http://127.0.0.1/?token=x"]
    ),
    Failure("upstream-failed", 502, upstream: nil, .connectionFailed("refused")),
    Failure("upstream-failed", 502, upstream: nil, .tlsFailed("certificate has expired")),
    Failure("upstream-failed", 502, upstream: nil, .noResponse("closed")),
    Failure("upstream-failed", 502, upstream: nil, .invalidRequest("odd")),
    Failure("upstream-incomplete", 502, upstream: upstream(200), 200, #"{"result":[{"secretRow":1},"#),
    Failure("upstream-incomplete", 502, upstream: upstream(200), .bodyIncomplete("cut", status: 200)),
    Failure("upstream-incomplete", 502, upstream: upstream(404), .bodyIncomplete("cut", status: 404)),
    Failure("upstream-incomplete", 502, upstream: upstream(200), 200, #"{"result":[],"result":[]}"#),
    Failure(
        "upstream-incomplete", 502, upstream: upstream(200, "\"m\"", "\"d\""), 200,
        #"{"result":[{"secretRow":1}],"error":{"message":"m","detail":"d"}}"#),
    Failure(
        "upstream-incomplete", 502, upstream: upstream(500, "\"Transaction cancelled: x\""), 500,
        envelope("\"Transaction cancelled: x\"", "null")),
    Failure("upstream-not-json", 502, upstream: upstream(200), 200, "<html>login</html>"),
    Failure("upstream-not-json", 502, upstream: upstream(200), 200, ""),
    Failure("upstream-not-json", 502, upstream: upstream(200), 200, #"{"result":{"secretRow":1}}"#),
    Failure("upstream-too-large", 502, upstream: nil, .bodyTooLarge(limit: 4096)),
    Failure("upstream-timeout", 504, upstream: nil, .timedOut(receivedBytes: true)),
    Failure("shutting-down", 503, retryAfter: "5", upstream: nil, .cancelled),
]

struct UpstreamProblemTests {
    @Test(
        "Each failure of the instance is one problem, and leaves the session as it was", arguments: failures,
        ["next", "last", "pages/2", ""])
    func failure(_ failure: Failure, path: String) async throws {
        let service = try Service()
        let session = try await service.open(#"{"table":"incident","query":"secret=1"}"#)
        _ = try await service.post(session + "/next")
        let before = try await service.get(session).text
        service.transport.answer { _ throws(TransportError) in try failure.answer.get() }
        let target = path.isEmpty ? "/tables/incident?query=secret%3D1" : "\(session)/\(path)"
        let answer = try await service.get(target)
        #expect(answer.status == failure.status)
        #expect(try answer.problem == failure.problem)
        #expect(answer.headers["Retry-After"] == failure.retryAfter)
        let upstream = answer.text.firstRange(of: "\"upstream\":").map { answer.text[$0.upperBound...].dropLast() }
        #expect(upstream.map(String.init) == failure.upstream)
        for secret in ["secret", "hunter2", "cmVhZGVyOmh1bnRlcjI", "https://", "sysparm", "token"] {
            #expect(!answer.text.contains(secret))
            #expect(!"\(service.events.all)".contains(secret))
        }
        let observed = service.events.all.compactMap { event in
            if case .upstreamFailed(let instance, let problem, _, _) = event { "\(instance) \(problem)" } else { nil }
        }
        // A query that is wrong is no failure of the instance.
        #expect(observed == (failure.problem.hasPrefix("upstream-") ? ["default \(failure.problem)"] : []))
        service.transport.answer(rows: 45)
        #expect(try await service.get(session).text == before)
        // Past whatever the instance wanted to be waited for.
        service.time.advance(milliseconds: 100_000)
        if !path.isEmpty { #expect(try await service.get("\(session)/\(path)").status == 200) }
    }

    @Test("An instance that gets no further without a count has failed")
    func noProgress() async throws {
        let service = try Service()
        let path = try await service.open(#"{"table":"incident","itemsPerPage":1}"#)
        service.transport.answer(200, #"{"result":[{"sys_id":"1"}]}"#)
        _ = try await service.post(path + "/next")
        let answer = try await service.post(path + "/next")
        #expect(try answer.problem == "upstream-failed" && answer["upstream"] == nil)
        #expect(try await service.get(path)["position"] == .integer(1))
    }

    @Test("An empty table of version 1 is an empty page and no failure")
    func noRecord() async throws {
        let service = try Service()
        service.transport.answer(404, #"{"error":{"message":"No Record found","detail":null},"status":"failure"}"#)
        let answer = try await service.get("/tables/incident")
        #expect(answer.status == 200)
        #expect(try answer["page"] == .integer(0))
    }
}

/// What is answered by the service itself, without asking the instance.
struct RestraintProblemTests {
    private func service(_ restraint: Restraint) throws -> (Service, @Sendable () -> Int) {
        let service = try Service(restraint: restraint)
        return (service, { service.transport.requests.count })
    }

    @Test("Once the circuit is open a move is refused without asking the instance, until a probe finds it back")
    func circuit() async throws {
        let (service, requests) = try service(
            Restraint(retries: 0, circuit: Restraint.Circuit(failures: 3, open: .seconds(10))))
        let session = try await service.open()
        service.transport.answer { _ throws(TransportError) in throw .connectionFailed("refused") }
        for _ in 0..<3 { #expect(try await service.post(session + "/next").problem == "upstream-failed") }
        let asked = requests()
        for path in ["next", "last", "pages/2"] {
            let answer = try await service.get("\(session)/\(path)")
            #expect(answer.status == 503)
            #expect(try answer.problem == "upstream-unavailable")
            #expect(answer.headers["Retry-After"] == "10")
            #expect(try answer["upstream"] == nil)
        }
        service.time.advance(milliseconds: 4_000)
        #expect(try await service.post(session + "/next").headers["Retry-After"] == "6")
        #expect(requests() == asked)
        service.time.advance(milliseconds: 6_000)
        service.transport.answer(rows: 45)
        #expect(try await service.post(session + "/next?after=0").status == 200)
        #expect(requests() == asked + 1)
    }

    @Test("A 429 that would take long is told at once, to the next callers as well, with what is left of the wait")
    func rateLimit() async throws {
        let (service, requests) = try service(Restraint())
        let session = try await service.open()
        service.transport.answer(429, "", headers: ["Retry-After": "900"])
        let first = try await service.post(session + "/next")
        #expect(first.status == 429 && first.headers["Retry-After"] == "900")
        #expect(try first["upstream"] != nil)
        #expect(requests() == 1)
        service.time.advance(milliseconds: 600_000)
        let second = try await service.post(session + "/next")
        #expect(try second.problem == "upstream-rate-limited")
        #expect(second.headers["Retry-After"] == "300")
        #expect(try second["upstream"] == nil)
        #expect(requests() == 1)
        service.time.advance(milliseconds: 300_000)
        service.transport.answer(rows: 45)
        #expect(try await service.post(session + "/next?after=0").status == 200)
    }

    @Test("Once the requests of an hour are spent callers are told 429 until the next one comes")
    func requestsPerHour() async throws {
        let (service, requests) = try service(Restraint(requestsPerHour: 10))
        let session = try await service.open()
        for page in 1...10 { #expect(try await service.get("\(session)/pages/\(page)").status == 200) }
        let answer = try await service.post(session + "/next")
        #expect(try answer.problem == "upstream-rate-limited")
        #expect(answer.headers["Retry-After"] == "360")
        #expect(try answer["upstream"] == nil)
        #expect(requests() == 10)
        service.time.advance(milliseconds: 360_000)
        #expect(try await service.post(session + "/next").status == 200)
    }
}
