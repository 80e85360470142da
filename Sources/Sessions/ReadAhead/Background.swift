import Locks

/// The home of work that nobody waits for: it begins with a request and may outlive it, but not the registry's `run`.
final class Background: Sendable {
    private struct State {
        var isOpen = false
        var latestKey = 0
        var tasks: [Int: Task<Void, Never>] = [:]
    }

    private let state = Lock(State())
    /// Where work that begins now ought to run.
    let executor: @Sendable () -> (any TaskExecutor)?

    /// A home in which nothing can begin before it is opened.
    ///
    /// - Parameter executor: where work that begins now ought to run; `nil` for wherever there is room.
    init(executor: @escaping @Sendable () -> (any TaskExecutor)?) {
        self.executor = executor
    }

    /// Whether work may begin.
    var isOpen: Bool { state.withLock(\.isOpen) }

    /// Begins work.
    ///
    /// - Returns: the work, to be cancelled where it is not wanted any more; `nil` where none may begin.
    func start(_ work: @escaping @Sendable () async -> Void) -> Task<Void, Never>? {
        let executor = executor()
        return state.withLock { state in
            guard state.isOpen else { return nil }
            state.latestKey += 1
            let key = state.latestKey
            let task = Task(executorPreference: executor) {
                await work()
                self.state.withLock { $0.tasks[key] = nil }
            }
            state.tasks[key] = task
            return task
        }
    }

    /// Lets work begin.
    func open() {
        state.withLock { $0.isOpen = true }
    }

    /// Lets no more work begin, cancels what is under way and waits for its end.
    func close() async {
        let tasks = state.withLock { state in
            state.isOpen = false
            defer { state.tasks = [:] }
            return Array(state.tasks.values)
        }
        for task in tasks { task.cancel() }
        for task in tasks { await task.value }
    }
}
