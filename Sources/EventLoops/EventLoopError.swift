/// Why an event loop or one of its handles could not be made.
public enum EventLoopError: Error, Equatable, CustomStringConvertible {
    /// The system refused; `operation` names what was asked of it, `reason` is its answer.
    case refused(operation: String, reason: String)
    /// The loop has ended, or is not the one of the calling thread.
    case loopEnded

    /// One line for a person.
    public var description: String {
        switch self {
        case .refused(let operation, let reason): "\(operation): \(reason)"
        case .loopEnded: "the event loop has ended"
        }
    }
}
