import DemoInstance
import EventLoops
import HTTPServer
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

    private func pages(of subscription: consuming PagePublisher.Iterator) async throws -> [Int] {
        var pages: [Int] = []
        while let event = try await subscription.next() {
            if case .page(let page) = event { pages.append(page.page) }
        }
        return pages
    }
}
