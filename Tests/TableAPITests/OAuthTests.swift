import Clocks
import HTTPModel
import Pagination
import PaginatordTesting
import Testing

@testable import TableAPI

@Suite struct OAuthTests {
    private let clock = ManualClock()

    private func service(_ transport: AnsweringTransport, _ client: OAuthClient = .sample) throws -> TableService {
        let clock = clock
        return TableService(
            instance: try Instance(
                url: "https://x.service-now.com", credentials: .oauth(client), timeout: .seconds(7),
                restraint: Restraint(retries: 0)),
            transport: transport, now: { clock.now.milliseconds / 1000 },
            clock: RequestClock(uptime: { .milliseconds(clock.now.milliseconds) }) { _ throws(CancellationError) in
                // Whoever sleeps is woken up by nothing but a cancellation.
                do { try await Task.sleep(for: .seconds(600)) } catch { throw CancellationError() }
            })
    }

    private func read(_ service: TableService, offset: Int = 0) async throws -> PageAnswer {
        try await service.source(of: "incident").fetch(PageRequest(offset: offset, limit: 20))
    }

    @Test(
        "A token is asked for by a form, and then sent",
        arguments: [
            (OAuthClient.sample, "grant_type=client_credentials&client_id=paginatord&client_secret=client%20secret"),
            (
                .ofUser,
                "grant_type=password&username=reader&password=p%2Bw%26%C3%A9&client_id=paginatord"
                    + "&client_secret=client%20secret"
            ),
        ])
    func form(client: OAuthClient, expected: String) async throws {
        let instance = GrantingInstance()
        let transport = AnsweringTransport { instance.answer($0) }
        let service = try service(transport, client)
        for _ in 0..<3 { _ = try await read(service) }
        let request = try #require(transport.requests.first)
        #expect(request.method == "POST" && request.url == "https://x.service-now.com/oauth_token.do")
        #expect(request.headers["Content-Type"] == "application/x-www-form-urlencoded")
        #expect(request.headers["Authorization"] == nil && request.timeout == .seconds(7))
        #expect(transport.grants == [expected])
        #expect(transport.reads.map { $0.headers["Authorization"] } == Array(repeating: "Bearer token-1", count: 3))
    }

    @Test("A hundred requests that wait share one renewal", arguments: [false, true])
    func shared(isRenewal: Bool) async throws {
        let instance = GrantingInstance()
        let gate = Gate()
        let transport = AnsweringTransport { request in
            if request.url.hasSuffix(tokenPath) { await gate.wait() }
            return instance.answer(request)
        }
        let service = try service(transport)
        if isRenewal {
            gate.open()
            _ = try await read(service)
            instance.revoke()
        }
        try await withThrowingTaskGroup(of: Int.self) { group in
            for number in 0..<100 { group.addTask { try await read(service, offset: number).rows.count } }
            if !isRenewal {
                try await eventually("the token is asked for") { transport.grants.count == 1 }
                for _ in 0..<1000 { await Task.yield() }
                gate.open()
            }
            for try await count in group { #expect(count == 20) }
        }
        #expect(transport.grants.count == (isRenewal ? 2 : 1))
    }

    @Test("A token is renewed before its end, by the refresh token where there is one", arguments: [false, true])
    func beforeExpiry(refreshes: Bool) async throws {
        let instance = GrantingInstance(lifetime: 1800, refreshes: refreshes)
        let transport = AnsweringTransport { instance.answer($0) }
        let service = try service(transport)
        _ = try await read(service)
        clock.advance(seconds: 1739)
        _ = try await read(service)
        #expect(transport.grants.count == 1)
        clock.advance(seconds: 1)
        _ = try await read(service)
        #expect(transport.grants.count == 2)
        #expect(
            transport.grants[1].hasPrefix(
                refreshes ? "grant_type=refresh_token&refresh_token=refresh-1&" : "grant_type=client_credentials&"))
        #expect(transport.reads.map { $0.headers["Authorization"]?.last } == ["1", "1", "2"])
    }

    @Test("While one request renews a token before its end, others go on with it")
    func othersGoOn() async throws {
        let instance = GrantingInstance(lifetime: 100)
        let gate = Gate()
        let waiting = AnsweringTransport { [clock] request in
            if request.url.hasSuffix(tokenPath), clock.now.milliseconds > 1_796_000_000_000 { await gate.wait() }
            return instance.answer(request)
        }
        let service = try service(waiting)
        _ = try await read(service)
        clock.advance(seconds: 95)
        async let renewing = read(service, offset: 20)
        try await eventually("the renewal is under way") { waiting.grants.count == 2 }
        #expect(try await read(service).rows.count == 20)
        #expect(waiting.reads.count == 2)
        gate.open()
        #expect(try await renewing.rows.count == 20)
        #expect(waiting.reads.last?.headers["Authorization"] == "Bearer token-2")
    }

    @Test("D9, F22: a token that is refused is renewed once, and the same window fetched again")
    func refused() async throws {
        let instance = GrantingInstance()
        let transport = AnsweringTransport { instance.answer($0) }
        let paginator = try service(transport).paginator(from: "incident")
        try await paginator.next()
        try await paginator.next()
        instance.revoke()
        #expect(try await paginator.next().rows.count == 20)
        #expect(await paginator.page == 3)
        #expect(transport.grants.count == 2)
        #expect(
            transport.reads.map { $0.url.split(separator: "=").last } == ["0", "20", "40", "40"])
        #expect(transport.reads.last?.headers["Authorization"] == "Bearer token-2")
    }

    @Test("D11: a token that ends between two attempts is replaced for the second")
    func betweenAttempts() async throws {
        let instance = GrantingInstance(lifetime: 100)
        let transport = ScriptedThenGranting(instance)
        let service = try service(transport.transport)
        await #expect(throws: PageSourceError.rateLimited(.init(status: 429), retryAfter: 200)) {
            try await read(service, offset: 40)
        }
        clock.advance(seconds: 200)
        #expect(try await read(service, offset: 40).rows.count == 20)
        #expect(transport.transport.reads.map { $0.headers["Authorization"]?.last } == ["1", "2"])
        #expect(Set(transport.transport.reads.map(\.url)).count == 1)
    }

    @Test("D14: refused twice, the instance's refusal is the service's and not the caller's")
    func refusedTwice() async throws {
        let instance = GrantingInstance()
        let transport = AnsweringTransport { request in
            request.url.hasSuffix(tokenPath) ? instance.answer(request) : .refused
        }
        let service = try service(transport)
        let expected = PageSourceError.unauthenticated(
            .init(
                status: 401, message: "User Not Authenticated", detail: "Required to provide Auth information"))
        await #expect(throws: expected) { try await read(service) }
        #expect(transport.grants.count == 2 && transport.reads.count == 2)
        // And again and again: the endpoint is asked once a second at most.
        for _ in 0..<10 { await #expect(throws: expected) { try await read(service) } }
        #expect(transport.grants.count == 2)
        clock.advance(seconds: 1)
        for _ in 0..<10 { await #expect(throws: expected) { try await read(service) } }
        #expect(transport.grants.count == 3)
    }

    @Test("A refresh token that is not taken any more gives way to the client's own grant")
    func refreshRefused() async throws {
        let instance = GrantingInstance(lifetime: 100, refreshes: true)
        let transport = AnsweringTransport { request in
            request.body.starts(with: "grant_type=refresh_token".utf8)
                ? .json(#"{"error":"invalid_grant"}"#, status: 401) : instance.answer(request)
        }
        let service = try service(transport, .ofUser)
        _ = try await read(service)
        clock.advance(seconds: 100)
        _ = try await read(service)
        #expect(
            transport.grants.map { $0.prefix { $0 != "&" } } == [
                "grant_type=password", "grant_type=refresh_token", "grant_type=password",
            ])
    }

    @Test(
        "A grant that fails is told as what it is, without what the endpoint says, and not asked for at once again",
        arguments: [
            (
                IncomingResponse.json(#"{"error":"invalid_client","error_description":"hunter2"}"#, status: 401),
                PageSourceError.unauthenticated(.init(status: 401, message: "invalid_client"))
            ),
            (.json(#"{"error":"hunter2"}"#, status: 400), .unauthenticated(.init(status: 400))),
            (.json("hunter2", status: 403), .unauthenticated(.init(status: 403))),
            (.json("", status: 503, headers: ["Retry-After": "7"]), .unavailable(.init(status: 503), retryAfter: 7)),
            (.json("<html>", status: 502), .unavailable(.init(status: 502), retryAfter: nil)),
            (
                .json("", status: 500),
                .failed(.init(status: 500), reason: "the instance's token endpoint answered with status 500")
            ),
            (
                .json("<html><title>Instance Hibernating page</title>"),
                .unavailable(.init(status: 200), retryAfter: nil)
            ),
            (.json("<html>hunter2"), withoutToken), (.json("{}"), withoutToken), (.json("[]"), withoutToken),
            (.json(#"{"access_token":5}"#), withoutToken), (.json(#"{"access_token":""}"#), withoutToken),
            (.json(#"{"access_token":"hunter2\r\nX-Evil: 1"}"#), withoutToken),
            (.json(#"{"access_token":"hunter2","token_type":"mac"}"#), withoutToken),
            (.json(#"{"access_token":"hunter2""#), withoutToken),
        ])
    func failures(response: IncomingResponse, expected: PageSourceError) async throws {
        let transport = AnsweringTransport { _ in response }
        let service = try service(transport)
        for _ in 0..<3 { await #expect(throws: expected) { try await read(service) } }
        #expect(transport.requests.count == 1)
        #expect(!"\(expected)".contains("hunter2"))
        clock.advance(seconds: 1)
        await #expect(throws: expected) { try await read(service) }
        #expect(transport.requests.count == 2)
    }

    @Test("A grant that comes too early for the instance holds everything back until the instance's time is over")
    func limitedGrant() async throws {
        let transport = AnsweringTransport { _ in .json("", status: 429, headers: ["Retry-After": "7"]) }
        let service = try service(transport)
        await #expect(throws: PageSourceError.rateLimited(.init(status: 429), retryAfter: 7)) {
            try await read(service)
        }
        clock.advance(seconds: 1)
        await #expect(throws: PageSourceError.rateLimited(nil, retryAfter: 6)) { try await read(service) }
        #expect(transport.requests.count == 1)
        clock.advance(seconds: 6)
        await #expect(throws: PageSourceError.rateLimited(.init(status: 429), retryAfter: 7)) {
            try await read(service)
        }
        #expect(transport.requests.count == 2)
    }

    private static let withoutToken = PageSourceError.failed(
        .init(status: 200), reason: "the instance's token endpoint answered without a token")

    @Test("A request that is given up while it gets a token for all lets the next one get it")
    func handsOver() async throws {
        let instance = GrantingInstance()
        let gate = Gate()
        let transport = AnsweringTransport { request throws(TransportError) in
            if request.url.hasSuffix(tokenPath) {
                await gate.wait()
                if Task.isCancelled { throw .cancelled }
            }
            return instance.answer(request)
        }
        let service = try service(transport)
        let first = Task { try await read(service) }
        try await eventually("the first asks") { transport.grants.count == 1 }
        let second = Task { try await read(service, offset: 20) }
        first.cancel()
        gate.open()
        #expect(try await second.value.rows.count == 20)
        await #expect(throws: PageSourceError.stopping) { try await first.value }
        #expect(transport.grants.count == 2)
    }

    @Test("A request that is given up while it waits for another's token leaves at once")
    func leaves() async throws {
        let instance = GrantingInstance()
        let gate = Gate()
        let transport = AnsweringTransport { request in
            if request.url.hasSuffix(tokenPath) { await gate.wait() }
            return instance.answer(request)
        }
        let service = try service(transport)
        async let first = read(service)
        try await eventually("the first asks") { transport.grants.count == 1 }
        let second = Task { try await read(service, offset: 20) }
        second.cancel()
        await #expect(throws: PageSourceError.stopping) { try await second.value }
        gate.open()
        #expect(try await first.rows.count == 20)
        #expect(transport.grants.count == 1)
    }
}

/// An instance whose first answer for a table is a 429.
private final class ScriptedThenGranting: Sendable {
    let transport: AnsweringTransport

    init(_ instance: GrantingInstance) {
        let isFirst = ScriptedTransport(.json("", status: 429, headers: ["Retry-After": "200"]), .json(""))
        transport = AnsweringTransport { request throws(TransportError) in
            if request.url.hasSuffix(tokenPath) { return instance.answer(request) }
            let scripted = try await isFirst.send(request)
            return scripted.status == 429 ? scripted : instance.answer(request)
        }
    }
}
