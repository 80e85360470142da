import Locks
public import Pagination

/// A source that answers as a test says, remembers what it was asked, and can be made to hold its answers back.
public final class ScriptedSource: PageSource {
    /// What is answered to a request; the second argument is how many came before it.
    public typealias Script = @Sendable (PageRequest, Int) throws(PageSourceError) -> PageAnswer

    private struct State {
        var script: Script
        var gates: [Gate] = []
        var requests: [PageRequest] = []
    }

    private let state: Lock<State>

    /// A source that answers by a closure.
    public init(_ script: @escaping Script) {
        state = Lock(State(script: script))
    }

    /// A source that answers from a record set.
    public convenience init(_ set: SampleSet) {
        self.init { request, _ in set.answer(to: request) }
    }

    /// A source that gives these answers one after the other, and fails when there are no more.
    public convenience init(answers: [Result<PageAnswer, PageSourceError>]) {
        self.init { request, index throws(PageSourceError) in
            guard index < answers.count else { throw .failed(nil, reason: "asked too often: \(request)") }
            return try answers[index].get()
        }
    }

    /// Answers by another script from the next request on.
    public func answer(_ script: @escaping Script) {
        state.withLock { $0.script = script }
    }

    /// Answers from another record set from the next request on.
    public func answer(from set: SampleSet) {
        answer { request, _ in set.answer(to: request) }
    }

    /// Holds back the answer to the next request for which no gate is set yet, until the gate is open.
    public func hold(behind gate: Gate) {
        state.withLock { $0.gates.append(gate) }
    }

    /// Every request so far, in order.
    public var requests: [PageRequest] {
        state.withLock { $0.requests }
    }

    /// The offsets of all requests so far, in order.
    public var offsets: [Int] {
        requests.map(\.offset)
    }

    /// Waits until so many requests have come in all.
    ///
    /// - Throws: `NeverHappened`.
    public func waitForRequests(_ count: Int) async throws {
        try await eventually("request \(count)") { requests.count >= count }
    }

    /// Answers by the script that is in force when the answer is let go.
    public func fetch(_ request: PageRequest) async throws(PageSourceError) -> PageAnswer {
        let (index, gate) = state.withLock { state in
            state.requests.append(request)
            let gate = state.gates.isEmpty ? nil : state.gates.removeFirst()
            return (state.requests.count - 1, gate)
        }
        await gate?.wait()
        return try state.withLock { $0.script }(request, index)
    }
}
