public import Clocks
public import Sessions

extension RedisSessionStore {
    /// Past this many tombstones the oldest are forgotten early.
    private static let tombstoneLimit = 1_000_000

    /// Ends the sessions whose time is up, but for those that are in use here or, as they have told, in other replicas.
    @concurrent public func sweep(
        now: Timestamp, inUse: @Sendable (SessionID) -> Bool
    ) async throws(SessionStoreError) -> [SessionID] {
        var ended: [SessionID] = []
        // A server that has lost its data gets the key again.
        if let ownerKey { _ = try? await ownerKey.settle(by: client) }
        while true {
            // A little ahead, so that a session in use here has its end put off before another replica finds it due.
            let soon = Timestamp(milliseconds: now.milliseconds + 3000)
            let reply = try await run(scripts.due, [.integer(soon.milliseconds), .integer(Self.batch)])
            guard let elements = reply.elements else { throw SessionStoreError(.malformed) }
            var due: [SessionID] = []
            var putOff = 0
            for index in stride(from: 0, to: elements.count - 1, by: 2) {
                guard let id = elements[index].text.flatMap({ SessionID($0) }), let expiry = elements[index + 1].integer
                else { continue }
                let soonest = Timestamp(milliseconds: inUse(id) ? now.milliseconds + 4000 : expiry)
                let later = lives.wanted(id).map { max($0, soonest) } ?? soonest
                if later.milliseconds > expiry {
                    if try await writeLife(of: id, until: later) { lives.isStored(later, id) }
                    putOff += 1
                } else if expiry <= now.milliseconds {
                    due.append(id)
                }
            }
            let ids = try await expire(due, now: now)
            ended += ids
            for id in ids { forget(id) }
            // Fewer: that was all. None dealt with: all the others end a little later.
            if elements.count < 2 * Self.batch || due.count + putOff == 0 { break }
        }
        try await forgetTombstones(now: now)
        return ended
    }

    private func forgetTombstones(now: Timestamp) async throws(SessionStoreError) {
        let arguments: [RedisCommand.Argument] = [
            .integer(now.milliseconds - 3_600_000), .integer(Self.batch), .integer(Self.tombstoneLimit),
        ]
        while try await run(scripts.forget, arguments).integer ?? 0 >= Self.batch {}
    }

    private func expire(_ due: [SessionID], now: Timestamp) async throws(SessionStoreError) -> [SessionID] {
        guard !due.isEmpty else { return [] }
        let ids = due.map { RedisCommand.Argument.text($0.description) }
        let reply = try await run(scripts.expire, [.integer(now.milliseconds)] + ids)
        return (reply.elements ?? []).compactMap { $0.text.flatMap { SessionID($0) } }
    }
}
