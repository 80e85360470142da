import Locks

/// Hands every event to every subscriber, in order.
///
/// A subscriber that falls `limit` events behind is cut off with `SubscriptionError.fellBehind` after the events that it
/// still holds; nobody else notices, and the sender never waits.
package final class EventBroadcast<Event: Sendable>: Sendable {
    private struct State {
        var subscribers: [UInt64: AsyncThrowingStream<Event, any Error>.Continuation] = [:]
        var nextID: UInt64 = 0
        var isFinished = false
    }

    private let state = Lock(State())
    private let limit: Int

    /// Makes a broadcast without subscribers.
    package init(limit: Int = 1024) {
        self.limit = limit
    }

    /// Whether anybody listens.
    package var hasSubscribers: Bool {
        state.withLock { !$0.subscribers.isEmpty }
    }

    /// Hears every event from now on.
    package func subscribe() -> AsyncThrowingStream<Event, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingOldest(limit))
        let id: UInt64? = state.withLock { state in
            guard !state.isFinished else { return nil }
            state.nextID += 1
            state.subscribers[state.nextID] = continuation
            return state.nextID
        }
        guard let id else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: id) }
        }
        return stream
    }

    /// Sends an event to everybody who listens.
    package func send(_ event: Event) {
        // Outside the lock: ending a subscriber calls back into `onTermination`, which takes it.
        let subscribers = state.withLock { $0.subscribers }
        for subscriber in subscribers.values {
            if case .dropped = subscriber.yield(event) { subscriber.finish(throwing: SubscriptionError.fellBehind) }
        }
    }

    /// Ends every subscription behind the events sent so far, and every later one at once.
    package func finish() {
        let subscribers = state.withLock { state in
            state.isFinished = true
            return state.subscribers
        }
        subscribers.values.forEach { $0.finish() }
    }
}

/// Why a subscription ended before its publisher.
public enum SubscriptionError: Error, Sendable, Equatable {
    /// Too many events waited for this subscriber.
    case fellBehind
}
