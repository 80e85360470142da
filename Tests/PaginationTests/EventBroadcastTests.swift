import Pagination
import Testing

@Suite(.timeLimit(.minutes(10))) struct EventBroadcastTests {
    private func all(_ stream: AsyncThrowingStream<Int, any Error>) async throws -> [Int] {
        try await stream.reduce(into: []) { $0.append($1) }
    }

    @Test("Everybody hears everything from their subscription on, then the end")
    func everything() async throws {
        let broadcast = EventBroadcast<Int>()
        #expect(!broadcast.hasSubscribers)
        broadcast.send(0)
        let early = broadcast.subscribe()
        #expect(broadcast.hasSubscribers)
        broadcast.send(1)
        let late = broadcast.subscribe()
        broadcast.send(2)
        broadcast.finish()
        broadcast.send(3)
        #expect(try await all(early) == [1, 2])
        #expect(try await all(late) == [2])
        #expect(try await all(broadcast.subscribe()).isEmpty)
        #expect(!broadcast.hasSubscribers)
    }

    @Test("An event goes to those who listened when its place was decided, not to who came before it was handed out")
    func appended() async throws {
        let broadcast = EventBroadcast<Int>()
        let early = broadcast.subscribe()
        broadcast.append(1)
        let late = broadcast.subscribe()
        broadcast.append(2)
        broadcast.appendEnd()
        broadcast.deliver()
        #expect(try await all(early) == [1, 2])
        #expect(try await all(late) == [2])
    }

    @Test("A slow subscriber is cut off behind what it holds; the other one hears everything")
    func slow() async throws {
        let broadcast = EventBroadcast<Int>(limit: 3)
        let slow = broadcast.subscribe()
        var quick = broadcast.subscribe().makeAsyncIterator()
        for number in 0..<10 {
            broadcast.send(number)
            #expect(try await quick.next() == number)
        }
        var heard: [Int] = []
        await #expect(throws: SubscriptionError.fellBehind) {
            for try await number in slow { heard.append(number) }
        }
        #expect(heard == [0, 1, 2])
    }

    @Test("A subscriber that goes is forgotten, and subscriptions end when the broadcast goes")
    func goes() async throws {
        var broadcast: EventBroadcast<Int>? = EventBroadcast()
        do {
            var iterator = broadcast?.subscribe().makeAsyncIterator()
            broadcast?.send(1)
            #expect(try await iterator?.next() == 1)
        }
        #expect(broadcast?.hasSubscribers == false)
        let rest = try #require(broadcast?.subscribe())
        broadcast?.send(2)
        broadcast = nil
        #expect(try await all(rest) == [2])
    }

    @Test("Every subscriber hears the same order, however many send at once")
    func oneOrder() async throws {
        let broadcast = EventBroadcast<Int>(limit: 10_000)
        let streams = (0..<4).map { _ in broadcast.subscribe() }
        await withTaskGroup(of: Void.self) { group in
            for sender in 0..<4 {
                group.addTask { for number in 0..<500 { broadcast.send(sender * 1000 + number) } }
            }
        }
        broadcast.finish()
        let first = try await all(streams[0])
        #expect(first.count == 2000)
        for stream in streams.dropFirst() { #expect(try await all(stream) == first) }
        for sender in 0..<4 { #expect(first.filter { $0 / 1000 == sender } == (0..<500).map { sender * 1000 + $0 }) }
    }
}
