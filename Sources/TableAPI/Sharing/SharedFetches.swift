import Locks
import Pagination

/// The fetches of one service that are under way, each with those who wait for its answer: identical ones are one request.
///
/// Whoever comes first leads: it fetches in its own task, so that a fetch which nobody shares costs no task and no hop, and
/// nothing runs that nobody waits for. Whoever comes while that is under way follows: it gets the same answer or the same
/// error. So a follower's answer may be older than its question, by no more than the fetch takes; whoever has just written
/// something, and moves, may see the table as it was right before. Nothing is shared with those who come afterwards.
///
/// A follower whose task is cancelled leaves alone. A leader that gives up, because its task is cancelled, its deadline is
/// over or nobody waited for what it read ahead, hands over to the follower that came first, which fetches anew within its
/// own deadline. All have as much time from when they came, so a leader's time is always up before its followers': none of
/// them waits beyond its own deadline.
final class SharedFetches: Sendable {
    /// What becomes of a fetch.
    enum Part: Sendable {
        /// It is made, by whoever asked, who then calls `finish` or `handOver`.
        case lead(RequestUrgency)
        /// Another one's came to this.
        case share(Result<PageAnswer, PageSourceError>)
    }

    private struct Follower {
        var ticket: Int
        var priority: PageRequest.Priority
        var continuation: CheckedContinuation<Part, Never>
    }

    private struct Fetch {
        var urgency: RequestUrgency
        var followers: [Follower] = []
    }

    private struct State {
        var fetches: [FetchKey: Fetch] = [:]
        var latestTicket = 0

        mutating func begin(_ key: FetchKey, _ priority: PageRequest.Priority) -> RequestUrgency? {
            let urgency = RequestUrgency(priority)
            // Nearly always there is none.
            guard let present = fetches.updateValue(Fetch(urgency: urgency), forKey: key) else { return urgency }
            fetches[key] = present
            return nil
        }
    }

    private let gate: any RequestGate
    private let state = Lock(State())

    /// Those that ask for permission at that gate.
    init(gate: any RequestGate) {
        self.gate = gate
    }

    /// Whether nothing is under way.
    var isIdle: Bool { state.withLock { $0.fetches.isEmpty } }

    /// How many wait for another's fetch.
    var followerCount: Int {
        state.withLock { $0.fetches.values.reduce(0) { $0 + $1.followers.count } }
    }

    /// Takes part in a fetch, waiting for its end where it is under way already.
    ///
    /// What was begun as less urgent becomes as urgent as whoever waits for it.
    func join(_ key: FetchKey, _ priority: PageRequest.Priority) async -> Part {
        let (urgency, ticket) = state.withLock { state in
            let urgency = state.begin(key, priority)
            if urgency == nil { state.latestTicket += 1 }
            return (urgency, state.latestTicket)
        }
        if let urgency { return .lead(urgency) }
        return await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                follow(key, Follower(ticket: ticket, priority: priority, continuation: continuation))
            }
        } onCancel: {
            leave(key, ticket)
        }
    }

    /// Ends a fetch: all who wait for it are told.
    func finish(_ key: FetchKey, _ result: Result<PageAnswer, PageSourceError>) {
        let followers = state.withLock { $0.fetches.removeValue(forKey: key)?.followers ?? [] }
        guard !followers.isEmpty else { return }
        var shared = result
        if case .success(var answer) = shared {
            answer.origin = .collapsed
            shared = .success(answer)
        }
        for follower in followers { follower.continuation.resume(returning: .share(shared)) }
    }

    /// Leaves a fetch that comes to nothing to whoever else wants it, if anybody does.
    func handOver(_ key: FetchKey) {
        let next: (continuation: CheckedContinuation<Part, Never>, urgency: RequestUrgency)? = state.withLock { state in
            guard var fetch = state.fetches.removeValue(forKey: key), !fetch.followers.isEmpty else { return nil }
            let leader = fetch.followers.removeFirst()
            fetch.urgency = RequestUrgency(leader.priority)
            for follower in fetch.followers { _ = fetch.urgency.raise(to: follower.priority) }
            state.fetches[key] = fetch
            return (leader.continuation, fetch.urgency)
        }
        if let next { next.continuation.resume(returning: .lead(next.urgency)) }
    }

    private func follow(_ key: FetchKey, _ follower: Follower) {
        let (part, raised): (Part?, RequestUrgency?) = state.withLock { state in
            // Looked at under the lock that `leave` takes, too, so a cancellation is seen here or there.
            if Task.isCancelled { return (.share(.failure(.stopping)), nil) }
            // It may have ended meanwhile.
            if let urgency = state.begin(key, follower.priority) { return (.lead(urgency), nil) }
            state.fetches[key]?.followers.append(follower)
            let urgency = state.fetches[key]?.urgency
            return (nil, urgency?.raise(to: follower.priority) == true ? urgency : nil)
        }
        if let part { follower.continuation.resume(returning: part) }
        if let raised { gate.raise(raised) }
    }

    private func leave(_ key: FetchKey, _ ticket: Int) {
        let leaving: Follower? = state.withLock { state in
            guard let index = state.fetches[key]?.followers.firstIndex(where: { $0.ticket == ticket }) else {
                return nil
            }
            return state.fetches[key]?.followers.remove(at: index)
        }
        leaving?.continuation.resume(returning: .share(.failure(.stopping)))
    }
}
