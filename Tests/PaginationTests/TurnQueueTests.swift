import Pagination
import PaginatordTesting
import Testing

@Suite(.timeLimit(.minutes(10))) struct TurnQueueTests {
    @Test("The turn is free until it is taken, and again when it is passed on with nobody waiting")
    func takeAndPass() async {
        let turns = TurnQueue()
        #expect(turns.take())
        #expect(!turns.take())
        turns.pass()
        #expect(await turns.wait() == .taken)
        #expect(!turns.take())
    }

    @Test("Whoever waits longest is next, and too many are refused")
    func order() async throws {
        let turns = TurnQueue()
        #expect(turns.take())
        let (stream, continuation) = AsyncStream.makeStream(of: Int.self)
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<16 {
                group.addTask {
                    #expect(await turns.wait(behind: 16) == .taken)
                    continuation.yield(number)
                    turns.pass()
                }
                try? await eventually("\(number) waits") { turns.waitingCount == number + 1 }
            }
            #expect(await turns.wait(behind: 16) == .full)
            turns.pass()
        }
        continuation.finish()
        var order: [Int] = []
        for await number in stream { order.append(number) }
        #expect(order == Array(0..<16))
        #expect(turns.take())
    }

    @Test("A cancelled waiter leaves at once; who is cancelled before waiting does not wait")
    func cancellation() async throws {
        let turns = TurnQueue()
        #expect(turns.take())
        let waiter = Task { await turns.wait() }
        try await eventually("it waits") { turns.waitingCount == 1 }
        waiter.cancel()
        #expect(await waiter.value == .cancelled)
        #expect(turns.waitingCount == 0)
        let gate = Gate()
        let late = Task {
            await gate.wait()
            return await turns.wait()
        }
        late.cancel()
        gate.open()
        #expect(await late.value == .cancelled)
        turns.pass()
        #expect(turns.take())
    }

    @Test("Cancelling and passing at the same moment loses neither the turn nor a waiter")
    func cancellationRace() async throws {
        for _ in 0..<500 {
            let turns = TurnQueue()
            #expect(turns.take())
            let waiter = Task {
                let outcome = await turns.wait()
                if outcome == .taken { turns.pass() }
                return outcome
            }
            let other = Task { turns.pass() }
            waiter.cancel()
            await other.value
            let outcome = await waiter.value
            #expect(outcome == .taken || outcome == .cancelled)
            #expect(turns.take())
        }
    }

    @Test("Whoever waits can be sent away, and the turn stays with who has it")
    func dismissal() async throws {
        let turns = TurnQueue()
        #expect(turns.take())
        let waiters = (0..<3).map { _ in Task { await turns.wait() } }
        try await eventually("they wait") { turns.waitingCount == 3 }
        turns.dismissWaiting()
        for waiter in waiters { #expect(await waiter.value == .dismissed) }
        #expect(!turns.take())
    }
}
