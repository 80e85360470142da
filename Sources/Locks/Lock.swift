public import Synchronization

/// The project's one lock: a value that only `withLock` reaches.
///
/// It is a type of its own so that there is one place for another kind of lock. The thread sanitizer does not see a
/// contended `Synchronization.Mutex` on Linux by itself; `Tests/Sanitizers/mutex.c` shows it those of the whole process.
public struct Lock<Value: ~Copyable>: ~Copyable {
    @usableFromInline let mutex: Mutex<Value>

    /// Makes an open lock around a value.
    @inlinable public init(_ value: consuming sending Value) {
        mutex = Mutex(value)
    }

    /// Reads or changes the value while nobody else can. Nothing that waits, and no foreign code, belongs in the closure.
    @inlinable public func withLock<Result: ~Copyable, Failure: Error>(
        _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try mutex.withLock(body)
    }
}

extension Lock: Sendable where Value: ~Copyable {}
