import Testing

@testable import HTTPClient

@Suite("The states of a transfer", .timeLimit(.minutes(10)))
struct TransferStateTests {
    private enum Step: CaseIterable {
        case begin
        case end
        case cancel
    }

    @Test("In every order of events the caller is resumed once, provided that the transfer was begun")
    func everyOrder() {
        var sequences: [[Step]] = [[]]
        for _ in 0..<5 { sequences += sequences.flatMap { steps in Step.allCases.map { steps + [$0] } } }
        for steps in Set(sequences) where steps.filter({ $0 == .begin }).count == 1 {
            var state = TransferState.new
            var resumed = 0
            var hasBegun = false
            for step in steps {
                switch step {
                case .begin:
                    hasBegun = true
                    if !state.begin() { resumed += 1 }
                // libcurl and the end of the loop's part know a transfer only after it has begun.
                case .end: if hasBegun, state.end() { resumed += 1 }
                case .cancel: if state.cancel() == .endTransfer { resumed += 1 }
                }
            }
            let isOver = steps.contains(.cancel) || steps.drop { $0 != .begin }.contains(.end)
            #expect(resumed == (isOver ? 1 : 0), "\(steps)")
        }
    }
}
