import HTTPModel
import Pagination
import Testing

@testable import TableAPI

private let cancelledMessage = "Transaction cancelled: maximum execution time exceeded"
private let cancelledEnvelope =
    #""error":{"message":"\#(cancelledMessage)","detail":"\#(cancelledMessage) Check logs"},"status":"failure"}"#
private let hibernatingPage = "<!doctype html><html><head><title>Instance Hibernating page</title></head></html>"

@Suite struct TableAnswerTests {
    typealias Upstream = PageSourceError.Upstream

    private func error(_ response: IncomingResponse) -> PageSourceError? {
        do {
            let page = try TableAnswer(response) { 784_111_770 }.page(countOnly: false)
            Issue.record("accepted: \(page)")
            return nil
        } catch {
            return error
        }
    }

    private static let body = Array(#" {"res\u0075lt" : [ {"sys_id":"a"} , {"n":[1,"]}"]} ], "status" : null }"#.utf8)

    @Test("A page has its rows, its count and the next offset")
    func page() throws {
        let link = #"<http://evil.example/?sysparm_offset=20>;rel="next""#
        let response = IncomingResponse(
            status: 200, headers: ["x-total-count": "45", "link": link], body: Self.body)
        let answer = try TableAnswer(response) { 0 }.page(countOnly: false)
        #expect(answer.rows.count == 2)
        #expect(answer.total == 45)
        #expect(answer.nextOffset == 20)
        #expect(answer.digest == nil, "with a count, nobody compares rows")
    }

    @Test("Without a count, a page has a digest, and a request for the count alone has none", arguments: [true, false])
    func digests(countOnly: Bool) throws {
        let answer = try TableAnswer(.page(2, total: nil)) { 0 }.page(countOnly: countOnly)
        #expect(answer.total == nil)
        #expect(answer.rows.count == 2)
        #expect((answer.digest == nil) == countOnly)
    }

    @Test(
        "What the header says about the type does not make a page worse",
        arguments: [
            nil, "application/json", "application/json;charset=UTF-8", "text/plain", "text/html",
        ] as [String?])
    func types(type: String?) throws {
        let headers: HeaderFields = type.map { ["content-type": $0] } ?? [:]
        let response = IncomingResponse(status: 200, headers: headers, body: Self.body)
        #expect(try TableAnswer(response) { 0 }.page(countOnly: false).rows.count == 2)
    }

    @Test("A list without records is a 404 to version 1, which is an empty page", arguments: [nil, 45] as [Int?])
    func noRecords(total: Int?) throws {
        let body =
            #"{"error":{"message":"No Record found","detail":"Records matching query not found. Check query parameter"#
            + #" or offset parameter"},"status":"failure"}"#
        let headers: HeaderFields = total.map { ["X-Total-Count": String($0)] } ?? [:]
        let answer = try TableAnswer(.json(body, status: 404, headers: headers)) { 0 }.page(countOnly: false)
        #expect(answer == PageAnswer(rows: Rows(), total: total))
    }

    @Test(
        "Every status means one kind of error",
        arguments: [
            (400, PageSourceError.rejected(Upstream(status: 400, message: "M", detail: nil))),
            (404, .rejected(Upstream(status: 404, message: "M", detail: nil))),
            (414, .rejected(Upstream(status: 414, message: "M", detail: nil))),
            (401, .unauthenticated(Upstream(status: 401, message: "M", detail: nil))),
            (403, .forbidden(Upstream(status: 403, message: "M", detail: nil))),
            (429, .rateLimited(Upstream(status: 429, message: "M", detail: nil), retryAfter: 7)),
            (503, .unavailable(Upstream(status: 503, message: "M", detail: nil), retryAfter: 7)),
        ])
    func statuses(status: Int, expected: PageSourceError) {
        let body = #"{"error":{"detail":null,"message":"M"},"status":"failure"}"#
        #expect(error(.json(body, status: status, headers: ["Retry-After": "7"])) == expected)
    }

    @Test(
        "Every other status is a failure, with what the instance said",
        arguments: [
            100, 201, 204, 206, 301, 302, 304, 307, 405, 406, 415, 431, 500, 501, 502, 504, 599,
        ])
    func otherStatuses(status: Int) {
        guard case .failed(let upstream, let reason) = error(.json(#"{"error":{"message":"M"}}"#, status: status))
        else {
            Issue.record("another kind")
            return
        }
        #expect(upstream == Upstream(status: status, message: "M"))
        #expect(reason.contains(status < 400 && status >= 300 ? "redirect" : "\(status)"))
    }

    @Test(
        "A body that is no error envelope is no message and no crash",
        arguments: [
            "", "<html>Request header is too large</html>", "Rejecting request", "{", #"{"result":[]}"#,
            #"{"error":7}"#, "[1]",
        ])
    func otherBodies(body: String) {
        #expect(error(.json(body, status: 429)) == .rateLimited(Upstream(status: 429), retryAfter: nil))
        #expect(error(.json(body, status: 400)) == .rejected(Upstream(status: 400)))
        #expect(error(.json(body, status: 404)) == .rejected(Upstream(status: 404)))
    }

    @Test("A wait may be a date, relative to the answer's own")
    func waits() {
        let headers: HeaderFields = [
            "Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT", "Date": "Sun, 06 Nov 1994 08:49:07 GMT",
        ]
        #expect(
            error(IncomingResponse(status: 503, headers: headers))
                == .unavailable(Upstream(status: 503), retryAfter: 30))
        #expect(
            error(IncomingResponse(status: 429, headers: ["Retry-After": "Sun, 06 Nov 1994 08:49:37 GMT"]))
                == .rateLimited(Upstream(status: 429), retryAfter: 7))
    }

    @Test("A dropped request says so")
    func dropped() {
        guard case .failed(let upstream, let reason) = error(IncomingResponse(status: 202)) else {
            Issue.record("another kind")
            return
        }
        #expect(upstream == Upstream(status: 202))
        #expect(reason.contains("dropped"))
    }

    @Test(
        "An error inside a 200 is an incomplete answer that carries it",
        arguments: [
            "{" + cancelledEnvelope,
            #"{"result":[{"sys_id":"a"}],"# + cancelledEnvelope,
            #"{"result":[{"sys_id":"a"},{"sys_id":"b""# + cancelledEnvelope,
            #"{"result":[{"sys_id":"a"},]"# + cancelledEnvelope,
            #"{"result":[{"sys_id":"a"},],"# + cancelledEnvelope,
            #"{"result":[{"sys_id":"a","sys_created_on"}"# + cancelledEnvelope,
            #"{"result":[{"a":"\"error\""},{"error"# + cancelledEnvelope + "\n",
        ])
    func errorsInside(body: String) {
        guard case .incomplete(let upstream, _) = error(.json(body)) else {
            Issue.record("another kind")
            return
        }
        #expect(
            upstream == Upstream(status: 200, message: cancelledMessage, detail: cancelledMessage + " Check logs"))
    }

    @Test("A 500 that ends a transaction is an incomplete answer; any other 500 is not")
    func cancelled() {
        guard case .incomplete(let upstream, _) = error(.json("{" + cancelledEnvelope, status: 500)) else {
            Issue.record("another kind")
            return
        }
        #expect(upstream.status == 500 && upstream.message == cancelledMessage)
        guard case .failed = error(.json(#"{"error":{"message":"Cannot"}}"#, status: 500)) else {
            Issue.record("another kind")
            return
        }
    }

    @Test(
        "Cut and doubled bodies are incomplete",
        arguments: [
            #"{"result":[{"sys_id":"a"}"#, #"{"result":[{"sys_id":"a"},]}"#,
            #"{"result":[{"sys_id":"a","sys_created_on"}"#,
            #"{"records":[{"count":0}{"records":[]}"#, #"{"result":[],"result":[]}"#, "Rejecting request", #"{"error""#,
            #"{"result":[{"a":"error"}"#,
        ])
    func incomplete(body: String) {
        guard case .incomplete(Upstream(status: 200), _) = error(.json(body)) else {
            Issue.record("another kind: \(String(describing: error(.json(body))))")
            return
        }
    }

    @Test(
        "What is no JSON, or JSON of another shape, is said to be that",
        arguments: [
            ("", "application/json"), ("  ", "application/json"), ("<html>Log in</html>", "application/json"),
            ("\u{FEFF} \n<?xml version=\"1.0\"?><response><result/></response>", ""),
            ("Log in", "text/html; charset=UTF-8"),
            ("Log in", "Application/XML"), ("{}", "application/json"),
            (#"{"result":[{"sys_id":"a"},""]}"#, "application/json"),
            (#"{"result":{"sys_id":"a"}}"#, "application/json"), (#"{"result":[{"a":1e400}]}"#, "application/json"),
        ])
    func notJSON(body: String, type: String) {
        let response = IncomingResponse(status: 200, headers: ["Content-Type": type], body: Array(body.utf8))
        guard case .notJSON(Upstream(status: 200), let reason) = error(response) else {
            Issue.record("another kind")
            return
        }
        #expect(!reason.isEmpty && !reason.contains("\n"))
    }

    @Test(
        "A hibernating instance is unavailable",
        arguments: [
            hibernatingPage, "<html><body class='instance-hibernating-page'>",
            "\n<h1>Your instance is hibernating</h1>",
        ])
    func hibernates(body: String) {
        let response = IncomingResponse(
            status: 200, headers: ["Content-Type": "text/html"], body: Array(body.utf8))
        #expect(error(response) == .unavailable(Upstream(status: 200), retryAfter: nil))
    }

    @Test("A record that speaks of hibernation is a record")
    func speaksOfHibernation() throws {
        let response = IncomingResponse.json(#"{"result":[{"a":"<h1>Your instance is hibernating</h1>"}]}"#)
        #expect(try TableAnswer(response) { 0 }.page(countOnly: false).rows.count == 1)
    }

    @Test("What the instance says is made printable")
    func printableMessages() {
        let body = #"{"error":{"message":"a\nb\u202e","detail":"\#(String(repeating: "x", count: 2000))"}}"#
        guard case .rejected(let upstream) = error(.json(body, status: 400)) else {
            Issue.record("another kind")
            return
        }
        #expect(upstream.message == "a\\u{A}b\\u{202E}")
        #expect(upstream.detail?.unicodeScalars.count == 501)
    }
}
