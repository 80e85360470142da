public import Sessions

/// A fresh session store, and how to reach what it keeps by another way.
public struct SessionStoreFixture: Sendable {
    /// The store to be checked.
    public var store: any SessionStore
    /// A second handle on the same sessions, as another replica has it; `nil` where there can be none.
    public var other: (any SessionStore)?
    /// Changes a session's stored bytes behind the store's back, so that its next read sees them; `nil` where it keeps no
    /// bytes.
    public var rewrite: Rewrite?

    /// Puts other bytes in the place of a session's stored ones.
    public typealias Rewrite =
        @Sendable (SessionID, @Sendable (inout EncodedSession) -> Void) async throws -> Void

    /// Makes a fixture.
    public init(store: any SessionStore, other: (any SessionStore)? = nil, rewrite: Rewrite? = nil) {
        self.store = store
        self.other = other
        self.rewrite = rewrite
    }
}
