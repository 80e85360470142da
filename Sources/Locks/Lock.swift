public import Synchronization

/// The project's one lock: a value that only `withLock` reaches.
///
/// It is a type of its own because the thread sanitizer does not see `Synchronization.Mutex` on Linux and reports races
/// that are none; a sanitizer build can put a lock here that it does see.
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
