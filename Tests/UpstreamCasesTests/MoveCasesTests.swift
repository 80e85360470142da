import DemoInstance
import HTTPModel
import HTTPServer
import PaginatordTesting
import Sessions
import TableAPI
import Testing

/// Where the moves lead, and what they do when they cannot.
@Suite(.timeLimit(.minutes(10))) struct MoveCasesTests {
    /// Answers for a table of so many rows, page by page.
    private static func pages(_ offsets: Int..., total: Int) -> [Script.Step] {
        offsets.map { .answer(.page(max(0, min(20, total - $0)), at: $0, total: total)) }
    }

    @Test("F1: a new session is before its first page, and its number of pages is the largest integer, to the digit")
    func newSession() async throws {
        try await Service.run { service in
            let session = try await service.call("GET", try await service.open())
            #expect(session.text.contains("\"numberOfPages\":9223372036854775807,"))
            // Who cannot read that number exactly sees by this that nothing is known yet.
            #expect(session["totalItems"] == .null && session["page"] == .integer(0))
            #expect(session["hasNext"] == .bool(true) && session["hasPrevious"] == .bool(false))
            #expect(session["isBusy"] == .bool(false) && session["isFinished"] == .bool(false))
            #expect(session["itemsPerPage"] == .integer(20) && session["publisherShouldFinish"] == .bool(false))
            #expect(service.script.requests.isEmpty)
        }
    }

    @Test("F2: last on a new session learns the count and fetches the last page")
    func last() async throws {
        try await Service.run(Setup(steps: Self.pages(0, 40, total: 45))) { service in
            let page = try await service.move(try await service.open(), "last")
            #expect(page["page"] == .integer(3) && page["numberOfPages"] == .integer(3) && page.keys.count == 5)
            #expect(service.windows == [Window(0, 1), Window(40, 20)])
        }
    }

    @Test("F2: no count makes last overflow", arguments: [Int.max, Int.max - 1, 1 << 62, 45], [1, 20, 10_000])
    func largestCounts(total: Int, size: Int) async throws {
        let number = (total - 1) / size + 1
        let offset = (number - 1) * size
        let steps = [0, offset].map { Script.Step.answer(.page($0 == 0 ? 1 : 0, at: 0, total: total)) }
        try await Service.run(Setup(steps: steps)) { service in
            let session = try await service.open("\"itemsPerPage\":\(size)")
            let page = try await service.move(session, "last")
            #expect(page["page"] == .integer(number) && page["numberOfPages"] == .integer(number))
            #expect(page["hasNext"] == .bool(false) && service.windows.last == Window(offset, size))
            try await service.expectRefusal(session, "next", "no-next-page")
        }
    }

    // Of the two that the recommendation allows, the interface has the empty page.
    @Test("F3: last of an empty set is the empty page 0 of 0")
    func lastOfNothing() async throws {
        try await Service.run(Setup(steps: Self.pages(0, total: 0))) { service in
            let session = try await service.open()
            let page = try await service.move(session, "last")
            #expect(page.status == 200 && page["page"] == .integer(0) && page["numberOfPages"] == .integer(0))
            #expect(page["hasNext"] == .bool(false) && page["itemCount"] == .integer(0))
            #expect(service.windows == [Window(0, 1)])
            try await service.expectRefusal(session, "next", "no-next-page")
        }
    }

    @Test("F4: there is nothing before page 1")
    func previous() async throws {
        try await Service.run(Setup(steps: Self.pages(0, total: 45))) { service in
            let session = try await service.open()
            try await service.expectRefusal(session, "previous", "no-previous-page")
            #expect(try await service.move(session, "first")["hasPrevious"] == .bool(false))
            try await service.expectRefusal(session, "previous", "no-previous-page")
        }
    }

    @Test("F5: there is nothing behind the last page", arguments: ["next", "last"])
    func behindTheLast(move: String) async throws {
        try await Service.run { service in
            let session = try await service.openIncidents(#""itemsPerPage":60"#)
            #expect(try await service.move(session, move)["page"] == .integer(1))
            for _ in 0..<2 { try await service.expectRefusal(session, "next", "no-next-page") }
        }
    }

    @Test("F6: first, next, last, previous of 45 rows are pages 1, 2, 3, 2")
    func fourMoves() async throws {
        try await Service.run(Setup(steps: Self.pages(0, 20, 40, 20, total: 45))) { service in
            let session = try await service.open()
            for (move, number) in [("first", 1), ("next", 2), ("last", 3), ("previous", 2)] {
                let page = try await service.move(session, move)
                #expect(page["page"] == .integer(number) && page.keys.first == "row \(number * 20 - 20)")
                #expect(try await service.call("GET", session)["page"] == .integer(number))
            }
            #expect(service.windows.map(\.offset) == [0, 20, 40, 20])
        }
    }

    @Test("F7: reset after page 3 fetches nothing, keeps the count, and next is page 1")
    func reset() async throws {
        try await Service.run(Setup(steps: Self.pages(0, 20, 40, 0, total: 45))) { service in
            let session = try await service.open()
            for _ in 0..<3 { _ = try await service.move(session, "next") }
            let reset = try await service.move(session, "reset")
            #expect(reset["page"] == .integer(0) && reset["numberOfPages"] == .integer(3))
            #expect(reset["hasNext"] == .bool(true) && reset["hasPrevious"] == .bool(false))
            #expect(service.windows.count == 3)
            #expect(try await service.move(session, "next")["page"] == .integer(1))
            #expect(service.windows.map(\.offset) == [0, 20, 40, 0])
        }
    }

    @Test(
        "F8: a paginator that should finish does so with its last page, and nothing works any more",
        arguments: ["next", "last"])
    func finishes(move: String) async throws {
        try await Service.run { service in
            let session = try await service.openIncidents(#""publisherShouldFinish":true,"itemsPerPage":60"#)
            #expect(try await service.move(session, move)["isFinished"] == .bool(true))
            for move in ["first", "next", "previous", "last"] {
                try await service.expectRefusal(session, move, "paginator-finished")
            }
            let before = try await service.call("GET", session).text
            let reset = try await service.move(session, "reset")
            #expect(reset.status == 200 && reset.text == before)
        }
    }

    @Test("F9: a paginator that need not finish goes on after its last page")
    func doesNotFinish() async throws {
        try await Service.run { service in
            let session = try await service.openIncidents()
            for (move, number) in [("last", 3), ("first", 1), ("next", 2), ("last", 3), ("previous", 2)] {
                let page = try await service.move(session, move)
                #expect(page["page"] == .integer(number) && page["isFinished"] == .bool(false))
            }
        }
    }

    @Test("F10: two moves at once make one request for each page, and one that may not wait is refused")
    func atOnce() async throws {
        let (asked, release) = (Gate(), Gate())
        let slow = Script.Step.made { _ in
            asked.open()
            await release.wait()
            return .page(20, at: 0, total: 45)
        }
        try await Service.run(Setup(steps: [slow] + Self.pages(20, total: 45))) { service in
            let session = try await service.open()
            async let first = service.move(session, "next")
            await asked.wait()
            #expect(try await service.call("GET", session)["isBusy"] == .bool(true))
            let busy = try await service.call("POST", session + "/next", headers: ["Prefer": "wait=0"])
            #expect(busy.problem == "paginator-busy" && busy.status == 409 && busy.headers["Retry-After"] == "1")
            async let second = service.move(session, "next")
            release.open()
            let pages = [try await first, try await second]
            #expect(Set(pages.map(\.keys)) == [(0..<20).map { "row \($0)" }, (20..<40).map { "row \($0)" }])
            #expect(service.windows.map(\.offset) == [0, 20])
            #expect(try await service.call("GET", session)["isBusy"] == .bool(false))
        }
    }

    @Test(
        "F12: after a failure the paginator is not busy and did not move, by whatever move",
        arguments: ["first", "next", "previous", "last"])
    func failure(move: String) async throws {
        let setup = Setup(steps: [.passOn(), .passOn(), .fault(.status(502))], restraint: Restraint(retries: 0))
        try await Service.run(setup) { service in
            let session = try await service.openIncidents()
            for _ in 0..<2 { _ = try await service.move(session, "next") }
            _ = try await service.expectFailure(session, "upstream-failed", status: 502, by: move)
            let page = try await service.move(session, move)
            #expect(page["page"] == .integer(["first": 1, "previous": 1, "next": 3, "last": 3][move] ?? 0))
        }
    }

    @Test("F13: a caller who goes away in the middle of a move finds its page when it comes back")
    func hangsUp() async throws {
        let (asked, release) = (Gate(), Gate())
        let slow = Script.Step.made { _ in
            asked.open()
            await release.wait()
            return .page(20, at: 0, total: 45)
        }
        try await Service.run(Setup(steps: [slow])) { service in
            let session = try await service.open()
            try await serving(service.gateway) { url, _ in
                let port = try #require(url.split(separator: ":").last.flatMap { UInt16($0) })
                let caller = try RawConnection(port: port)
                try await caller.send(
                    "POST \(session)/next?after=0 HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n")
                await asked.wait()
                await caller.close()
                #expect(try await service.call("GET", session)["isBusy"] == .bool(true))
                release.open()
                try await eventually("the page is there") {
                    try await service.call("GET", session)["isBusy"] == .bool(false)
                }
            }
            #expect(try await service.call("GET", session)["page"] == .integer(1))
            let again = try await service.call("POST", session + "/next?after=0")
            #expect(again["page"] == .integer(1) && again.keys.count == 20)
            #expect(again.headers["Cache-Status"] == "paginatord; hit; detail=replay")
            #expect(service.windows == [Window(0, 20)])
        }
    }

    @Test("F21: a session that is unknown, expired or deleted is an error of its own and never an empty page")
    func goneSessions() async throws {
        try await Service.run { service in
            let unknown = try await service.move("/sessions/AAAAAAAAAAAAAAAAAAAAAA", "next")
            #expect(unknown.status == 404 && unknown.problem == "session-not-found")
            let deleted = try await service.open()
            let expired = try await service.open()
            #expect(try await service.call("DELETE", deleted).status == 204)
            #expect(try await service.move(deleted, "next").problem == "session-expired")
            service.clock.advance(seconds: 86_400)
            let answer = try await service.move(expired, "next")
            #expect(answer.status == 410 && answer.problem == "session-expired" && answer.items.isEmpty)
            #expect(service.script.requests.isEmpty)
        }
    }

    @Test("F21: where there are as many sessions as may be, a new one is refused and none in use ends")
    func tooManySessions() async throws {
        let limits = SessionLimits(perOwner: nil, total: 2)
        try await Service.run(Setup(sessions: SessionConfiguration(limits: limits))) { service in
            let sessions = [try await service.openIncidents(), try await service.openIncidents()]
            let refused = try await service.call("POST", "/sessions", body: #"{"table":"incident"}"#)
            #expect(refused.status == 429 && refused.problem == "too-many-sessions" && refused["limit"] == .integer(2))
            for session in sessions { #expect(try await service.move(session, "next")["page"] == .integer(1)) }
        }
    }
}
