import HTTPModel
import Pagination
import PaginatordTesting
import Testing

@testable import TableAPI

struct PageCacheTests {
    private let time = ManualTime()

    private func service(
        _ transport: any HTTPTransport, _ cache: PageCache?, _ credentials: Credentials = .none
    ) throws -> TableService {
        TableService(
            instance: try Instance(
                url: "https://x.service-now.com", credentials: credentials, restraint: Restraint(retries: 0)),
            transport: transport, clock: time.clock, cache: cache)
    }

    private func cache(seconds: Int = 30, maxBytes: Int = 1 << 20) -> PageCache {
        PageCache(timeToLive: .seconds(seconds), maxBytes: maxBytes)
    }

    private func fetch(
        _ service: TableService, _ offset: Int = 0, _ priority: PageRequest.Priority = .interactive
    ) async throws -> PageAnswer {
        try await service.source(of: "incident").fetch(PageRequest(offset: offset, limit: 20, priority: priority))
    }

    @Test("An answer serves whoever asks for the same, until its time is up and not longer")
    func expiry() async throws {
        let transport = AnsweringTransport { [time] _ in
            time.advance(.seconds(5))
            return .page(20, total: 60)
        }
        let service = try service(transport, cache())
        let first = try await fetch(service)
        #expect(first.origin == .fetched)
        for wait in [0, 10, 19] {
            time.advance(.seconds(wait))
            let again = try await fetch(service)
            #expect(again.origin == .cached)
            #expect(Array(again.rows.objects) == Array(first.rows.objects) && again.rows.count == 20)
            #expect(again.total == first.total && again.nextOffset == first.nextOffset && again.digest == first.digest)
        }
        #expect(transport.requests.count == 1)
        // Being asked for does not make it younger: it came thirty seconds ago.
        time.advance(.seconds(1))
        #expect(try await fetch(service).origin == .fetched)
        #expect(try await fetch(service).origin == .cached)
        #expect(transport.requests.count == 2)
    }

    @Test("Without a cache nothing is kept")
    func off() async throws {
        let transport = AnsweringTransport { _ in .page(20, total: 60) }
        let service = try service(transport, nil)
        for _ in 0..<3 { #expect(try await fetch(service).origin == .fetched) }
        #expect(transport.requests.count == 3)
    }

    @Test("A page that was read ahead serves the move; what an export reads is not kept, and not taken from there")
    func priorities() async throws {
        let transport = AnsweringTransport { _ in .page(20, total: 60) }
        let cache = cache()
        let service = try service(transport, cache)
        #expect(try await fetch(service, 0, .readAhead).origin == .fetched)
        #expect(try await fetch(service, 0, .interactive).origin == .cached)
        let bytes = cache.bytes
        for _ in 0..<2 {
            for offset in [0, 20] { #expect(try await fetch(service, offset, .bulk).origin == .fetched) }
        }
        #expect(cache.bytes == bytes)
        #expect(try await fetch(service, 20, .interactive).origin == .fetched)
    }

    @Test(
        "What is no whole page is not kept",
        arguments: [
            .success(.json("{}", status: 400)), .success(.json("", status: 503)),
            .success(.json(#"{"result":[{"a":1},"#)), .failure(.timedOut(receivedBytes: true)),
        ] as [Result<IncomingResponse, TransportError>])
    func errors(end: Result<IncomingResponse, TransportError>) async throws {
        let transport = ScriptedTransport([end, .success(.page(1, total: 1))])
        let cache = cache()
        let source = try service(transport, cache).source(of: "incident")
        let request = PageRequest(offset: 0, limit: 1)
        await #expect(throws: PageSourceError.self) { try await source.fetch(request) }
        #expect(cache.bytes == 0)
        #expect(try await source.fetch(request).origin == .fetched)
        #expect(try await source.fetch(request).origin == .cached)
    }

    @Test("An answer serves nobody with other credentials, and no other service that shares the cache")
    func credentials() async throws {
        let transport = AnsweringTransport { request in
            .page(request.headers["Authorization"] == "Bearer ann" ? 1 : 2, total: 60)
        }
        let cache = cache()
        let forwarding = try service(transport, cache, .forward)
        let services = [
            forwarding, try service(transport, cache, .bearer(Secret("ann"))), try service(transport, cache),
        ]
        for round in 0..<2 {
            for (caller, count) in [("Bearer ann", 1), ("Bearer bob", 2)] {
                let headers: HeaderFields = ["Authorization": caller]
                let answer = try await ForwardedAuthorization.$current.withValue(ForwardedAuthorization(headers)) {
                    try await fetch(forwarding)
                }
                #expect(answer.origin == (round == 0 ? .fetched : .cached) && answer.rows.count == count)
            }
            for service in services.dropFirst() {
                #expect(try await fetch(service).origin == (round == 0 ? .fetched : .cached))
            }
        }
        await #expect(throws: PageSourceError.callerUnauthenticated(nil)) { try await fetch(forwarding) }
        #expect(transport.requests.count == 4)
    }

    @Test("Many at once get it from the same fetch or from the cache, and never by a second request")
    func together() async throws {
        let transport = AnsweringTransport { _ in
            for _ in 0..<5 { await Task.yield() }
            return .page(20, total: 60)
        }
        let service = try service(transport, cache())
        let origins = try await withThrowingTaskGroup(of: PageAnswer.Origin.self) { group in
            for _ in 0..<200 { group.addTask { try await fetch(service).origin } }
            return try await group.reduce(into: []) { $0.append($1) }
        }
        #expect(origins.filter { $0 == .fetched }.count == 1 && origins.count == 200)
        #expect(transport.requests.count == 1)
    }
}

struct RecentAnswersTests {
    private func key(_ number: Int) -> FetchKey {
        FetchKey(holder: "", url: FetchURL("https://x/"), offset: number, limit: 20)
    }

    private func answer(_ bytes: Int) -> PageAnswer {
        let text = [UInt8](repeating: 0x20, count: bytes)
        return PageAnswer(rows: Rows([Rows.Block(text: text[...], extents: [0..<bytes])]), total: 1)
    }

    private var emptySize: Int { RecentAnswers.size(of: answer(0), key(0)) }

    @Test("What was not asked for the longest goes first")
    func order() {
        let size = emptySize + 100
        var answers = RecentAnswers(timeToLive: .seconds(10), maxBytes: 3 * size)
        for number in 1...3 { answers.keep(answer(100), for: key(number), now: .zero) }
        #expect(answers.bytes == 3 * size)
        #expect(answers.answer(for: key(1), now: .zero) != nil)
        answers.keep(answer(100), for: key(4), now: .zero)
        for (number, isThere) in [(1, true), (2, false), (3, true), (4, true)] {
            let found = answers.answer(for: key(number), now: .zero)
            #expect((found != nil) == isThere)
        }
        // One that is kept anew counts once.
        answers.keep(answer(100), for: key(4), now: .zero)
        #expect(answers.bytes == 3 * size && answers.count == 3)
    }

    @Test("One that has no room by itself is not kept, and costs the others nothing")
    func tooLarge() {
        var answers = RecentAnswers(timeToLive: .seconds(10), maxBytes: 2 * emptySize + 100)
        answers.keep(answer(50), for: key(1), now: .zero)
        answers.keep(answer(emptySize + 101), for: key(2), now: .zero)
        #expect(answers.count == 1)
        answers.keep(answer(emptySize + 100), for: key(3), now: .zero)
        #expect(answers.count == 1)
        let found = answers.answer(for: key(3), now: .zero)
        #expect(found != nil)
        // A larger answer in the place of a smaller one does not leave the old one there.
        answers.keep(answer(10 * emptySize), for: key(3), now: .zero)
        #expect(answers.count == 0 && answers.bytes == 0)
    }

    @Test("Never more is kept than fits, and what is found is what was kept last and is in its time", arguments: 0..<10)
    func bound(seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let maxBytes = 20 * emptySize
        var answers = RecentAnswers(timeToLive: .seconds(50), maxBytes: maxBytes)
        var latest: [Int: (bytes: Int, time: Int)] = [:]
        var hits = 0
        for now in 0..<3000 {
            let number = Int.random(in: 0..<30, using: &random)
            if Bool.random(using: &random) {
                let bytes = Int.random(in: 0..<3 * emptySize, using: &random)
                answers.keep(answer(bytes), for: key(number), now: .seconds(now))
                latest[number] = (bytes, now)
            } else if let found = answers.answer(for: key(number), now: .seconds(now)) {
                hits += 1
                #expect(found.rows.byteCount == latest[number]?.bytes)
                #expect(now - (latest[number]?.time ?? 0) < 50)
            }
            #expect(answers.bytes <= maxBytes && answers.count <= 20)
        }
        #expect(hits > 100)
    }
}
