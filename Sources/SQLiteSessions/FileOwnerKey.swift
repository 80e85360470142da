/// The key under which callers are named that bring their own credentials: it is kept beside their sessions, which would be
/// nobody's in the next process otherwise.
public struct FileOwnerKey: Sendable {
    /// A key of 128 bits.
    public typealias Words = (first: UInt64, second: UInt64)

    /// The key that this process names callers by.
    var current: @Sendable () -> Words
    /// Names callers by this key from now on.
    var adopt: @Sendable (Words) -> Void

    /// A key that somebody else names callers by.
    ///
    /// - Parameters:
    ///   - current: gives the key; a file that has none gets it.
    ///   - adopt: takes the file's key.
    public init(current: @escaping @Sendable () -> Words, adopt: @escaping @Sendable (Words) -> Void) {
        self.current = current
        self.adopt = adopt
    }
}
