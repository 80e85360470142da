/// The right to move a session, against other processes that share its store.
///
/// It lapses by itself where its process ends; then, and wherever two have taken it, `SessionStore.replace` decides.
public struct SessionLease: Sendable {
    /// The session's revision when the lease was taken, where the store tells.
    public let revision: Int?
    private let giveBack: (@Sendable () -> Void)?

    /// A lease.
    ///
    /// - Parameter giveBack: gives it back, if a write has not done so; waits for nothing.
    public init(revision: Int? = nil, giveBack: (@Sendable () -> Void)? = nil) {
        self.revision = revision
        self.giveBack = giveBack
    }

    /// Gives it back. To be called once.
    public func end() {
        giveBack?()
    }
}
