internal import EventLoops
internal import Locks
internal import Sessions

/// The leases of this process: who has one moves its session, and others wait.
///
/// A lease lapses where it is not renewed, because its process was killed for instance; then the store's compare-and-set alone
/// decides.
final class Leases: Sendable {
    /// How often leases are renewed.
    static let renewal = Duration.milliseconds(600)
    /// How often `tick` is to be called.
    static let interval = Duration.milliseconds(200)
    /// How many are renewed by one script.
    private static let batch = 500

    private struct State {
        var tokens: [SessionID: String] = [:]
        var latestNumber = 0
        /// Those that could not be given back yet, because the server was away: nobody else is to wait until they lapse.
        var owed: [String: SessionID] = [:]
        var ticks = 0
    }

    private let client: RedisClient
    private let scripts: RedisScripts
    /// How long a lease lives without being renewed, in milliseconds.
    private let life: Int
    private let state = Lock(State())
    /// What nobody else's tokens begin with.
    private let origin = SessionID().description

    /// A process without leases.
    init(_ client: RedisClient, _ scripts: RedisScripts) {
        self.client = client
        self.scripts = scripts
        life = milliseconds(client.configuration.silenceLimits.lease)
    }

    /// The token of a lease that this process has.
    func token(of id: SessionID) -> String? {
        state.withLock { $0.tokens[id] }
    }

    /// Takes the lease of a session.
    ///
    /// - Parameter waits: whether to wait while somebody else has it.
    /// - Returns: `nil` where somebody else has it.
    func take(_ id: SessionID, waits: Bool) async throws(RedisError) -> SessionLease? {
        let token = state.withLock { state in
            state.latestNumber += 1
            return "\(origin)-\(state.latestNumber)"
        }
        var rest = 5
        while true {
            let reply: RedisReply
            do {
                reply = try await scripts.lease.run(
                    [.text(id.description), .text(token), .integer(life), .text(origin)], by: client)
                client.isServing()
            } catch {
                client.isRefusing(error)
                // It may have been taken.
                if case .lost = error { state.withLock { $0.owed[token] = id } }
                throw error
            }
            guard let elements = reply.elements, let first = elements.first?.integer else { throw .malformed }
            if first == 1 {
                state.withLock { $0.tokens[id] = token }
                return SessionLease(revision: elements.last?.integer ?? -1) { [self] in giveBack(id, token) }
            }
            guard waits else { return nil }
            do {
                try await client.commander.loop.sleep(for: .milliseconds(Int.random(in: rest / 2...rest)))
            } catch {
                return nil
            }
            rest = min(50, rest * 2)
        }
    }

    /// That a write has given the lease back along the way.
    func wasGivenBack(_ id: SessionID, _ token: String) {
        state.withLock { if $0.tokens[id] == token { $0.tokens[id] = nil } }
    }

    private func giveBack(_ id: SessionID, _ token: String) {
        let isOurs = state.withLock { state in
            guard state.tokens[id] == token else { return false }
            state.tokens[id] = nil
            return true
        }
        guard isOurs else { return }
        release(id, token)
    }

    private func release(_ id: SessionID, _ token: String) {
        scripts.release.start([.text(id.description), .text(token)], by: client) { [self] result in
            state.withLock { state in
                if case .success = result { state.owed[token] = nil } else { state.owed[token] = id }
            }
        }
    }

    /// Keeps what this process has from lapsing, and gives back what it could not give back before; on the loop of the
    /// client's first commander.
    func tick() {
        let (owed, isDue) = state.withLock { state in
            state.ticks += 1
            return (state.owed, state.ticks.isMultiple(of: Int(Self.renewal / Self.interval)))
        }
        if client.takesCommands {
            for (token, id) in owed { release(id, token) }
        }
        if isDue { renew() }
    }

    private func renew() {
        let held = Array(state.withLock { $0.tokens })
        for start in stride(from: 0, to: held.count, by: Self.batch) {
            let some = held[start..<min(start + Self.batch, held.count)]
            scripts.renew.start(
                [.integer(life)] + some.flatMap { [.text($0.key.description), .text($0.value)] },
                by: client.first)
        }
    }
}
