import DemoInstance
import HTTPModel
import PaginatordTesting
import TableAPI
import Testing

/// The kinds behind the cases of counts, statuses, waits and cookies.
@Suite(.timeLimit(.minutes(10))) struct HeaderKindsTests {
    @Test(
        "A count is taken where it can be relied on; otherwise the page has none",
        arguments: [
            (["45"], 45), (["0"], 0), (["9223372036854775807"], .max), (["45", "45"], 45), (["0045"], 45),
            (["45, 45"], 45), ([], nil), (["-1"], nil), (["-0"], nil), (["+45"], nil), (["45.0"], nil), (["4e1"], nil),
            (["0x2D"], nil), (["many"], nil), (["9223372036854775808"], nil),
            ([String(repeating: "9", count: 400)], nil), (["45", "46"], nil), (["45", "x"], nil), (["45,46"], nil),
            (["4 5"], nil),
        ] as [([String], Int?)])
    func counts(values: [String], total: Int?) async throws {
        let headers = HeaderFields(values.map { .init("X-Total-Count", $0) })
        let first = Response.page(20, at: 0, total: nil, headers: headers)
        try await Service.run(Setup(steps: [.answer(first), .answer(.page(3, at: 20, total: nil))])) { service in
            let session = try await service.open()
            let page = try await service.move(session, "next")
            #expect(page.status == 200 && page.keys.count == 20)
            #expect(page["totalItems"] == total.map { .integer($0) } ?? .null)
            #expect(page.headers["X-Total-Count"] == total.map { String($0) })
            #expect(page["numberOfPages"] == .integer(total.map { $0 / 20 + ($0 % 20 > 0 ? 1 : 0) } ?? .max))
            #expect(page["hasNext"] == .bool(total != 0))
            // The count that is known stays where the next page has none.
            guard total != 0 else { return }
            let second = try await service.move(session, "next")
            #expect(second["totalItems"] == total.map { .integer($0) } ?? .null)
        }
    }

    @Test(
        "The latest count is the one that counts",
        arguments: [
            [45, 45, 45], [100, 60, 20], [20, 60, 100], [45, 0], [0], [61, 60, 41], [40, 41, 40], [25, 21, 1],
        ])
    func changing(counts: [Int]) async throws {
        let steps = counts.enumerated().map { Script.Step.answer(.page(1, at: 20 * $0, total: $1)) }
        try await Service.run(Setup(steps: steps)) { service in
            let session = try await service.open()
            for (number, count) in counts.enumerated() {
                let page = try await service.move(session, "next")
                let pages = (count + 19) / 20
                #expect(page["totalItems"] == .integer(count) && page["numberOfPages"] == .integer(pages))
                #expect(page["hasNext"] == .bool(number + 1 < pages))
                if number + 1 >= pages {
                    try await service.expectRefusal(session, "next", "no-next-page")
                    break
                }
            }
        }
    }

    @Test(
        "A walk gets what is not hidden, once and in order, through short and empty pages",
        arguments: [0.1, 0.5, 0.9, 0.99, 1.0], [5, 20])
    func hidden(ratio: Double, size: Int) async throws {
        let faults = Faults([Fault(.hide(ratio: ratio))], around: try await Service.demo.value, seed: UInt64(size))
        try await Service.run(Setup(responder: faults)) { service in
            let all = try await service.move(try await service.openIncidents(#""itemsPerPage":60"#), "next").keys
            #expect(all.count < 60)
            let session = try await service.openIncidents("\"itemsPerPage\":\(size)")
            var keys: [String] = []
            for number in 1...60 / size {
                let page = try await service.move(session, "next")
                #expect(page["page"] == .integer(number) && page["hasNext"] == .bool(number < 60 / size))
                #expect(page["itemCount"] == .integer(page.keys.count) && page["totalItems"] == .integer(60))
                keys += page.keys
            }
            #expect(keys == all)
            try await service.expectRefusal(session, "next", "no-next-page")
        }
    }

    @Test(
        "Every status but 200 is one kind of problem",
        arguments: [
            (201, "failed"), (202, "failed"), (203, "failed"), (204, "failed"), (205, "failed"), (206, "failed"),
            (226, "failed"), (300, "failed"), (301, "failed"), (302, "failed"), (304, "failed"), (307, "failed"),
            (399, "failed"), (400, "query-rejected"), (401, "unauthenticated"), (402, "failed"), (403, "forbidden"),
            (404, "query-rejected"), (405, "failed"), (406, "failed"), (408, "failed"), (409, "failed"),
            (410, "failed"),
            (413, "failed"), (414, "query-rejected"), (415, "failed"), (418, "failed"), (422, "failed"),
            (429, "rate-limited"), (431, "failed"), (499, "failed"), (500, "failed"), (501, "failed"), (502, "failed"),
            (503, "unavailable"), (504, "failed"), (505, "failed"), (520, "failed"), (599, "failed"),
        ], ["", #"{"result":[{"sys_id":"a"}]}"#])
    func statuses(status: (Int, String), body: String) async throws {
        let problem = status.1 == "query-rejected" ? status.1 : "upstream-" + status.1
        let expected = [
            "query-rejected": 422, "upstream-forbidden": 403, "upstream-rate-limited": 429, "upstream-unavailable": 503,
        ]
        let response = body.isEmpty ? Response(status: status.0) : .json(body, status: status.0)
        try await Service.run(Setup(steps: [.answer(response)], restraint: Restraint(retries: 0))) { service in
            let session = try await service.openIncidents()
            let answer = try await service.expectFailure(session, problem, status: expected[problem] ?? 502)
            #expect(answer["upstream", "status"] == .integer(status.0) && answer.items.isEmpty)
            service.clock.advance(seconds: 60)
            #expect(try await service.move(session, "next").items.count == 20)
        }
    }

    /// What `Retry-After` comes to.
    enum Wait: Sendable, Equatable {
        /// So many seconds are waited.
        case waited(Int)
        /// The caller is told so many.
        case told(Int)
        /// Nothing was said that can be used: the service waits as long as it likes.
        case ignored
    }

    @Test(
        "Retry-After is understood in all its forms, and what it is not is ignored",
        arguments: [
            (["0"], .ignored), (["1"], .waited(1)), (["5"], .waited(5)), (["6"], .told(6)), (["3600"], .told(3600)),
            (["Sun, 06 Nov 1994 08:49:37 GMT"], .waited(4)), (["Sunday, 06-Nov-94 08:49:37 GMT"], .waited(4)),
            (["Sun Nov  6 08:49:37 1994"], .waited(4)), (["Sun, 06 Nov 1994 09:49:33 GMT"], .told(3600)),
            (["Sun, 06 Nov 1994 08:49:32 GMT"], .ignored), (["Thu, 01 Jan 1970 00:00:00 GMT"], .ignored),
            (["Fri, 31 Dec 9999 23:59:59 GMT"], .told(252_618_189_026)),
            (["-5"], .ignored), (["+5"], .ignored), (["1.5"], .ignored), (["soon"], .ignored), (["5 s"], .ignored),
            (["Sun, 06 Nov 1994"], .ignored), (["Sun, 06 Nov 1994 08:49:37 CET"], .ignored),
            (["4294967296"], .told(4_294_967_296)), (["9223372036854775807"], .told(.max)),
            (["99999999999999999999"], .told(.max)), (["3", "7"], .told(7)), (["7", "3"], .told(7)),
            (["3", "3"], .waited(3)), (["soon", "3"], .waited(3)), (["3", "soon"], .waited(3)),
        ] as [([String], Wait)], [429, 503])
    func waits(wait: ([String], Wait), status: Int) async throws {
        let headers = HeaderFields(
            [.init("Date", "Sun, 06 Nov 1994 08:49:33 GMT")] + wait.0.map { .init("Retry-After", $0) })
        let setup = Setup(steps: [.answer(Response(status: status, headers: headers))])
        try await Service.run(setup) { service in
            let session = try await service.openIncidents()
            let problem = status == 429 ? "upstream-rate-limited" : "upstream-unavailable"
            switch wait.1 {
            case .waited(let seconds):
                #expect(try await service.move(session, "next").items.count == 20)
                #expect(service.slept == [.seconds(seconds)])
            case .ignored:
                #expect(try await service.move(session, "next").items.count == 20)
                #expect(service.slept.reduce(.zero, +) <= .seconds(1))
            case .told(let seconds):
                let answer = try await service.expectFailure(session, problem, status: status)
                #expect(answer.headers["Retry-After"] == String(seconds))
                #expect(service.slept.isEmpty && service.script.requests.count == 1)
            }
        }
    }

    @Test(
        "A cookie is sent back until it ends, whatever its dates are",
        arguments: [
            ("a=1", "a=1"), ("a=1; Path=/; HttpOnly; Secure; SameSite=None", "a=1"), ("a=1; Path=/api/now", "a=1"),
            ("a=1; Path=/other", nil), ("a=1; Max-Age=0; Expires=Thu, 01-Jan-1970 00:00:10 GMT; Path=/", nil),
            ("a=; Expires=Thu, 01 Jan 1970 00:00:00 GMT", nil),
            ("a=1; Max-Age=2147483647; Expires=Sat, 18-Dec-2094 11:17:27 GMT; Path=/", "a=1"),
            ("a=1; Expires=Sat, 18 Dec 2094 11:17:27 GMT", "a=1"), ("a=1; Max-Age=99999999999999999999", "a=1"),
            ("a=1; Max-Age=-1", nil), ("a=1; Expires=whenever", "a=1"), ("a=1; Domain=127.0.0.1", "a=1"),
            ("a=1; Domain=elsewhere.invalid", nil), ("=1", nil), ("a", nil), ("a=\u{e9}", nil),
        ] as [(String, String?)])
    func cookies(header: String, sent: String?) async throws {
        let first = Response.page(20, at: 0, total: 60, headers: ["Set-Cookie": header])
        let steps = [Script.Step.answer(first)] + [20, 40].map { .answer(.page(20, at: $0, total: 60)) }
        try await Service.run(Setup(steps: steps)) { service in
            let session = try await service.open()
            for number in 1...3 {
                let page = try await service.move(session, "next")
                #expect(page["page"] == .integer(number) && page.headers["Set-Cookie"] == nil)
            }
            #expect(service.script.requests.map { $0.head.headers["Cookie"] } == [nil, sent, sent])
        }
    }
}
