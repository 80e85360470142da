import Clocks
import DemoInstance
import EventLoops
import HTTPClient
import HTTPServer
import PaginatordTesting
import TablePagination
import Testing

/// The library product by itself, over a real connection, as the README shows it.
struct LibraryTests {
    @Test("A paginator walks a table without the service, and its publisher tells of every page")
    func walk() async throws {
        let group = try EventLoopGroup(count: 1)
        let listener = try BoundListener(.tcp(host: "127.0.0.1", port: 0))
        let server = HTTPServer(
            listeners: [listener],
            responder: try await DemoInstance(
                incidents: 0, credentials: BasicCredentials(username: "reader", password: "hunter2")), group: group)
        try await server.start()

        // By name, since the library heeds the environment's proxy and people exempt localhost from it.
        let port = try #require(listener.port)
        let instance = try Instance(
            url: "http://localhost:\(port)", credentials: .basic(username: "reader", password: Secret("hunter2")))
        let service = try TableService(instance: instance)
        let paginator = try service.paginator(
            from: "sys_user", configuration: FetchConfiguration(filter: "active=true^ORDERBYDESCname", limit: 100),
            publisherShouldFinish: true)
        let subscription = paginator.publisher.makeAsyncIterator()
        async let published = pages(of: subscription)
        var rows: Set<[UInt8]> = []
        var pages = 0
        while await paginator.hasNext {
            for row in try await paginator.next().rows.objects { #expect(rows.insert(Array(row)).inserted) }
            pages += 1
        }
        #expect(await paginator.totalItems == rows.count)
        #expect(await paginator.numberOfPages == pages && pages > 1)
        #expect(await paginator.isFinished)
        #expect(try await published == Array(1...pages))
        await #expect(throws: PaginationError.finished) { try await paginator.first() }

        await server.stop(grace: .zero)
        await group.shutdown()
    }

    @Test("A walk outlives its access tokens, which live two seconds each", arguments: [false, true])
    func tokens(ofUser: Bool) async throws {
        let clock = ManualClock()
        var options = DemoInstance.Options()
        options.incidents = 200
        options.credentials = BasicCredentials(username: "reader", password: "hunter2")
        options.oauthClient = .init(id: "app", secret: "hunter3")
        options.tokenLifetime = .seconds(2)
        options.clock = clock.clock
        let instance = try Instance(
            url: "http://localhost",
            credentials: .oauth(
                .init(
                    id: "app", secret: Secret("hunter3"),
                    grant: ofUser ? .password(username: "reader", password: Secret("hunter2")) : .clientCredentials)))
        let service = TableService(
            instance: instance, transport: ResponderTransport(try await DemoInstance(options)),
            now: { clock.now.milliseconds / 1000 })
        let paginator = try service.paginator(from: "incident", configuration: FetchConfiguration(limit: 10))
        var rows: Set<[UInt8]> = []
        while await paginator.hasNext {
            for row in try await paginator.next().rows.objects { #expect(rows.insert(Array(row)).inserted) }
            clock.advance(milliseconds: 700)
        }
        #expect(await paginator.totalItems == rows.count)
        #expect(rows.count == 200)
    }

    @Test("Every visible one of 10,000 records comes exactly once and in order, whatever the instance does")
    func faults() async throws {
        var options = DemoInstance.Options()
        options.credentials = BasicCredentials(username: "reader", password: "hunter2")
        options.oauthClient = .init(id: "app", secret: "hunter3")
        options.tokenLifetime = .seconds(2)
        let clock = ManualClock()
        options.clock = clock.clock
        let hiding = Fault(.hide(ratio: 0.2))
        let faults = Faults(
            [
                hiding, Fault(.rateLimit(retryAfter: .seconds(1)), .every(10)), Fault(.truncate(), .every(7)),
                Fault(.status(502), .ratio(0.05)),
            ], around: try await DemoInstance(options))
        let group = try EventLoopGroup(count: 1)
        let listener = try BoundListener(.tcp(host: "127.0.0.1", port: 0))
        let server = HTTPServer(listeners: [listener], responder: faults, group: group)
        try await server.start()

        // Hidden by the same lots, in one piece and without any other fault.
        options.credentials = nil
        options.oauthClient = nil
        let visible = try await rows(
            of: TableService(
                instance: Instance(url: "http://localhost"),
                transport: ResponderTransport(Faults([hiding], around: try await DemoInstance(options)))),
            limit: 10_000)
        #expect((7_500..<8_500).contains(visible.count))

        let port = try #require(listener.port)
        let instance = try Instance(
            url: "http://localhost:\(port)",
            credentials: .oauth(.init(id: "app", secret: Secret("hunter3"), grant: .clientCredentials)))
        let client = HTTPClient(on: group)
        let service = TableService(
            instance: instance, transport: client, now: { clock.now.milliseconds / 1000 })
        let walked = try await rows(of: service, limit: 100, behindEachMove: { clock.advance(milliseconds: 700) })
        #expect(walked == visible)
        #expect(faults.counts.allSatisfy { $0.times > 0 })

        await client.shutdown()
        await server.stop(grace: .zero)
        await group.shutdown()
    }

    /// All incidents by their number, as the README shows it.
    private func rows(
        of service: TableService, limit: Int, behindEachMove act: () -> Void = {}
    ) async throws -> [[UInt8]] {
        let fields = FieldReadConfiguration(includeFields: ["sys_id", "number"])
        let paginator = try service.paginator(
            from: "incident",
            configuration: FetchConfiguration(filter: "ORDERBYnumber", limit: limit, readConfiguration: fields))
        var rows: [[UInt8]] = []
        while await paginator.hasNext {
            defer { act() }
            do {
                for row in try await paginator.next().rows.objects { rows.append(Array(row)) }
            } catch {
                guard case .source(let problem) = error, problem.isTransient else { throw error }
                try await Task.sleep(for: .seconds(problem.retryAfter ?? 1))
            }
        }
        return rows
    }

    private func pages(of subscription: consuming PagePublisher.Iterator) async throws -> [Int] {
        var pages: [Int] = []
        while let event = try await subscription.next() {
            if case .page(let page) = event { pages.append(page.page) }
        }
        return pages
    }
}
