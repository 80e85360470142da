import Clocks
import DemoInstance
import HTTPModel
import PaginatordTesting
import TableAPI
import Testing

/// Access tokens and sessions of the instance that end in the middle of a walk.
@Suite(.timeLimit(.minutes(10))) struct CredentialCasesTests {
    /// An instance that grants tokens, by the same clock as the service's.
    private func setup(_ steps: [Script.Step], lifetime: Duration = .seconds(1800)) async throws -> Setup {
        var setup = Setup(steps: steps)
        var options = DemoInstance.Options()
        options.incidents = 60
        options.oauthClient = .init(id: "paginatord", secret: "hunter2")
        options.tokenLifetime = lifetime
        options.clock = setup.clock.clock
        setup.responder = try await DemoInstance(options)
        setup.credentials = .oauth(.init(id: "paginatord", secret: Secret("hunter2"), grant: .clientCredentials))
        return setup
    }

    private func grants(_ service: Service) -> Int {
        service.script.requests.count { $0.head.method == "POST" && $0.head.target == "/oauth_token.do" }
    }

    private func tokens(_ service: Service) -> [String?] {
        service.script.requests.filter { $0.head.method == "GET" }.map { $0.head.headers["Authorization"] }
    }

    @Test("D9: a token that is refused on page 3 is renewed once, and page 3 comes from the same offset")
    func refusedToken() async throws {
        // The token, two pages, the refusal.
        let setup = try await setup([.passOn(), .passOn(), .passOn(), .fault(.unauthorized)])
        try await Service.run(setup) { service in
            let session = try await service.openIncidents()
            for number in 1...3 { #expect(try await service.move(session, "next")["page"] == .integer(number)) }
            #expect(service.windows.map(\.offset) == [0, 20, 40, 40])
            #expect(grants(service) == 2)
        }
    }

    @Test("D9: a token that is refused again after it was renewed is told, with one renewal for each move")
    func refusedTwice() async throws {
        let setup = try await setup([.passOn(), .fault(.unauthorized), .passOn(), .fault(.unauthorized)])
        try await Service.run(setup) { service in
            let session = try await service.openIncidents()
            let answer = try await service.expectFailure(session, "upstream-unauthenticated", status: 502)
            #expect(answer["upstream", "status"] == .integer(401) && answer.headers["WWW-Authenticate"] == nil)
            #expect(grants(service) == 2)
            service.clock.advance(seconds: 60)
            #expect(try await service.move(session, "next")["page"] == .integer(1))
        }
    }

    @Test("D11: a token that ends while a rate limit is waited for is renewed before the next attempt")
    func tokenEndsInWait() async throws {
        let setup = try await setup(
            [.passOn(), .passOn(), .fault(.rateLimit(.queue, retryAfter: .seconds(3)))], lifetime: .seconds(2))
        try await Service.run(setup) { service in
            let session = try await service.openIncidents()
            for number in 1...2 { #expect(try await service.move(session, "next")["page"] == .integer(number)) }
            #expect(service.slept == [.seconds(3)])
            #expect(service.windows.map(\.offset) == [0, 20, 20])
            let sent = tokens(service)
            #expect(sent[0] == sent[1] && sent[1] != sent[2] && grants(service) == 2)
        }
    }

    @Test("F22: a walk goes on at its offset with another token")
    func otherToken() async throws {
        let keys = try await Service.incidents.value
        try await Service.run(try await setup([])) { service in
            let session = try await service.openIncidents()
            for _ in 0..<2 { _ = try await service.move(session, "next") }
            service.clock.advance(seconds: 3600)
            let page = try await service.move(session, "next")
            #expect(page["page"] == .integer(3) && page.keys == Array(keys[40...]))
            #expect(service.windows.map(\.offset) == [0, 20, 40])
            #expect(Set(tokens(service)).count == 2)
        }
    }

    @Test("F22: a walk goes on at its offset in another session of the instance")
    func otherSession() async throws {
        let steps = ["a", "b", "c"].enumerated().map { number, name in
            let headers: HeaderFields = ["Set-Cookie": "JSESSIONID=\(name); Path=/; HttpOnly"]
            return Script.Step.answer(.page(20, at: number * 20, total: 60, headers: headers))
        }
        try await Service.run(Setup(steps: steps)) { service in
            let session = try await service.open()
            for _ in 0..<3 { _ = try await service.move(session, "next") }
            #expect(service.windows.map(\.offset) == [0, 20, 40])
            #expect(
                service.script.requests.map { $0.head.headers["Cookie"] } == [nil, "JSESSIONID=a", "JSESSIONID=b"])
        }
    }

    @Test("D14: refused credentials of the caller's own are the caller's 401")
    func forwarded() async throws {
        let setup = Setup(steps: [.fault(.unauthorized)], credentials: .forward)
        try await Service.run(setup) { service in
            let headers: HeaderFields = ["Authorization": "Bearer hunter2"]
            let answer = try await service.call("GET", "/tables/incident", headers: headers)
            #expect(answer.status == 401 && answer.problem == "authentication-required")
            #expect(answer.headers["WWW-Authenticate"] != nil && !answer.text.contains("hunter2"))
        }
    }
}
