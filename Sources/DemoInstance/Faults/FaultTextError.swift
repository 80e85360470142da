/// A text that describes no fault: what was wrong and what would be right, in one line.
public struct FaultTextError: Error, Equatable, CustomStringConvertible {
    /// The line.
    public var description: String
}
