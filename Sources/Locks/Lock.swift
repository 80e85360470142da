public import Synchronization

/// The project's one lock: a value that only `withLock` reaches.
///
/// It stands behind this alias because the thread sanitizer does not see `Synchronization.Mutex` on Linux and reports
/// races that are none; a sanitizer build can put a lock here that it does see.
public typealias Lock<Value: ~Copyable> = Mutex<Value>
