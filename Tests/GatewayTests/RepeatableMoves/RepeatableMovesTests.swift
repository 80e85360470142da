import Testing

/// No page is lost, and none is made twice, whatever becomes of requests and answers on the way.
@Suite(.timeLimit(.minutes(10)))
struct RepeatableMovesTests {
    @Test(
        "What several clients hear of 10,000 random moves with lost answers, repeats, hang-ups and faults is what the contract says",
        arguments: RandomMoves.Memory.allCases, 0..<5 as Range<UInt64>)
    func randomMoves(memory: RandomMoves.Memory, seed: UInt64) async throws {
        let moves = try RandomMoves(memory: memory, seed: seed)
        // Whatever can come to pass has to, so that none of it is judged by nobody.
        var expected = Set(Judge.Outcome.allCases)
        if memory == .ample { expected.remove(.refetched) }
        do {
            try await moves.run(500, expecting: expected)
        } catch {
            Issue.record("seed \(seed) with \(memory): \(error)\n\(moves.steps.joined(separator: "\n"))")
            return
        }
        #expect(expected.subtracting(moves.tally.keys).isEmpty, "seed \(seed): \(moves.tally)")
    }
}
