import Clocks
import Synchronization

extension Session {
    /// Keeps the session from expiring for as long as `body` runs, as every open stream and every export does.
    ///
    /// - Throws: `SessionError` where there is no such session; otherwise what `body` throws.
    public nonisolated func use<Result>(
        for owner: String, _ body: (SessionRecord) async throws -> Result
    ) async throws -> Result {
        let record = try await record(for: owner)
        requests.add(1, ordering: .relaxed)
        defer { requests.subtract(1, ordering: .relaxed) }
        do {
            let result = try await body(record)
            await stay(record)
            return result
        } catch {
            await stay(record)
            throw error
        }
    }

    /// Listens to the session: how it stands, and every event from then on. Events that the record tells of already, those
    /// up to its position, may come once more.
    ///
    /// - Throws: `SessionError`.
    public func events(
        for owner: String
    ) async throws(SessionError) -> (record: SessionRecord, events: AsyncThrowingStream<SessionEvent, any Error>) {
        _ = try await live(owner)
        let events: AsyncThrowingStream<SessionEvent, any Error>
        do {
            events = try await store.events(of: id)
        } catch {
            throw SessionError(error, now: clock.now())
        }
        // Read behind the subscription, so that no event falls between the two.
        return (try await record(for: owner), events)
    }
}
