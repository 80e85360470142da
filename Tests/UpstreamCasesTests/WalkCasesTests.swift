import DemoInstance
import HTTPModel
import Testing

/// What an instance sends for one page after the other, and what the service has to make of it.
struct Walk: Sendable, CustomTestStringConvertible {
    /// One answer of the instance.
    struct Sent: Sendable {
        var rows: Int
        var headers: HeaderFields
    }

    /// What the page then says.
    struct Seen: Sendable {
        var numberOfPages: Int
        var hasNext: Bool

        init(_ numberOfPages: Int, _ hasNext: Bool) {
            self.numberOfPages = numberOfPages
            self.hasNext = hasNext
        }
    }

    /// The cases that it is.
    var ids: [String]
    var what: String
    var itemsPerPage = 20
    var sent: [Sent]
    var seen: [Seen]

    var testDescription: String { "\(ids.joined(separator: ", ")): \(what)" }

    init(_ ids: String..., what: String, itemsPerPage: Int = 20, sent: [Sent], seen: [Seen]) {
        (self.ids, self.what, self.itemsPerPage, self.sent, self.seen) = (ids, what, itemsPerPage, sent, seen)
    }
}

private func sent(_ rows: Int, of total: Int? = nil, link: String? = nil, links: [String] = []) -> Walk.Sent {
    var headers = HeaderFields()
    if let total { headers.append("X-Total-Count", String(total)) }
    for link in (link.map { [$0] } ?? []) + links { headers.append("Link", link) }
    return Walk.Sent(rows: rows, headers: headers)
}

private func next(_ offset: Int, _ form: String = ";rel=\"next\"") -> String {
    "<http://127.0.0.1/api/now/table/incident?sysparm_limit=20&sysparm_offset=\(offset)>\(form)"
}

private let walks: [Walk] = [
    Walk(
        "A1", "A3", "A20", "A21", "F15",
        what: "a page in the middle is short: no end, and the next offset is not its size",
        sent: [sent(12, of: 45), sent(20, of: 45), sent(5, of: 45)],
        seen: [.init(3, true), .init(3, true), .init(3, false)]),
    Walk(
        "A2", what: "a page in the middle is empty", sent: [sent(20, of: 60), sent(0, of: 60), sent(20, of: 60)],
        seen: [.init(3, true), .init(3, true), .init(3, false)]),
    Walk(
        "A4", what: "far fewer rows than counted are no error", itemsPerPage: 1000,
        sent: Array(repeating: sent(285, of: 4416), count: 5),
        seen: Array(repeating: .init(5, true), count: 4) + [.init(5, false)]),
    Walk(
        "A5", what: "the last page is short and has no next one",
        sent: [sent(20, of: 45), sent(20, of: 45), sent(5, of: 45)],
        seen: [.init(3, true), .init(3, true), .init(3, false)]),
    Walk(
        "A6", what: "nobody waits for rows that never come", itemsPerPage: 1000,
        sent: Array(repeating: sent(1000, of: 6693), count: 6) + [sent(647, of: 6693)],
        seen: Array(repeating: .init(7, true), count: 6) + [.init(7, false)]),
    Walk("A6", what: "nine rows of ten", sent: [sent(9, of: 10)], seen: [.init(1, false)]),
    Walk(
        "A7", what: "the count shrinks by one", sent: [sent(20, of: 40), sent(19, of: 39)],
        seen: [.init(2, true), .init(2, false)]),
    Walk(
        "A8", "B8", what: "the count grows",
        sent: [sent(20, of: 40), sent(20, of: 61), sent(20, of: 61), sent(1, of: 61)],
        seen: [.init(2, true), .init(4, true), .init(4, true), .init(4, false)]),
    Walk("A10", what: "a count of zero", sent: [sent(0, of: 0)], seen: [.init(0, false)]),
    Walk(
        "A11", what: "no page too many", itemsPerPage: 100, sent: [sent(100, of: 160), sent(60, of: 160)],
        seen: [.init(2, true), .init(2, false)]),
    Walk(
        "A11", what: "no page too many", itemsPerPage: 100, sent: [sent(100, of: 150), sent(50, of: 150)],
        seen: [.init(2, true), .init(2, false)]),
    Walk(
        "A11", what: "no page too many", itemsPerPage: 100, sent: [sent(100, of: 199), sent(99, of: 199)],
        seen: [.init(2, true), .init(2, false)]),
    // The recommendation leaves numberOfPages unknown; by the interface it is known once the end was found.
    Walk(
        "A12", what: "without count and links only an empty page is the end",
        sent: [sent(20), sent(20), sent(3), sent(0)],
        seen: [.init(.max, true), .init(.max, true), .init(.max, true), .init(3, false)]),
    // The recommendation takes a page without rel="next" for the last one; by the interface rows mean that there may be
    // more, since E4 shows instances that leave the link out.
    Walk(
        "A13", what: "without a count, links",
        sent: [sent(20, link: next(20)), sent(20, link: next(40)), sent(5), sent(0)],
        seen: [.init(.max, true), .init(.max, true), .init(.max, true), .init(3, false)]),
    Walk(
        "A13", what: "without a count a link makes an empty page one in the middle",
        sent: [sent(20, link: next(20)), sent(0, link: next(40)), sent(5), sent(0)],
        seen: [.init(.max, true), .init(.max, true), .init(.max, true), .init(3, false)]),
    Walk(
        "A15", what: "the header's name in lower case",
        sent: [
            .init(rows: 20, headers: ["x-total-count": "45"]), .init(rows: 20, headers: ["X-TOTAL-COUNT": "45"]),
            sent(5, of: 45),
        ], seen: [.init(3, true), .init(3, true), .init(3, false)]),
    Walk(
        "A16", what: "an exact multiple", sent: [sent(20, of: 40), sent(20, of: 40)],
        seen: [.init(2, true), .init(2, false)]),
    Walk("A17", what: "a single page without links", sent: [sent(7, of: 7)], seen: [.init(1, false)]),
    Walk(
        "E1", what: "a link with commas in its target",
        sent: [
            sent(20),
            sent(
                0,
                link: "<http://h/api/now/table/incident?sysparm_fields=a,b,c&sysparm_offset=0>;rel=\"first\","
                    + "<http://h/api/now/table/incident?sysparm_fields=a,b,c&sysparm_offset=40>;rel=\"next\""),
            sent(0),
        ], seen: [.init(.max, true), .init(.max, true), .init(2, false)]),
    Walk(
        "E2", what: "a space before rel", sent: [sent(20), sent(0, link: next(40, "; rel=\"next\"")), sent(0)],
        seen: [.init(.max, true), .init(.max, true), .init(2, false)]),
    Walk(
        "E2", what: "rel without quotes", sent: [sent(20), sent(0, link: next(40, ";rel=next")), sent(0)],
        seen: [.init(.max, true), .init(.max, true), .init(2, false)]),
    Walk(
        "E2", what: "two fields",
        sent: [sent(20), sent(0, links: [next(0, ";rel=\"first\""), next(40)]), sent(0)],
        seen: [.init(.max, true), .init(.max, true), .init(2, false)]),
    Walk(
        "E3", what: "links that repeat the first parameters are not followed",
        sent: [
            sent(
                20,
                link:
                    "<http://h/api/now/table/incident?sysparm_offset=0&sysparm_limit=20&sysparm_offset=20>;rel=\"next\""
            ),
            sent(
                20,
                link:
                    "<http://h/api/now/table/incident?sysparm_offset=0&sysparm_limit=20&sysparm_offset=40>;rel=\"next\""
            ),
            sent(0),
        ], seen: [.init(.max, true), .init(.max, true), .init(2, false)]),
    Walk(
        "E4", what: "a link is missing though the count says more",
        sent: [sent(20, of: 45, link: next(20)), sent(20, of: 45), sent(5, of: 45)],
        seen: [.init(3, true), .init(3, true), .init(3, false)]),
    Walk(
        "E5", what: "with a count a link to the page itself does not matter",
        sent: [sent(20, of: 45, link: next(0)), sent(20, of: 45, link: next(20)), sent(5, of: 45)],
        seen: [.init(3, true), .init(3, true), .init(3, false)]),
    Walk(
        "F14", what: "a page size of 100", itemsPerPage: 100,
        sent: [sent(100, of: 250), sent(100, of: 250), sent(50, of: 250)],
        seen: [.init(3, true), .init(3, true), .init(3, false)]),
    Walk(
        "F16", what: "the last page is asked for in full, never with a limit of 0", itemsPerPage: 10,
        sent: [sent(10, of: 25), sent(10, of: 25), sent(5, of: 25)],
        seen: [.init(3, true), .init(3, true), .init(3, false)]),
    Walk(
        "F17", what: "a page size of 5", itemsPerPage: 5, sent: [sent(5, of: 6), sent(1, of: 6)],
        seen: [.init(2, true), .init(2, false)]),
    Walk(
        "F19", what: "a page is passed on whole", itemsPerPage: 44, sent: [sent(44, of: 45), sent(1, of: 45)],
        seen: [.init(2, true), .init(2, false)]),
    // That an instance caps the page cannot be told from hidden rows: the page says what came and what was counted.
    Walk(
        "F20", what: "an instance sends 100 rows where 2000 were asked for", itemsPerPage: 2000,
        sent: [sent(100, of: 195)],
        seen: [.init(1, false)]),
    Walk("F23", what: "a count of one and no row", sent: [sent(0, of: 1)], seen: [.init(1, false)]),
    Walk(
        "F24", what: "an empty link is none",
        sent: [sent(20, link: "<>;rel=\"next\""), sent(3, link: "<>;rel=\"next\""), sent(0, link: "<>;rel=\"next\"")],
        seen: [.init(.max, true), .init(.max, true), .init(2, false)]),
    Walk(
        "F26", what: "10,001 rows in 501 pages",
        sent: Array(repeating: sent(20, of: 10_001), count: 500) + [sent(1, of: 10_001)],
        seen: Array(repeating: .init(501, true), count: 500) + [.init(501, false)]),
]

@Suite(.timeLimit(.minutes(10))) struct WalkCasesTests {
    @Test("A walk sees every page that there is, and ends", arguments: walks)
    func walk(_ walk: Walk) async throws {
        let size = walk.itemsPerPage
        let steps = walk.sent.enumerated().map { number, sent in
            Script.Step.answer(.page(sent.rows, at: number * size, total: nil, headers: sent.headers))
        }
        try await Service.run(Setup(steps: steps)) { service in
            let session = try await service.open("\"itemsPerPage\":\(size)")
            var total: JSONValue = .null
            for (number, (sent, seen)) in zip(walk.sent, walk.seen).enumerated() {
                let page = try await service.call("POST", "\(session)/next?after=\(number)")
                total = sent.headers["X-Total-Count"].flatMap { Int($0) }.map { .integer($0) } ?? total
                #expect(page.status == 200)
                #expect(page["page"] == .integer(seen.numberOfPages == 0 ? 0 : number + 1))
                #expect(page["numberOfPages"] == .integer(seen.numberOfPages))
                #expect(page["hasNext"] == .bool(seen.hasNext))
                #expect(page["itemCount"] == .integer(sent.rows) && page["itemsPerPage"] == .integer(size))
                #expect(page["totalItems"] == total)
                #expect(page.keys == (0..<sent.rows).map { "row \(number * size + $0)" })
                #expect((page["links", "next"] != nil) == seen.hasNext)
            }
            try await service.expectRefusal(session, "next", "no-next-page")
            #expect(service.windows == walk.sent.indices.map { Window($0 * size, size) })
            #expect(service.script.isOver)
        }
    }

    @Test("F20: no page may be larger than 10,000 rows", arguments: [0, -1, 10_001, 1 << 40])
    func largePages(size: Int) async throws {
        try await Service.run { service in
            let body = #"{"table":"incident","itemsPerPage":\#(size)}"#
            let answer = try await service.call("POST", "/sessions", body: body)
            #expect(answer.status == 422 && answer.problem == "invalid-parameter")
        }
    }

    @Test("E5: without a count, a link that leads nowhere and a page that comes again are no progress")
    func noProgress() async throws {
        let same = Response.page(20, at: 0, total: nil)
        let linkToItself = Response.page(20, at: 20, total: nil, headers: ["Link": next(20)])
        let setup = Setup(steps: [
            .answer(same), .answer(linkToItself), .answer(same), .answer(.page(20, at: 20, total: nil)),
        ])
        try await Service.run(setup) { service in
            let session = try await service.open()
            #expect(try await service.move(session, "next").status == 200)
            for _ in 0..<2 { _ = try await service.expectFailure(session, "upstream-failed", status: 502) }
            let page = try await service.move(session, "next")
            #expect(page["page"] == .integer(2) && page.keys.first == "row 20")
            #expect(service.windows.map(\.offset) == [0, 20, 20, 20])
        }
    }

    @Test("A19: rows whose sys_id is null or missing are passed on as they are", arguments: [true, false])
    func rowsWithoutKeys(counts: Bool) async throws {
        let rows = [#"{"sys_id":null,"n":1}"#, #"{"n":2}"#, #"{"sys_id":"","n":3}"#]
        func page(_ more: String) -> Script.Step {
            .answer(
                .json(
                    "{\"result\":[\((rows + [more]).joined(separator: ","))]}",
                    headers: counts ? ["X-Total-Count": "8"] : [:]))
        }
        try await Service.run(Setup(steps: [page(#"{"n":4}"#), page(#"{"n":5}"#), page(#"{"n":5}"#)])) { service in
            let session = try await service.open(#""itemsPerPage":4"#)
            let first = try await service.move(session, "next")
            #expect(first.text.hasSuffix("\"items\":[\(rows.joined(separator: ",")),{\"n\":4}]}"))
            #expect(try await service.move(session, "next").items.count == 4)
            // Without a count rows are compared as wholes.
            if !counts { _ = try await service.expectFailure(session, "upstream-failed", status: 502) }
            #expect(service.windows.map(\.offset) == (counts ? [0, 4] : [0, 4, 8]))
        }
    }

    @Test(
        "A7: a list that loses rows between two calls ends where it then ends, and previous goes back to its last page")
    func shrinks() async throws {
        let setup = Setup(steps: [.passOn(), .passOn(), .passOn(lacking: 21), .passOn(lacking: 21)])
        try await Service.run(setup) { service in
            let session = try await service.open(#""query":"ORDERBYnumber","fields":["sys_id"]"#)
            for number in 1...2 { #expect(try await service.move(session, "next")["page"] == .integer(number)) }
            let beyond = try await service.move(session, "next")
            #expect(beyond["page"] == .integer(3) && beyond["numberOfPages"] == .integer(2))
            #expect(beyond["hasNext"] == .bool(false) && beyond["totalItems"] == .integer(39) && beyond.items.isEmpty)
            let back = try await service.move(session, "previous")
            #expect(back["page"] == .integer(2) && back.items.count == 19)
        }
    }
}
