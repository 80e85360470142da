import Locks

/// The jars of an instance: one per slot of its concurrency and per holder of credentials.
///
/// A slot carries one request at a time, so a jar never does more; that matters, because an instance makes the requests of
/// one session wait for each other and drops those beyond ten (KB0655956). Holders never see each other's sessions.
final class CookieJars: Sendable {
    private struct Key: Hashable {
        var slot: Int
        var holder: String
    }

    private struct State {
        var jars: [Key: CookieJar] = [:]
        /// Those whose cookies are kept, the one that came first in front.
        var holders: [String] = []
    }

    /// Beyond so many holders, the one that came first starts over without cookies.
    private let maxHolders: Int
    private let state = Lock(State())

    /// No jars yet.
    init(maxHolders: Int = 256) {
        self.maxHolders = maxHolders
    }

    /// Takes the jar of a slot, for the one request that the slot carries.
    func take(slot: Int, holder: String) -> CookieJar {
        state.withLock { $0.jars.removeValue(forKey: Key(slot: slot, holder: holder)) } ?? CookieJar()
    }

    /// Puts a jar back.
    func put(_ jar: CookieJar, slot: Int, holder: String) {
        guard !jar.isEmpty else { return }
        state.withLock { state in
            if !state.holders.contains(holder) {
                if state.holders.count >= maxHolders {
                    let oldest = state.holders.removeFirst()
                    state.jars = state.jars.filter { $0.key.holder != oldest }
                }
                state.holders.append(holder)
            }
            state.jars[Key(slot: slot, holder: holder)] = jar
        }
    }

    /// Drops what is kept of a holder: its credentials were refused, so its sessions are none any more.
    func drop(holder: String) {
        state.withLock { state in
            state.jars = state.jars.filter { $0.key.holder != holder }
            state.holders.removeAll { $0 == holder }
        }
    }
}
