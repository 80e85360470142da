import Locks
import Pagination

/// The room that all sessions together have for pages that were read ahead.
final class ReadAheadMemory: Sendable {
    private let free: Lock<Int>

    /// Room for so many bytes of rows.
    init(bytes: Int) {
        free = Lock(bytes)
    }

    /// Keeps a page, unless there is no room for it.
    func keep(_ answer: PageAnswer, until moment: Duration) -> PageAhead? {
        let bytes = answer.rows.byteCount + answer.rows.count * MemoryLayout<Range<Int>>.stride
        let fits = free.withLock { free in
            guard free >= bytes else { return false }
            free -= bytes
            return true
        }
        return fits ? PageAhead(answer: answer, until: moment, bytes: bytes, memory: self) : nil
    }

    fileprivate func giveBack(_ bytes: Int) {
        free.withLock { $0 += bytes }
    }
}

/// A page that was read ahead; its room is free again once nobody holds it.
final class PageAhead: Sendable {
    /// What the source answered.
    let answer: PageAnswer
    /// When it is too old to be delivered, by the service's clock.
    let until: Duration
    private let bytes: Int
    private let memory: ReadAheadMemory

    fileprivate init(answer: PageAnswer, until: Duration, bytes: Int, memory: ReadAheadMemory) {
        self.answer = answer
        self.until = until
        self.bytes = bytes
        self.memory = memory
    }

    deinit {
        memory.giveBack(bytes)
    }
}
