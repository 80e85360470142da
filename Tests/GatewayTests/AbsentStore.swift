import Clocks
import Sessions

/// A session store that cannot be reached.
struct AbsentStore: SessionStore {
    func create(_ record: SessionRecord, limits: SessionLimits) throws(SessionStoreError) -> SessionRecord {
        throw .unavailable("The store is away.")
    }

    func read(_ id: SessionID) throws(SessionStoreError) -> StoredSession {
        throw .unavailable("The store is away.")
    }

    func replace(_ record: SessionRecord, event: SessionEvent?) throws(SessionStoreError) -> Bool {
        throw .unavailable("The store is away.")
    }

    func touch(_ id: SessionID, expiresAt: Timestamp) throws(SessionStoreError) {
        throw .unavailable("The store is away.")
    }

    func list(owner: String, before sequence: Int?, limit: Int) throws(SessionStoreError) -> [SessionRecord] {
        throw .unavailable("The store is away.")
    }

    func delete(_ id: SessionID, now: Timestamp) throws(SessionStoreError) {
        throw .unavailable("The store is away.")
    }

    func sweep(now: Timestamp, inUse: @Sendable (SessionID) -> Bool) throws(SessionStoreError) -> [SessionID] {
        throw .unavailable("The store is away.")
    }

    func publish(_ event: SessionEvent, of id: SessionID) {}

    func events(of id: SessionID) throws(SessionStoreError) -> AsyncThrowingStream<SessionEvent, any Error> {
        throw .unavailable("The store is away.")
    }

    func check() throws(SessionStoreError) {
        throw .unavailable("The store is away.")
    }
}
