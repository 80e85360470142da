import HTTPModel
import Sessions
import Synchronization
import Testing

@testable import Gateway

struct MoveTests {
    private static let row = "{\n\t\"s\" : \"Zürich 東京 \u{1F600} \\u00e9\" ,\r\n\"a\":[ 1.50 , {\"b\" : \"}]\\\"\"} ] }"

    @Test("A page is sent byte for byte, with its headers")
    func page() async throws {
        let service = try Service()
        let path = try await service.open(#"{"table":"incident","itemsPerPage":2}"#)
        let text = " {\"result\" : [\n\(Self.row) ,\t{}\n] }\r\n"
        service.transport.answer { [time = service.time] _ in
            time.advance(milliseconds: 1234)
            return IncomingResponse(status: 200, headers: ["X-Total-Count": "5"], body: Array(text.utf8))
        }
        let answer = try await service.post(path + "/next")
        #expect(
            answer.text
                == #"{"page":1,"numberOfPages":3,"itemsPerPage":2,"itemCount":2,"totalItems":5,"hasNext":true,"#
                + #""hasPrevious":false,"isFinished":false,"position":1,"links":{"self":"\#(path)/pages/1","#
                + #""first":"\#(path)/first?after=1","next":"\#(path)/next?after=1","last":"\#(path)/last?after=1","#
                + #""reset":"\#(path)/reset?after=1"},"items":["# + Self.row + " ,\t{}]}")
        #expect(
            answer.headers.fields.dropLast(4) == [
                .init("Content-Type", "application/json"), .init("ETag", "\"1\""),
                .init(
                    "Link",
                    "<\(path)/pages/1>; rel=\"self\", <\(path)/first?after=1>; rel=\"first\", "
                        + "<\(path)/next?after=1>; rel=\"next\", <\(path)/last?after=1>; rel=\"last\""),
                .init("X-Total-Count", "5"), .init("Cache-Status", "paginatord; fwd=miss"),
                .init("Server-Timing", "upstream;dur=1234.0"),
            ])
        let middle = try await service.post(path + "/next")
        #expect(
            try middle.linkNames == ["first", "last", "next", "previous", "reset", "self"])
        #expect(middle.headers["Link"]?.contains("<\(path)/previous?after=2>; rel=\"prev\"") == true)
    }

    @Test("A repeated move is answered byte for byte from memory")
    func replay() async throws {
        let service = try Service()
        let path = try await service.open()
        for (move, position) in [("next", 0), ("next", 1), ("previous", 2), ("last", 3), ("first", 4)] {
            let page = try await service.post("\(path)/\(move)?after=\(position)")
            let asked = service.transport.urls.count
            service.time.advance(milliseconds: 1000)
            let again = try await service.get("\(path)/\(move)", ["If-Match": "\"\(position)\""])
            #expect(page.status == 200 && page.headers["ETag"] == "\"\(position + 1)\"")
            #expect(again.body == page.body && again.status == 200)
            #expect(again.headers["Cache-Status"] == "paginatord; hit; detail=replay")
            #expect(again.headers["Server-Timing"] == nil)
            for name in ["ETag", "Link", "X-Total-Count"] { #expect(again.headers[name] == page.headers[name]) }
            #expect(service.transport.urls.count == asked)
        }
    }

    @Test("A page that was not kept is fetched again as the same page")
    func refetch() async throws {
        let service = try Service(store: MemorySessionStore(maxPageBytes: 4))
        let path = try await service.open()
        let page = try await service.post(path + "/next?after=0")
        let again = try await service.post(path + "/next?after=0")
        #expect(again.body == page.body && service.transport.urls.count == 2)
        #expect(again.headers["Cache-Status"] == "paginatord; fwd=miss; detail=refetch")
        #expect(again.headers["Server-Timing"] == "upstream;dur=0.0")
        #expect(try await service.get(path)["position"] == .integer(1))
    }

    @Test("A repeated reset answers the session as it was")
    func repeatedReset() async throws {
        let service = try Service()
        let path = try await service.open()
        _ = try await service.post(path + "/next")
        let reset = try await service.post(path + "/reset?after=1")
        #expect(try reset["position"] == .integer(2) && reset["page"] == .integer(0))
        #expect(try reset["numberOfPages"] == .integer(3) && reset["totalItems"] == .integer(45))
        #expect(try await service.post(path + "/reset?after=1").text == reset.text)
        #expect(try await service.post(path + "/next?after=1").problem == "position-stale")
    }

    private enum Outcome: Equatable, Sendable {
        case moves
        case stale
        case refused
    }

    private static let preconditions: [(String, [String], Outcome)] = [
        ("", [], .moves), ("?after=2", [], .moves), ("", ["\"2\""], .moves), ("?after=2", ["\"2\""], .moves),
        ("?after=002", [], .moves), ("", ["*"], .moves), ("?after=2", ["*"], .moves), ("?after=1", ["*"], .stale),
        ("?after=0", [], .stale), ("?after=1", [], .stale), ("?after=3", [], .stale),
        ("?after=9223372036854775807", [], .stale), ("?after=99999999999999999999", [], .stale),
        ("", ["\"1\""], .stale), ("", ["\"3\""], .stale), ("", ["W/\"2\""], .stale), ("", ["2"], .stale),
        ("", [""], .stale), ("", ["\"\""], .stale), ("", ["\""], .stale), ("", ["\"02\""], .stale),
        ("", ["\"+2\""], .stale), ("", ["\"2"], .stale), ("", ["2\""], .stale), ("", ["\"2x\""], .stale),
        ("", ["\"-1\""], .stale), ("", ["\"99999999999999999999\""], .stale), ("", ["\"2\", W/\"2\""], .stale),
        ("", ["\"2\"", "\"2\""], .stale), ("", ["*, \"2\""], .stale), ("", ["*", "*"], .stale),
        ("?after=2", ["\"1\""], .refused), ("?after=1", ["\"2\""], .refused), ("?after=2", ["W/\"2\""], .refused),
        ("?after=", [], .refused), ("?after=-1", [], .refused), ("?after=x", [], .refused),
        ("?after=2.0", [], .refused),
        ("?after=%2B2", [], .refused), ("?after=+2", [], .refused), ("?after=0x2", [], .refused),
        ("?after=\u{25}D9\u{25}A2", [], .refused), ("?after", [], .refused),
    ]

    @Test("A move starts from the position that it names, or not at all", arguments: preconditions, ["next", "reset"])
    private func precondition(_ case: (String, [String], Outcome), move: String) async throws {
        let (query, tags, outcome) = `case`
        let service = try Service()
        let path = try await service.open()
        _ = try await service.post(path + "/next")
        _ = try await service.post(path + "/first")
        let headers = HeaderFields(tags.map { .init("If-Match", $0) })
        let answer = try await service.post("\(path)/\(move)\(query)", nil, headers)
        switch outcome {
        case .moves:
            #expect(answer.status == 200)
            #expect(try answer["position"] == .integer(3))
        case .stale:
            #expect(try answer.problem == "position-stale" && answer["position"] == .integer(2))
        case .refused:
            #expect(try answer.faults == ["?after"])
        }
        #expect(service.transport.urls.count == (outcome == .moves && move == "next" ? 3 : 2))
        #expect(try await service.get(path)["position"] == .integer(outcome == .moves ? 3 : 2))
    }

    @Test("A browser’s address line moves only with a position", arguments: ["first", "next", "previous", "last"])
    func navigation(move: String) async throws {
        let service = try Service()
        let path = try await service.open()
        let navigates: HeaderFields = ["Sec-Fetch-Mode": "navigate", "Sec-Fetch-Site": "none"]
        #expect(try await service.get("\(path)/\(move)", navigates).faults == ["?after"])
        #expect(try await service.get("\(path)/\(move)?x=1", navigates).faults == ["?x", "?after"])
        #expect(service.transport.urls.isEmpty)
        let status = move == "previous" ? 409 : 200
        #expect(try await service.get("\(path)/\(move)?after=0", navigates).status == status)
        #expect(
            try await service.get("\(path)/\(move)", ["Sec-Fetch-Mode": "cors"]).status == (status == 409 ? 409 : 200))
    }

    @Test(
        "A move that may not wait is refused while another is under way",
        arguments: [
            ("wait=0", true), ("Wait = \"0\"", true), ("return=minimal, wait=0", true), ("wait=0;x=1", true),
            ("wait=10", false), ("wait", false), ("nowait=0", false), ("", false),
            (";", false), (";wait=0", false), (";;, ;", false), (",;wait=0,,", false), (";, wait=0", true),
            ("\"", false),
            ("=", false), ("=0", false), (" ; ", false), ("\t;\t,wait=0", true),
        ])
    func prefer(value: String, isRefused: Bool) async throws {
        let service = try Service()
        let path = try await service.open()
        let (asked, hasAsked) = AsyncStream.makeStream(of: Void.self)
        let (released, release) = AsyncStream.makeStream(of: Void.self)
        service.transport.answer { _ in
            hasAsked.yield()
            for await _ in released { break }
            let body = Array(#"{"result":[{"n":1}]}"#.utf8)
            return IncomingResponse(status: 200, headers: ["X-Total-Count": "45"], body: body)
        }
        async let first = service.post(path + "/next")
        for await _ in asked { break }
        #expect(try await service.get(path)["isBusy"] == .bool(true))
        if isRefused {
            let answer = try await service.post(path + "/next", nil, ["Prefer": value])
            #expect(try answer.problem == "paginator-busy" && answer.headers["Retry-After"] == "1")
            release.finish()
        } else {
            async let second = service.post(path + "/next", nil, ["Prefer": value])
            release.finish()
            #expect(try await second["position"] == .integer(2))
        }
        #expect(try await first["position"] == .integer(1))
        #expect(try await service.get(path)["isBusy"] == .bool(false))
    }

    @Test("A page of which nobody knows the end has no last link")
    func withoutCount() async throws {
        let service = try Service(rows: 25, counts: false)
        let path = try await service.open()
        let page = try await service.post(path + "/next")
        #expect(page.text.contains("\"numberOfPages\":9223372036854775807,"))
        #expect(page.headers["X-Total-Count"] == nil)
        #expect(try page["totalItems"] == .null)
        #expect(try page.linkNames == ["first", "next", "reset", "self"])
        let refused = try await service.post(path + "/last")
        #expect(try refused.problem == "last-page-unknown" && refused["session", "position"] == .integer(1))
        #expect(try await service.get(path).linkNames == ["first", "next", "records", "reset", "self"])
    }

    @Test("At an end no link leads on, and the move is refused with the session’s state")
    func ends() async throws {
        let service = try Service(rows: 30)
        let path = try await service.open()
        #expect(try await service.post(path + "/previous").problem == "no-previous-page")
        let last = try await service.post(path + "/last")
        #expect(try last.linkNames == ["first", "last", "previous", "reset", "self"])
        #expect(last.headers["Link"]?.contains("rel=\"next\"") == false)
        let asked = service.transport.urls.count
        let refused = try await service.post(path + "/next?after=1")
        #expect(try refused.problem == "no-next-page" && refused["session", "page"] == .integer(2))
        let session = try await service.get(path)
        #expect(try refused["session"] == session.json)
        #expect(service.transport.urls.count == asked)
    }

    @Test("The empty set is page 0 of 0 and has no address")
    func emptySet() async throws {
        let service = try Service(rows: 0)
        let path = try await service.open()
        let page = try await service.post(path + "/next")
        #expect(
            page.text
                == #"{"page":0,"numberOfPages":0,"itemsPerPage":20,"itemCount":0,"totalItems":0,"hasNext":false,"#
                + #""hasPrevious":false,"isFinished":false,"position":1,"links":{"first":"\#(path)/first?after=1","#
                + #""last":"\#(path)/last?after=1","reset":"\#(path)/reset?after=1"},"items":[]}"#)
        #expect(try await service.post(path + "/next").problem == "no-next-page")
    }

    @Test("Once finished nothing is left but looking")
    func finished() async throws {
        let service = try Service(rows: 5)
        let path = try await service.open(#"{"table":"incident","publisherShouldFinish":true}"#)
        let page = try await service.post(path + "/next?after=0")
        #expect(try page["isFinished"] == .bool(true) && page.links == ["self": .string(path + "/pages/1")])
        #expect(page.headers["Link"] == "<\(path)/pages/1>; rel=\"self\"")
        let session = try await service.get(path)
        #expect(try session.links == ["self": .string(path)])
        for move in ["first", "next", "previous", "last"] {
            let refused = try await service.post("\(path)/\(move)?after=1")
            #expect(try refused.problem == "paginator-finished" && refused["session"] == session.json)
        }
        #expect(try await service.get(path + "/pages/1").problem == "paginator-finished")
        #expect(try await service.post(path + "/reset").text == session.text)
        #expect(try await service.post(path + "/next?after=0").body == page.body)
    }

    @Test("Following the links visits every row once")
    func walk() async throws {
        let service = try Service(rows: 45)
        var target: String? = try await service.open() + "/next?after=0"
        var rows: [JSONValue] = []
        while let move = target {
            let page = try await service.post(move)
            guard case .array(let items)? = try page["items"] else { break }
            rows += items
            target = if case .string(let next)? = try page.links?["next"] { next } else { nil }
        }
        #expect(rows == (0..<45).map { .object(["n": .integer($0)]) })
    }
}
