import EventLoops
import Glibc
import Testing

@Suite(.serialized) struct ProcessSignalTests {
    @Test("Signals arrive in our hands instead of ending the process", arguments: ProcessSignal.allCases)
    func arrive(signal: ProcessSignal) async throws {
        let group = try EventLoopGroup(count: 1)
        let signals = try await group.next().signals(ProcessSignal.allCases)
        kill(getpid(), signal.number)
        var told = signals.makeAsyncIterator()
        #expect(await told.next() == signal)
        await group.shutdown()
        #expect(await told.next() == nil)
    }

    @Test("A group makes the process ignore SIGPIPE")
    func brokenPipe() async throws {
        let group = try EventLoopGroup(count: 1)
        var pair: [Int32] = [0, 0]
        #expect(pipe(&pair) == 0)
        close(pair[0])
        #expect(write(pair[1], "x", 1) == -1)
        #expect(errno == EPIPE)
        close(pair[1])
        await group.shutdown()
    }
}
