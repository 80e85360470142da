import Foundation
import HTTPModel
import PaginatordTesting
import Testing

/// The service as a user starts it, over its built-in instance.
@Suite(.timeLimit(.minutes(10)))
struct DemoWalkTests {
    @Test("next by links until hasNext is false delivers every record of the query exactly once")
    func walk() async throws {
        let program = try RunningProgram(["serve", "--demo", "--listen", "127.0.0.1:0", "--log-level", "warning"])
        let instance = try RunningProgram(["demo-instance", "--listen", "127.0.0.1:0"])
        let caller = try Caller(await program.listeningURL())
        let reference = try Caller(await instance.listeningURL())

        let list = try await reference.call(
            "GET", "/api/now/table/incident?sysparm_query=active%3Dtrue&sysparm_fields=sys_id&sysparm_limit=10000")
        let held = (list["result", as: [[String: String]].self] ?? []).compactMap { $0["sys_id"] }
        #expect(held.count > 1000)

        let session = try await caller.open(
            #"{"table":"incident","query":"active=true","fields":["sys_id","number"],"itemsPerPage":100}"#)
        var answer = try await caller.call("POST", session + "/next?after=0")
        var delivered: [String] = []
        var pages = 0
        while true {
            try #require(answer.status == 200, "\(String(decoding: answer.body, as: UTF8.self))")
            pages += 1
            delivered += answer.keys
            #expect(answer["page"] == pages)
            #expect(answer["position"] == pages)
            guard answer["hasNext"] == true, let next = answer.link("next") else { break }
            answer = try await caller.call("POST", next)
        }
        #expect(pages == (held.count + 99) / 100)
        #expect(answer["totalItems"] == held.count)
        #expect(delivered.count == held.count)
        #expect(Set(delivered) == Set(held))
        #expect(delivered == delivered.sorted(), "without an order of its own a query is read by sys_id")

        let refused = try await caller.call("POST", session + "/next")
        #expect(refused.status == 409)
        #expect(refused["type"] == "/problems/no-next-page")

        await caller.close()
        await reference.close()
        #expect(try await program.stop() == 0)
        #expect(try await instance.stop() == 0)
    }

    @Test("first, next, previous, last, reset and pages/{n} behave as the Paginator class does")
    func moves() async throws {
        let program = try RunningProgram(["serve", "--demo", "--listen", "127.0.0.1:0", "--log-level", "warning"])
        let caller = try Caller(await program.listeningURL())
        let session = try await caller.open(#"{"table":"sys_user","fields":["sys_id"],"itemsPerPage":150}"#)

        let fresh = try await caller.call("GET", session)
        #expect(String(decoding: fresh.body, as: UTF8.self).contains(#""numberOfPages":9223372036854775807"#))
        #expect(fresh["hasNext"] == true && fresh["hasPrevious"] == false && fresh["page"] == 0)

        // Each move: its name, the page it has to lead to, and the rows of that page (500 users, 150 per page).
        let steps: [(String, page: Int, rows: Int)] = [
            ("first", 1, 150), ("next", 2, 150), ("last", 4, 50), ("previous", 3, 150), ("next", 4, 50),
            ("first", 1, 150),
        ]
        var pages: [Int: [String]] = [:]
        for (index, step) in steps.enumerated() {
            let answer = try await caller.call(index % 2 == 0 ? "POST" : "GET", "\(session)/\(step.0)?after=\(index)")
            #expect(answer.status == 200)
            #expect(answer["page"] == step.page)
            #expect(answer["numberOfPages"] == 4)
            #expect(answer["itemCount"] == step.rows && answer.keys.count == step.rows)
            #expect(answer["hasNext"] == (step.page < 4) && answer["hasPrevious"] == (step.page > 1))
            #expect(answer["position"] == index + 1)
            #expect(pages.updateValue(answer.keys, forKey: step.page).map { $0 == answer.keys } != false)

            let repeated = try await caller.call("POST", "\(session)/\(step.0)?after=\(index)")
            #expect(repeated.body == answer.body)
            #expect(repeated.headers["Cache-Status"] == "paginatord; hit; detail=replay")
        }
        #expect(Set(pages.values.joined()).count == 500)

        let byNumber = try await caller.call("GET", session + "/pages/3")
        #expect(byNumber.keys == pages[3])
        #expect(byNumber["position"] == steps.count)
        #expect(try await caller.call("GET", session + "/pages/9").keys.isEmpty)

        let reset = try await caller.call("POST", session + "/reset")
        #expect(reset["page"] == 0 && reset["numberOfPages"] == 4 && reset["position"] == steps.count + 1)
        #expect(try await caller.call("POST", session + "/previous").status == 409)
        let again = try await caller.call("POST", session + "/next")
        #expect(again["page"] == 1 && again.keys == pages[1])

        #expect(try await caller.call("PATCH", session, #"{"publisherShouldFinish":true}"#).status == 200)
        let last = try await caller.call("POST", session + "/last")
        #expect(last["isFinished"] == true)
        #expect(try await caller.call("POST", session + "/first").status == 409)
        #expect(try await caller.call("DELETE", session).status == 204)
        #expect(try await caller.call("POST", session + "/next").status == 410)
        await caller.close()
        #expect(try await program.stop() == 0)
    }

    @Test("The health check finds the service, and says so when there is none")
    func health() async throws {
        let program = try RunningProgram(["serve", "--demo", "--listen", "127.0.0.1:0"])
        let url = try await program.listeningURL()
        #expect(try await RunningProgram(["healthcheck", url]).exitStatus() == 0)
        #expect(try await program.stop() == 0)
        #expect(try await RunningProgram(["healthcheck", url]).exitStatus() == 69)
    }

    @Test("A second service on the same port ends with a clear error and exit code 69")
    func takenPort() async throws {
        let program = try RunningProgram(["serve", "--demo", "--listen", "127.0.0.1:0"])
        let address = try await program.listeningURL().dropFirst("http://".count)
        let second = try RunningProgram(["serve", "--demo", "--listen", String(address)])
        #expect(try await second.exitStatus() == 69)
        try await second.silence()
        #expect(second.standardError.contains("\(address) is already in use"))
        #expect(try await program.stop() == 0)
    }
}
