public import Clocks
import Pagination
import SQLite
public import Sessions

extension SQLiteSessionStore {
    /// Past this many tombstones the oldest are forgotten early.
    private static let tombstoneLimit = 1_000_000

    /// Ends the sessions whose time is up. Others' writes come between every few hundred of them.
    public func sweep(
        now: Timestamp, inUse: @Sendable (SessionID) -> Bool
    ) async throws(SessionStoreError) -> [SessionID] {
        memory.withState { state in state.broadcasts = state.broadcasts.filter { $0.value.hasSubscribers } }
        var ended: [SessionID] = []
        var last: DueSession?
        repeat {
            let from = last
            let due = try await writes.read { database throws(SQLiteError) in
                .success(try database.due(at: now, behind: from))
            }
            last = due.last
            let ending = due.map(\.id).filter { !inUse($0) }
            if !ending.isEmpty { ended += try await end(ending, now: now) }
        } while last != nil
        try await forgetTombstones(now: now)
        return ended
    }

    /// Ends those of the sessions whose time is really up; that of the others is written down.
    private func end(_ ids: [SessionID], now: Timestamp) async throws(SessionStoreError) -> [SessionID] {
        try await writes.write { [memory] transaction throws(SQLiteError) in
            var ended: [SessionID] = []
            for id in ids {
                let expiresAt = memory.withState { $0.expiry(of: id, written: now) }
                guard expiresAt > now else {
                    if try transaction.end(id, now: now) { ended.append(id) }
                    continue
                }
                try transaction.write(expiresAt, of: id)
            }
            return .success(ended)
        }
    }

    private func forgetTombstones(now: Timestamp) async throws(SessionStoreError) {
        var forgotten: Int
        repeat {
            forgotten = try await writes.write { [memory] transaction throws(SQLiteError) in
                let count = memory.withState(\.tombstones)
                let forgotten = try transaction.database.forgetEnded(
                    before: now.adding(seconds: -3600), count: count, limit: Self.tombstoneLimit)
                if forgotten > 0 { transaction.afterCommit { $0.tombstones -= forgotten } }
                return .success(forgotten)
            }
        } while forgotten >= SQLiteDatabase.tombstoneGroup
    }
}
