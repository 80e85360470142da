/// A password, token or key: a text that never prints, whichever way it is printed.
public struct Secret: Sendable, Equatable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// The text itself, for what has to send it.
    public let revealed: String

    /// Keeps a text secret.
    public init(_ text: String) {
        revealed = text
    }

    /// Always the same, so that nothing about the text shows.
    public var description: String { "<redacted>" }
    /// Always the same, so that nothing about the text shows.
    public var debugDescription: String { description }
    /// A mirror without children: `dump` shows nothing either.
    public var customMirror: Mirror { Mirror(self, children: []) }
}
