import DemoInstance
import HTTPModel
import Testing

/// The order in which rows are asked for, and lists that change between two pages. The demo instance gives rows that its
/// query leaves equal in another order at every request.
@Suite(.timeLimit(.minutes(10))) struct OrderCasesTests {
    @Test(
        "The tie-break is the last term of the query, on every page",
        arguments: [
            ("B1", nil, "ORDERBYsys_id"), ("B1", "active=true", "active=true^ORDERBYsys_id"),
            ("B2", "ORDERBYu_column_1", "ORDERBYu_column_1^ORDERBYsys_id"),
            ("B3", "active=true^ORDERBYDESCnumber", "active=true^ORDERBYDESCnumber^ORDERBYsys_id"),
            ("B3", "active=true^ORDERBYDESCnumber^ORDERBYsys_id", "active=true^ORDERBYDESCnumber^ORDERBYsys_id"),
            ("B3", "ORDERBYDESCsys_id^active=true", "ORDERBYDESCsys_id^active=true"),
            ("B3", "ORDERBYsys_id_x", "ORDERBYsys_id_x^ORDERBYsys_id"),
            ("B9", "a=1^ORDERBYnumber^NQb=2", "a=1^ORDERBYnumber^NQb=2^ORDERBYsys_id"),
            ("B9", "a=1^ORDERBYsys_id^NQb=2", "a=1^ORDERBYsys_id^NQb=2"),
            (
                "B10", "sys_updated_on>javascript:gs.minutesAgoStart(5)",
                "sys_updated_on>javascript:gs.minutesAgoStart(5)^ORDERBYsys_id"
            ),
        ] as [(String, String?, String)])
    func query(id: String, query: String?, sent: String) async throws {
        let steps = (0..<3).map { Script.Step.answer(.page(20, at: 20 * $0, total: 60)) }
        try await Service.run(Setup(steps: steps)) { service in
            let session = try await service.open(query.map { "\"query\":\"\($0)\"" } ?? "")
            for _ in 0..<3 { #expect(try await service.move(session, "next").status == 200) }
            #expect(service.script.requests.map(\.query) == Array(repeating: sent, count: 3))
        }
    }

    @Test(
        "A walk gets every row once where the order leaves rows equal, and only because of the tie-break",
        arguments: [
            ("B1", nil, 5), ("B2", "ORDERBYpriority", 5), ("B3", "active=true^ORDERBYDESCstate", 3),
            ("B7", "ORDERBYsys_class_name", 200), ("B9", "active=true^ORDERBYpriority^NQactive=false", 7),
        ] as [(String, String?, Int)])
    func ties(id: String, query: String?, size: Int) async throws {
        for isStable in [true, false] {
            // One of its own, whose changes of order follow from nothing but the requests of this walk.
            let demo = try await DemoInstance(incidents: size == 200 ? 1201 : 60)
            try await Service.run(Setup(responder: demo)) { service in
                let session = try await service.open(
                    (query.map { "\"query\":\"\($0)\"," } ?? "")
                        + "\"fields\":[\"sys_id\"],\"itemsPerPage\":\(size),\"stableOrder\":\(isStable)")
                var keys: [String] = []
                var total: JSONValue?
                while true {
                    let page = try await service.move(session, "next")
                    keys += page.keys
                    total = page["totalItems"]
                    if page["hasNext"] != .bool(true) { break }
                }
                #expect(total == .integer(keys.count))
                #expect((Set(keys).count == keys.count) == isStable)
            }
        }
    }

    // The service keeps no list of what it delivered: that a row comes twice after an insertion in front of it is a limit of
    // reading by offset, and the count tells that the list has changed.
    @Test("B4: a row that comes in front between two pages brings the last one again, and the count tells")
    func insertion() async throws {
        let keys = try await Service.incidents.value
        try await Service.run(Setup(steps: [.passOn(lacking: 1), .passOn()])) { service in
            let session = try await service.openIncidents()
            let first = try await service.move(session, "next")
            #expect(first.keys == Array(keys[1...20]) && first["totalItems"] == .integer(59))
            let second = try await service.move(session, "next")
            #expect(second.keys == Array(keys[20..<40]) && second["totalItems"] == .integer(60))
        }
    }

    @Test("B5: a row that goes in front between two pages hides one, and the count tells")
    func deletion() async throws {
        let keys = try await Service.incidents.value
        try await Service.run(Setup(steps: [.passOn(), .passOn(lacking: 1)])) { service in
            let session = try await service.openIncidents()
            #expect(try await service.move(session, "next").keys == Array(keys[..<20]))
            let second = try await service.move(session, "next")
            #expect(second.keys == Array(keys[21..<41]) && second["totalItems"] == .integer(59))
            #expect(try await service.call("GET", session)["totalItems"] == .integer(59))
        }
    }

    @Test("B8: a walk ends by the latest count and not by the first")
    func growth() async throws {
        let setup = Setup(steps: [.passOn(lacking: 20), .passOn(), .passOn()])
        try await Service.run(setup) { service in
            let session = try await service.openIncidents()
            var pages: [JSONValue?] = []
            while pages.count < 9 {
                let page = try await service.move(session, "next")
                pages.append(page["numberOfPages"])
                if page["hasNext"] != .bool(true) { break }
            }
            #expect(pages == [.integer(2), .integer(3), .integer(3)])
        }
    }
}
