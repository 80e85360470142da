import Clocks
import Pagination
import PaginatordTesting
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(10))) struct SessionListeningTests {
    @Test("A listener learns how the session stands and hears what follows, until the close")
    func listens() async throws {
        let open = try await OpenSession()
        try await open.move(.next)
        let (record, events) = try await open.session.events(for: "ann")
        #expect(record.position == 1 && record.state.page == 1)
        let moved = try await open.move(.next)
        let reset = try await open.move(.reset)
        try await open.registry.close(open.id, for: "ann")
        let heard = try await events.reduce(into: []) { $0.append($1) }
        let page = try #require(moved.page)
        #expect(heard == [.page(page, moved.record), .reset(reset.record), .closed])
    }

    @Test("Nobody listens to another owner's session, or to one that has ended")
    func refused() async throws {
        let open = try await OpenSession(idleTimeout: 60)
        #expect(await refusal { _ = try await open.session.events(for: "bob") } == .notFound)
        #expect(await refusal { try await open.session.use(for: "bob") { _ in } } == .notFound)
        open.clock.advance(seconds: 60)
        #expect(await refusal { _ = try await open.session.events(for: "ann") } == .expired)
        #expect(await refusal { try await open.session.use(for: "ann") { _ in } } == .expired)
    }

    @Test("Listening counts as use")
    func counts() async throws {
        let open = try await OpenSession(idleTimeout: 60)
        open.clock.advance(seconds: 59)
        _ = try await open.session.events(for: "ann")
        #expect(try await open.stored.expiresAt == open.clock.now.adding(seconds: 60))
    }

    @Test(
        "A session does not expire while a stream is open, and lives a whole idle timeout from its end",
        arguments: [
            true, false,
        ])
    func use(fails: Bool) async throws {
        let open = try await OpenSession(idleTimeout: 60)
        let gate = Gate()
        let (started, start) = AsyncStream.makeStream(of: Int.self)
        let stream = Task {
            try await open.session.use(for: "ann") { record in
                start.yield(record.position)
                await gate.wait()
                if fails { throw CancellationError() }
            }
        }
        for await position in started {
            #expect(position == 0)
            break
        }
        open.clock.advance(seconds: 3600)
        await open.registry.sweep()
        #expect(try await open.move(.next).page?.page == 1)
        open.clock.advance(seconds: 3600)
        await open.registry.sweep()
        gate.open()
        let result = await stream.result
        #expect((try? result.get()) == nil ? fails : !fails)
        #expect(try await open.stored.expiresAt == open.clock.now.adding(seconds: 60))
        open.clock.advance(seconds: 60)
        await open.registry.sweep()
        #expect(try await open.store.read(open.id) == .gone(owner: "ann"))
    }
}
