public import Clocks

/// Where sessions are kept.
///
/// Every method is atomic, and what has returned is kept as durably as the store can. Implementations pass one
/// conformance suite.
public protocol SessionStore: Sendable {
    /// Adds a session and gives it its sequence.
    ///
    /// - Throws: `SessionStoreError.full` where a limit is reached; nothing is evicted to make room.
    func create(_ record: SessionRecord, limits: SessionLimits) async throws(SessionStoreError) -> SessionRecord

    /// Finds a session, or what is left of it.
    func read(_ id: SessionID) async throws(SessionStoreError) -> StoredSession

    /// Writes a session in one piece, its kept page included, if nobody has written it since `record.revision` was
    /// read, and then sends the event to whoever listens. The stored revision is one higher. Where the position is the
    /// stored one the kept page stays as it is stored, and a session's life is never shortened.
    ///
    /// - Returns: whether it was written; `false` also where the session is gone.
    func replace(_ record: SessionRecord, event: SessionEvent?) async throws(SessionStoreError) -> Bool

    /// Lets a session live until then, if that is later than what is stored. No revision is spent on it. A store that
    /// outlives the process may keep it for durable no more than every tenth of the session's idle timeout.
    func touch(_ id: SessionID, expiresAt: Timestamp) async throws(SessionStoreError)

    /// An owner's sessions, the newest first: at most `limit` of those opened before the one with that sequence. Their kept
    /// pages may come without their rows.
    func list(owner: String, before sequence: Int?, limit: Int) async throws(SessionStoreError) -> [SessionRecord]

    /// Ends a session and keeps its tombstone. Where it is gone already nothing happens.
    func delete(_ id: SessionID, now: Timestamp) async throws(SessionStoreError)

    /// Ends the sessions whose time is up, but for those in use, and forgets tombstones older than an hour.
    ///
    /// - Returns: the sessions that were ended.
    func sweep(now: Timestamp, inUse: @Sendable (SessionID) -> Bool) async throws(SessionStoreError) -> [SessionID]

    /// Sends an event that changes nothing in the session.
    func publish(_ event: SessionEvent, of id: SessionID) async

    /// Every event of a session from now on, in the order of the writes; ends behind `closed`, which comes at once where
    /// there is no such session any more, or with `SubscriptionError` for one who is too slow.
    func events(of id: SessionID) async throws(SessionStoreError) -> AsyncThrowingStream<SessionEvent, any Error>

    /// Looks whether sessions can be read and written now.
    func check() async throws(SessionStoreError)

    /// Takes a session for one move, so that no other process moves it meanwhile. Within a process a session's moves follow
    /// each other anyhow, so a store that no other process shares grants every lease.
    ///
    /// - Parameter waits: whether to wait while another process has it.
    /// - Returns: `nil` where another process has it.
    func lease(_ id: SessionID, waits: Bool) async throws(SessionStoreError) -> SessionLease?
}

extension SessionStore {
    /// A lease that nobody contests.
    public func lease(_ id: SessionID, waits: Bool) async throws(SessionStoreError) -> SessionLease? {
        SessionLease()
    }
}

/// What a store knows of a session's name.
public enum StoredSession: Sendable, Equatable {
    /// It is there; its time may be up all the same.
    case live(SessionRecord)
    /// It was closed or has expired within the last hour.
    case gone(owner: String)
    /// It was never there, or is long gone.
    case unknown
}

/// How many sessions there may be.
public struct SessionLimits: Sendable, Equatable {
    /// For one owner; `nil` for no such limit.
    public var perOwner: Int?
    /// In all.
    public var total: Int

    /// Makes limits.
    public init(perOwner: Int?, total: Int) {
        self.perOwner = perOwner
        self.total = total
    }
}

/// Why a store did not do what was asked.
public enum SessionStoreError: Error, Sendable, Equatable {
    /// A limit is reached, and the nearest session to end ends then.
    case full(limit: Int, nearestExpiry: Timestamp?)
    /// The store cannot be reached or written; nothing half-done. The reason is one line for a person.
    case unavailable(String)

    /// A session that cannot be read back.
    public init(_ error: SessionEncodingError) {
        self = .unavailable(error.description)
    }

    /// Whether it is a limit that is reached.
    var isFull: Bool {
        if case .full = self { true } else { false }
    }
}
