import Locks
import SQLite
import Sessions

/// A write that waits for the transaction it will be part of.
protocol WaitingWrite: Sendable {
    /// Makes the change. What it came to counts once the transaction is committed.
    ///
    /// - Throws: `SQLiteError`, after which the transaction is to be rolled back.
    func make(in transaction: SessionTransaction) throws(SQLiteError)

    /// Gives it up.
    func fail(_ error: SessionStoreError)
}

/// A write and what it came to.
final class SessionWrite<Output: Sendable>: WaitingWrite {
    /// Makes the change; a failure that it returns has changed nothing.
    typealias Body =
        @Sendable (SessionTransaction) throws(SQLiteError) -> Result<Output, SessionStoreError>

    private let body: Body
    private let result = Lock<Result<Output, SessionStoreError>?>(nil)

    /// Makes a write.
    init(_ body: @escaping Body) {
        self.body = body
    }

    func make(in transaction: SessionTransaction) throws(SQLiteError) {
        let result = try body(transaction)
        self.result.withLock { $0 = result }
    }

    func fail(_ error: SessionStoreError) {
        result.withLock { $0 = .failure(error) }
    }

    /// Whether its transaction is over.
    var isOver: Bool {
        result.withLock { $0 != nil }
    }

    /// What it came to, once its transaction is over.
    var outcome: Result<Output, SessionStoreError> {
        result.withLock { $0 } ?? .failure(.unavailable("the sessions' file was closed"))
    }
}
