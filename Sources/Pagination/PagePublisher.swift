/// Publishes what a paginator does, to any number of subscribers.
///
/// Each `for try await` loop (each iterator) is a subscriber of its own and hears everything from the moment in which
/// the iterator is made. The sequence ends when the paginator has finished or is gone, and not before; a failed fetch is
/// an event and no end, since the same move can be made again.
public struct PagePublisher: AsyncSequence, Sendable {
    /// What happened.
    public enum Event: Sendable, Equatable {
        /// A page was delivered, whoever asked for it.
        case page(Page)
        /// The paginator went back in front of the first page.
        case reset
        /// A fetch failed; page and count are as they were.
        case failure(PageSourceError)
    }

    let broadcast = EventBroadcast<Event>()

    /// Subscribes.
    public func makeAsyncIterator() -> Iterator {
        Iterator(base: broadcast.subscribe().makeAsyncIterator())
    }

    /// One subscription.
    public struct Iterator: AsyncIteratorProtocol {
        var base: AsyncThrowingStream<Event, any Error>.Iterator

        /// Waits for the next event; `nil` once the paginator has finished, or the task is cancelled.
        ///
        /// - Throws: `SubscriptionError.fellBehind` when 1,024 events wait for this subscriber.
        public mutating func next() async throws -> Event? {
            try await next(isolation: #isolation)
        }

        /// Waits for the next event on the caller's actor; as `next()`.
        public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Event? {
            try await base.next(isolation: actor)
        }
    }
}
