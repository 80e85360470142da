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

    private struct State {
        var lives: [SessionID: Life] = [:]
        /// Past so many those are forgotten of which the server knows all; each is known again at its next read.
        var limit: Int
    }

    private let leastLimit: Int
    private let state: Lock<State>

    /// Begins with none known.
    ///
    /// - Parameter limit: how many are known before any is forgotten.
    init(limit: Int = 100_000) {
        leastLimit = limit
        state = Lock(State(limit: limit))
    }

    /// How many are known.
    var count: Int { state.withLock(\.lives.count) }

    /// Takes note of a record that the server has.
    func know(_ record: SessionRecord) {
        state.withLock { state in
            if state.lives.count >= state.limit, state.lives[record.id] == nil {
                // What callers were told, and the server was not, is known nowhere else, until its time is up.
                let now = record.expiresAt.adding(seconds: -record.definition.idleTimeout)
                state.lives = state.lives.filter { $1.wanted > $1.stored && $1.wanted > now }
                state.limit = max(leastLimit, 2 * state.lives.count)
            }
            let wanted = max(state.lives[record.id]?.wanted ?? record.expiresAt, record.expiresAt)
            state.lives[record.id] = Life(
                stored: record.expiresAt, wanted: wanted, tenth: record.definition.idleTimeout * 100)
        }
    }

    /// Whether the server has to be told that a session lives until then.
    func has(to expiresAt: Timestamp, _ id: SessionID) -> Bool {
        state.withLock { state in
            guard var life = state.lives[id] else { return true }
            life.wanted = max(life.wanted, expiresAt)
            state.lives[id] = life
            return expiresAt.milliseconds - life.stored.milliseconds >= life.tenth
        }
    }

    /// That the server was told so.
    func isStored(_ expiresAt: Timestamp, _ id: SessionID) {
        state.withLock { state in
            guard let life = state.lives[id], life.stored < expiresAt else { return }
            state.lives[id]?.stored = expiresAt
        }
    }

    /// Until when a session lives by what callers were told; `nil` where nothing is known.
    func wanted(_ id: SessionID) -> Timestamp? {
        state.withLock { $0.lives[id]?.wanted }
    }

    /// The session has ended.
    func forget(_ id: SessionID) {
        state.withLock { $0.lives[id] = nil }
    }
}
