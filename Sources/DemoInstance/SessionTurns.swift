internal import HTTPModel
internal import Locks

/// The requests that share one `JSESSIONID`: an instance works on one of them at a time, lets ten wait, and answers
/// further ones at once with an empty 202 (ServiceNow, KB0655956).
final class SessionTurns: Sendable {
    /// How many may wait.
    static let maxWaiting = 10

    private typealias Waiter = CheckedContinuation<Bool, Never>

    /// The sessions with a request in progress, and who waits for its end.
    private let waiting = Lock<[String: [Waiter]]>([:])

    /// Answers when it is the request's turn; at once where it names no session.
    func answer(session: String?, _ answer: () async -> Response) async -> Response {
        guard let session else { return await answer() }
        let isAdmitted = await withCheckedContinuation { waiter in
            if let isAdmitted = enter(session, waiter) { waiter.resume(returning: isAdmitted) }
        }
        guard isAdmitted else { return Response(status: 202) }
        let response = await answer()
        leave(session)
        return response
    }

    /// How many requests of a session wait for their turn.
    func count(session: String) -> Int {
        waiting.withLock { $0[session]?.count ?? 0 }
    }

    /// Whether the request may go on at once or never; `nil` where it waits.
    private func enter(_ session: String, _ waiter: Waiter) -> Bool? {
        waiting.withLock { waiting in
            guard let others = waiting[session] else {
                waiting[session] = []
                return true
            }
            guard others.count < Self.maxWaiting else { return false }
            waiting[session]?.append(waiter)
            return nil
        }
    }

    private func leave(_ session: String) {
        let next: Waiter? = waiting.withLock { waiting in
            guard waiting[session]?.isEmpty == false else {
                waiting[session] = nil
                return nil
            }
            return waiting[session]?.removeFirst()
        }
        next?.resume(returning: true)
    }
}
