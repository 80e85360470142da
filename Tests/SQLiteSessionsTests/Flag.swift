import Locks

/// A yes or no that several tasks share.
final class Flag: Sendable {
    private let value: Lock<Bool>

    init(_ value: Bool) {
        self.value = Lock(value)
    }

    var isSet: Bool {
        get { value.withLock { $0 } }
        set { value.withLock { $0 = newValue } }
    }
}
