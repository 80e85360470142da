/// How much an event matters to the person who runs the service.
public enum Level: String, Sendable, Comparable, CaseIterable {
    /// What only helps to find a fault.
    case debug
    /// What a running service does.
    case info
    /// What works, but not as it was meant to.
    case warning
    /// What failed and should be looked at.
    case error

    private var rank: UInt8 {
        switch self {
        case .debug: 0
        case .info: 1
        case .warning: 2
        case .error: 3
        }
    }

    /// Whether the left level matters less than the right one.
    public static func < (left: Level, right: Level) -> Bool {
        left.rank < right.rank
    }
}
