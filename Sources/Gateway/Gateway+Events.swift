import HTTPModel
import Pagination
import Sessions

extension Gateway {
    /// Opens the publisher of a session as a stream of server-sent events.
    func streamEvents(_ context: RequestContext, id: String) async throws(Problem) -> Reply {
        let latest = try latestEvent(context)
        let session = try await find(id, for: context.owner)
        do throws(SessionError) {
            let (record, events) = try await session.events(for: context.owner)
            if let latest, latest > record.position || latest < 0 {
                throw SessionError.stale(position: record.position)
            }
            if record.state.isFinished, latest ?? record.position == record.position {
                // Anything else would make a browser come back again and again.
                return Reply(status: 204, body: [])
            }
            let stream = EventStream(
                session: session, owner: context.owner, record: record, events: events, latest: latest,
                language: Language(accepting: context.head.headers), frames: eventFrames, sleep: sleep)
            // Proxies that collect answers would hold the events back (nginx).
            return Reply(headers: ["X-Accel-Buffering": "no"], contentType: "text/event-stream", body: []) {
                try await stream.run(to: $0)
            }
        } catch {
            throw Problem(error)
        }
    }

    /// The latest event that a subscriber has: by its header, which a browser sends when it comes back, or else by the
    /// parameter. −1 for an id that was never given; `nil` for none.
    private func latestEvent(_ context: RequestContext) throws(Problem) -> Int? {
        var faults = context.faults
        let after = context.parameters["after"]
        if let after, !after.isDecimal {
            faults.add(.target, "after", "has to be a position: a whole number from 0 on")
        }
        try faults.check()
        let values = context.head.headers.values(of: "Last-Event-ID")
        guard let text = values.first(where: { !$0.isEmpty }) ?? after else { return nil }
        return values.count <= 1 && text.isDecimal ? Int(text) ?? -1 : -1
    }
}
