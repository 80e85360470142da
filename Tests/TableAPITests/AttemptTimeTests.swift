import HTTPModel
import Pagination
import PaginatordTesting
import Testing

@testable import TableAPI

struct AttemptTimeTests {
    private let time = ManualTime()

    private func service(
        _ transport: AnsweringTransport, deadline: Int = 180
    ) throws -> TableService {
        let time = time
        return TableService(
            instance: try Instance(
                url: "https://x.service-now.com", credentials: .oauth(.sample), timeout: .seconds(7),
                restraint: Restraint(concurrency: 2, deadline: .seconds(deadline), retries: 0)),
            transport: transport, now: { Int(time.now.components.seconds) }, clock: time.clock, jitter: { 0 })
    }

    private func read(_ service: TableService, offset: Int = 0) async throws -> PageAnswer {
        try await service.source(of: "incident").fetch(PageRequest(offset: offset, limit: 20))
    }

    @Test(
        "An attempt, the requests for its token included, has one timeout, and a fetch one deadline",
        arguments: [
            // The first token; one for a token that was refused; one whose refresh token was refused, too.
            (isRevoked: false, refreshes: false, deadline: 180, timeouts: [7, 5], hasPage: true),
            (true, false, 180, [7, 5, 3], true), (true, true, 180, [7, 5, 3, 1], true),
            (false, false, 5, [5, 3], true), (true, false, 5, [5, 3, 1], true), (true, true, 5, [5, 3, 1], false),
        ])
    func oneTime(isRevoked: Bool, refreshes: Bool, deadline: Int, timeouts: [Int], hasPage: Bool) async throws {
        let instance = GrantingInstance(lifetime: nil, refreshes: refreshes)
        let isSlow = Shared(!isRevoked)
        let transport = AnsweringTransport { [time] request in
            if isSlow.current { time.advance(.seconds(2)) }
            return request.body.starts(with: "grant_type=refresh_token".utf8)
                ? .json(#"{"error":"invalid_grant"}"#, status: 401) : instance.answer(request)
        }
        let service = try service(transport, deadline: deadline)
        if isRevoked {
            _ = try await read(service)
            instance.revoke()
            isSlow.change { $0 = true }
        }
        let before = transport.requests.count
        if hasPage {
            #expect(try await read(service).rows.count == 20)
        } else {
            await #expect(throws: PageSourceError.timedOut(nil)) { try await read(service) }
        }
        #expect(transport.requests.dropFirst(before).map(\.timeout) == timeouts.map { .seconds($0) })
    }

    @Test("Whoever waits for another's token waits no longer than its own attempt may take")
    func waiting() async throws {
        let (page, renewal) = (Gate(), Gate())
        let instance = GrantingInstance(lifetime: nil)
        let transport = AnsweringTransport { request in
            if request.body.isEmpty, request.url.hasSuffix("=100") { await page.wait() }
            if !request.body.isEmpty, instance.isRevoked { await renewal.wait() }
            return instance.answer(request)
        }
        let service = try service(transport)
        _ = try await read(service)
        let early = Task { try await read(service, offset: 100) }
        try await eventually("the early one is under way") { transport.reads.count == 2 }
        time.advance(.seconds(6))
        instance.revoke()
        let late = Task { try await read(service, offset: 20) }
        try await eventually("the late one renews the token") { transport.grants.count == 2 }
        page.open()
        try await eventually("the early one, refused, too, waits for that") { time.sleeping == 1 }
        time.advance(.seconds(1))
        await #expect(throws: PageSourceError.timedOut(nil)) { try await early.value }
        renewal.open()
        #expect(try await late.value.rows.count == 20)
        #expect(transport.grants.count == 2)
    }

    @Test("A renewal that had little time left is no failure of those who wait for it: the next one has its own")
    func littleTime() async throws {
        let (page, end) = (Gate(), Gate())
        let instance = GrantingInstance(lifetime: nil)
        let transport = AnsweringTransport { request throws(TransportError) in
            if request.body.isEmpty, request.url.hasSuffix("=100") { await page.wait() }
            if !request.body.isEmpty, request.timeout == .seconds(1) {
                await end.wait()
                throw .timedOut(receivedBytes: false)
            }
            return instance.answer(request)
        }
        let service = try service(transport)
        _ = try await read(service)
        let early = Task { try await read(service, offset: 100) }
        try await eventually("the early one is under way") { transport.reads.count == 2 }
        time.advance(.seconds(6))
        instance.revoke()
        page.open()
        try await eventually("the early one renews the token") { transport.grants.count == 2 }
        let late = Task { try await read(service, offset: 20) }
        try await eventually("the late one waits for that") { time.sleeping == 1 }
        time.advance(.seconds(1))
        end.open()
        await #expect(throws: PageSourceError.timedOut(nil)) { try await early.value }
        #expect(try await late.value.rows.count == 20)
        #expect(transport.grants.count == 3)
    }
}
