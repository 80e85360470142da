public import Pagination
import Synchronization

/// How urgent a fetch is. It can grow while the fetch is under way, when somebody begins to wait for what was read ahead.
///
/// Copies are one and the same urgency.
public struct RequestUrgency: Sendable {
    private final class Level: Sendable {
        let priority: Atomic<Int>

        init(_ priority: PageRequest.Priority) {
            self.priority = Atomic(priority.rawValue)
        }
    }

    private let initial: PageRequest.Priority
    /// Where it can grow.
    private let level: Level?

    /// An urgency that starts so; nothing is more urgent than `interactive`.
    public init(_ priority: PageRequest.Priority) {
        initial = priority
        level = priority == .interactive ? nil : Level(priority)
    }

    /// How urgent it is now.
    public var priority: PageRequest.Priority {
        level.flatMap { PageRequest.Priority(rawValue: $0.priority.load(ordering: .relaxed)) } ?? initial
    }

    /// By what a gate finds the request again whose urgency has grown; `nil` where it cannot grow.
    var id: ObjectIdentifier? { level.map { ObjectIdentifier($0) } }

    /// Makes it as urgent as that, if it is less. Gates have to be told: see `RequestGate.raise`.
    ///
    /// - Returns: whether it is more urgent than before.
    func raise(to priority: PageRequest.Priority) -> Bool {
        guard let level else { return false }
        return level.priority.min(priority.rawValue, ordering: .relaxed).oldValue > priority.rawValue
    }
}
