/// Takes note of events. Called on event loops, so it must neither block nor take long.
public protocol Observer: Sendable {
    /// Takes note of one event.
    func observe(_ event: Event)
}

/// Several observers in the place of one; with none in it, events go nowhere.
public struct Observers: Observer {
    private let observers: [any Observer]

    /// Makes a group that tells each of them, in this order.
    public init(_ observers: [any Observer] = []) {
        self.observers = observers
    }

    /// Tells every observer.
    public func observe(_ event: Event) {
        for observer in observers { observer.observe(event) }
    }
}
