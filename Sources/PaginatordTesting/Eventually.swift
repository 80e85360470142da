/// That something did not become true in time.
public struct NeverHappened: Error, Sendable {
    /// What was waited for.
    public var what: String

    /// Names what was waited for.
    public init(what: String) {
        self.what = what
    }
}

/// Waits until a condition holds, for something that another task is about to do.
///
/// - Throws: `NeverHappened` after a minute.
public func eventually(_ what: String, _ condition: () async throws -> Bool) async throws {
    let deadline = ContinuousClock.now + .seconds(60)
    while try await !condition() {
        guard ContinuousClock.now < deadline else {
            // The time may have passed in one go.
            if try await condition() { return }
            throw NeverHappened(what: what)
        }
        await Task.yield()
    }
}
