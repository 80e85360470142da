import Locks

/// A value that the tasks of a test share.
final class Shared<Value: Sendable>: Sendable {
    private let value: Lock<Value>

    init(_ value: Value) {
        self.value = Lock(value)
    }

    var current: Value { value.withLock { $0 } }

    func change(_ body: (inout Value) -> Void) {
        value.withLock { body(&$0) }
    }
}
