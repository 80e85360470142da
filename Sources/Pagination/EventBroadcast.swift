import Locks

/// Hands every event to every subscriber, in order.
///
/// A subscriber that falls `limit` events behind is cut off with `SubscriptionError.fellBehind` after the events that it
/// still holds; nobody else notices, and the sender never waits. When the broadcast itself goes, its subscriptions end.
package final class EventBroadcast<Event: Sendable>: Sendable {
    private typealias Subscribers = [UInt64: AsyncThrowingStream<Event, any Error>.Continuation]

    /// An event on its way, to those who listened when it happened; no event is the end.
    private struct Delivery {
        var event: Event?
        var subscribers: Subscribers
    }

    private struct State {
        var subscribers: Subscribers = [:]
        var latestID: UInt64 = 0
        var isFinished = false
        var outgoing: [Delivery] = []
        var isDelivering = false
    }

    private let state = Lock(State())
    private let limit: Int

    /// Makes a broadcast without subscribers.
    package init(limit: Int = 1024) {
        self.limit = limit
    }

    deinit {
        state.withLock { $0.subscribers }.values.forEach { $0.finish() }
    }

    /// Whether anybody listens.
    package var hasSubscribers: Bool {
        state.withLock { !$0.subscribers.isEmpty }
    }

    /// Hears every event from now on.
    package func subscribe() -> AsyncThrowingStream<Event, any Error> {
        let (stream, continuation) = AsyncThrowingStream.makeStream(
            of: Event.self, bufferingPolicy: .bufferingOldest(limit))
        let id = state.withLock { state in
            state.latestID += 1
            return state.latestID
        }
        // Before anybody can end the subscription, since an end that came first would not be told.
        continuation.onTermination = { [weak self] _ in
            _ = self?.state.withLock { $0.subscribers.removeValue(forKey: id) }
        }
        let isOpen = state.withLock { state in
            if !state.isFinished { state.subscribers[id] = continuation }
            return !state.isFinished
        }
        if !isOpen { continuation.finish() }
        return stream
    }

    /// Sends an event to everybody who listens.
    package func send(_ event: Event) {
        append(event)
        deliver()
    }

    /// Ends every subscription behind the events sent so far, and every later one at once.
    package func finish() {
        appendEnd()
        deliver()
    }

    /// Decides an event's place in the order; it reaches nobody before `deliver`. May be called under a lock.
    package func append(_ event: Event) {
        state.withLock { state in
            guard !state.subscribers.isEmpty else { return }
            state.outgoing.append(Delivery(event: event, subscribers: state.subscribers))
        }
    }

    /// Decides the end's place in the order, as `append` does an event's.
    package func appendEnd() {
        state.withLock { state in
            state.isFinished = true
            guard !state.subscribers.isEmpty else { return }
            state.outgoing.append(Delivery(subscribers: state.subscribers))
            state.subscribers = [:]
        }
    }

    /// Hands out whatever was appended. Where somebody else is at it already, they hand out this too.
    ///
    /// Never to be called under a lock: a subscriber is resumed here, and one that is cut off takes this lock again.
    package func deliver() {
        var isFirst = true
        while true {
            let deliveries: [Delivery] = state.withLock { state in
                if isFirst, state.isDelivering { return [] }
                let deliveries = state.outgoing
                state.outgoing = []
                state.isDelivering = !deliveries.isEmpty
                return deliveries
            }
            if deliveries.isEmpty { return }
            isFirst = false
            deliveries.forEach(Self.handOut)
        }
    }

    private static func handOut(_ delivery: Delivery) {
        for subscriber in delivery.subscribers.values {
            guard let event = delivery.event else {
                subscriber.finish()
                continue
            }
            if case .dropped = subscriber.yield(event) { subscriber.finish(throwing: SubscriptionError.fellBehind) }
        }
    }
}

/// Why a subscription ended before its publisher.
public enum SubscriptionError: Error, Sendable, Equatable {
    /// Too many events waited for this subscriber.
    case fellBehind
}
