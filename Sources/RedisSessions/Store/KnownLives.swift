internal import Clocks
internal import Locks
internal import Sessions

/// Until when sessions live, as far as this process knows: a use is written at most every tenth of a session's idle timeout,
/// and otherwise only when its end is near.
final class KnownLives: Sendable {
    private struct Life {
        /// What the server has, or less.
        var stored: Timestamp
        /// What this process's callers were told.
        var wanted: Timestamp
        /// In milliseconds.
        var tenth: Int
    }

    /// Past so many all are forgotten; each is known again at its next read.
    private static let limit = 100_000
    private let lives = Lock<[SessionID: Life]>([:])

    /// Takes note of a record that the server has.
    func know(_ record: SessionRecord) {
        lives.withLock { lives in
            if lives.count >= Self.limit, lives[record.id] == nil { lives = [:] }
            let wanted = max(lives[record.id]?.wanted ?? record.expiresAt, record.expiresAt)
            lives[record.id] = Life(
                stored: record.expiresAt, wanted: wanted, tenth: record.definition.idleTimeout * 100)
        }
    }

    /// Whether the server has to be told that a session lives until then.
    func has(to expiresAt: Timestamp, _ id: SessionID) -> Bool {
        lives.withLock { lives in
            guard var life = lives[id] else { return true }
            life.wanted = max(life.wanted, expiresAt)
            lives[id] = life
            return expiresAt.milliseconds - life.stored.milliseconds >= life.tenth
        }
    }

    /// That the server was told so.
    func isStored(_ expiresAt: Timestamp, _ id: SessionID) {
        lives.withLock { lives in
            guard let life = lives[id], life.stored < expiresAt else { return }
            lives[id]?.stored = expiresAt
        }
    }

    /// Until when a session lives by what callers were told; `nil` where nothing is known.
    func wanted(_ id: SessionID) -> Timestamp? {
        lives.withLock { $0[id]?.wanted }
    }

    /// The session has ended.
    func forget(_ id: SessionID) {
        lives.withLock { $0[id] = nil }
    }
}
