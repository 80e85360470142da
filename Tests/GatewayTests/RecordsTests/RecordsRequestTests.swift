import HTTPModel
import RecordFormats
import TableAPI
import Testing

@testable import Gateway

private let key = "00112233445566778899aabbccddeeff"

/// What a request for all records may say, before any of them is read.
struct RecordsRequestTests {
    @Test("All that is wrong with the parameters is said at once, in their order")
    func faults() async throws {
        let service = try Service()
        let path = try await service.open()
        let target = "/records?x=1&format=xml&guard=yes&concurrency=0&fromPage=0&afterKey=zz"
        let answer = try await service.get(path + target)
        #expect(answer.status == 422)
        #expect(
            try answer.faults == ["?x", "?format", "?guard", "?concurrency", "?fromPage", "?afterKey", "?afterKey"])
        #expect(service.transport.urls.isEmpty)
    }

    @Test(
        "A value is allowed or named",
        arguments: [
            ("format=ndjson", nil), ("format=json", nil), ("format=NDJSON", "format"), ("format=", "format"),
            ("guard=true", nil), ("guard=false", nil), ("guard=1", "guard"), ("concurrency=1", nil),
            ("concurrency=32", nil), ("concurrency=33", "concurrency"), ("concurrency=+4", "concurrency"),
            ("concurrency=99999999999999999999", "concurrency"), ("fromPage=1", nil),
            ("fromPage=461168601842738790", nil), ("fromPage=461168601842738792", "fromPage"),
            ("fromPage=-1", "fromPage"), ("fromPage=x", "fromPage"), ("afterKey=\(key)", nil),
            ("afterKey=\(key.uppercased())", nil), ("afterKey=\(key)0", "afterKey"), ("afterKey=", "afterKey"),
            ("fromPage=2&afterKey=\(key)", "afterKey"),
        ])
    func values(query: String, fault: String?) async throws {
        let service = try Service(KeyedTable(rows: 30))
        let answer = try await service.get(try await service.open() + "/records?\(query)")
        #expect(answer.status == (fault == nil ? 200 : 422))
        if let fault { #expect(try answer.faults == ["?\(fault)"]) }
    }

    @Test(
        "What the session does not allow is said at once too",
        arguments: [
            (#"{"table":"incident"}"#, "format=csv", ["?format"]),
            (#"{"table":"incident","query":"ORDERBYnumber"}"#, "afterKey=\(key)", ["?afterKey"]),
            (#"{"table":"incident","query":"ORDERBYnumber"}"#, "format=csv&afterKey=\(key)", ["?format", "?afterKey"]),
            (
                #"{"table":"incident","itemsPerPage":100}"#, "format=csv&fromPage=92233720368547760",
                ["?format", "?fromPage"]
            ),
            (#"{"table":"incident","fields":["n"],"query":"a=1^EQ"}"#, "format=csv&afterKey=\(key)", ["?afterKey"]),
        ])
    func session(body: String, query: String, faults: [String]) async throws {
        let service = try Service()
        let answer = try await service.get(try await service.open(body) + "/records?\(query)")
        #expect(try answer.status == 422 && answer.faults == faults)
        #expect(service.transport.urls.isEmpty)
    }

    @Test("The order of checks is: parameters, Accept, version, session, finished, what the session allows")
    func order() async throws {
        let service = try Service(rows: 5)
        let path = try await service.open(#"{"table":"incident","publisherShouldFinish":true}"#)
        #expect(try await service.post(path + "/next")["isFinished"] == .bool(true))
        let asked = service.transport.urls.count
        func problem(_ path: String, _ query: String = "", accept: String = "text/csv", version: Int = 0) async throws
            -> String?
        {
            let headers: HeaderFields = ["Host": "localhost", "Accept": accept]
            let answer = try await service.send(
                "GET", "\(path)/records\(query)", headers: headers, minorVersion: version)
            return try answer.problem
        }
        #expect(try await problem("/sessions/none", "?x=1", accept: "text/html") == "invalid-parameter")
        #expect(try await problem("/sessions/none", accept: "text/html") == "not-acceptable")
        #expect(try await problem("/sessions/none") == "http-version-not-supported")
        #expect(try await problem("/sessions/none", version: 1) == "session-not-found")
        #expect(try await problem(path, version: 1) == "paginator-finished")
        #expect(service.transport.urls.count == asked)
    }

    @Test(
        "The format is what the caller prefers, unless the parameter says it",
        arguments: [
            (nil, "ndjson"), ("", "ndjson"), ("*/*", "ndjson"), ("application/*", "ndjson"), ("text/*", "csv"),
            ("text/csv", "csv"), ("Text/CSV; header=present", "csv"), ("application/json", "json"),
            ("application/x-ndjson", "ndjson"), ("application/json, text/plain, */*", "json"),
            ("text/html, application/xhtml+xml, application/xml;q=0.9, */*;q=0.8", "ndjson"),
            ("application/json;q=0.5, text/csv;q=0.9", "csv"), ("application/json; q=0.5 , text/csv; q=0.501", "csv"),
            ("application/json;charset=utf-8", "json"), ("application/x-ndjson;q=0, */*", "json"),
            ("application/*;q=0, */*", "csv"), ("text/csv;q=0.1, */*;q=0", "csv"),
            ("text/csv, application/json", "json"),
            ("application/json;v=\"a, text/csv;q=1\";q=0.2, text/*;q=0.3", "csv"),
            ("text/html", nil), ("*/*;q=0", nil), ("text/csv;q=0", nil), ("application/xml, image/*", nil),
            ("text/csv;q=nan", nil), ("*/csv", "ndjson"),
            // A quality value has digits and one point, nothing else (RFC 9110 §12.4.2).
            ("text/csv;q=0.-2", nil), ("text/csv;q=0.+2", nil), ("text/csv;q=+1", nil), ("text/csv;q=-1", nil),
            ("text/csv;q=1.-0", nil), ("text/csv;q=0.5.5", nil), ("text/csv;q=0.٥", nil), ("text/csv;q=0x1", nil),
            ("text/csv;q=.5", nil), ("text/csv;q=0.1e1", nil), ("text/csv;q=0.", nil), ("text/csv;q=1.", "csv"),
        ] as [(String?, String?)])
    func negotiation(accept: String?, format: String?) async throws {
        let service = try Service()
        let path = try await service.open(#"{"table":"incident","fields":["n"]}"#)
        var headers: HeaderFields = ["Host": "localhost"]
        if let accept { headers.append("Accept", accept) }
        let answer = try await service.send("GET", path + "/records", headers: headers)
        #expect(answer.status == (format == nil ? 406 : 200))
        if let format { #expect(answer.headers["Content-Type"] == RecordFormat(rawValue: format)?.contentType) }
        for format in RecordFormat.allCases {
            let target = path + "/records?format=\(format.rawValue)"
            let chosen = try await service.send("GET", target, headers: headers)
            #expect(chosen.headers["Content-Type"] == format.contentType)
        }
    }

    @Test("Accept may stand on several lines")
    func lines() async throws {
        let service = try Service()
        let path = try await service.open(#"{"table":"incident","fields":["n"]}"#)
        let headers: HeaderFields = [
            "Host": "localhost", "Accept": "text/csv;q=0.5", "accept": "application/json;q=0.6",
        ]
        let answer = try await service.send("GET", path + "/records", headers: headers)
        #expect(answer.headers["Content-Type"] == "application/json")
    }

    @Test("The headers are those of a stream that nobody should keep or hold back; HEAD has them too")
    func headers() async throws {
        let service = try Service()
        let path = try await service.open(#"{"table":"incident","fields":["n"]}"#)
        for method in ["GET", "HEAD"] {
            let answer = try await service.send(method, path + "/records?format=csv")
            #expect(answer.status == 200 && answer.body.isEmpty)
            #expect(answer.stream != nil)
            #expect(answer.headers["Content-Type"] == "text/csv; charset=utf-8; header=present")
            #expect(answer.headers["Content-Disposition"] == "inline; filename=\"incident.csv\"")
            #expect(answer.headers["X-Accel-Buffering"] == "no")
            #expect(answer.headers["X-Total-Count"] == nil && answer.headers["ETag"] == nil)
        }
    }

    @Test(
        "A window is a whole number of the session's pages and meets the page to begin with",
        arguments: [
            (20, nil, 50), (20, 1, 50), (20, 51, 50), (20, 101, 50), (20, 38, 37), (20, 54, 1), (20, 37, 36),
            (7, nil, 142),
            (300, nil, 3), (1000, nil, 1), (5000, nil, 1), (5000, 3, 1), (1, 1001, 1000), (1, .max, 6),
        ])
    func windows(itemsPerPage: Int, page: Int?, pages: Int) {
        let window = RecordsWindow(
            itemsPerPage: itemsPerPage, maxItemsPerPage: 10_000, start: page.map { .page($0) } ?? .beginning)
        #expect(window.pages == pages && window.itemsPerPage == pages * itemsPerPage)
        guard let page else {
            #expect(window.start == .beginning)
            return
        }
        #expect((page - 1).isMultiple(of: window.pages))
        #expect(window.resume(window.start) == .page(page))
    }

    @Test("A window is never larger than what may be asked for, unless the session's own pages are")
    func largest() {
        #expect(RecordsWindow(itemsPerPage: 20, maxItemsPerPage: 90, start: .beginning).itemsPerPage == 80)
        #expect(RecordsWindow(itemsPerPage: 100, maxItemsPerPage: 90, start: .beginning).itemsPerPage == 100)
    }
}
