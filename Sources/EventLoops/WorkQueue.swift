/// One thing that a loop is to run.
enum Work {
    /// A part of a Swift task.
    case job(UnownedJob)
    /// A closure given to `EventLoop.execute`.
    case body(@Sendable () -> Void)
}

/// What waits to be run on a loop, first in, first out.
///
/// It is emptied a batch at a time, and the two arrays change places, so that nothing is allocated once both have
/// grown to the size that is needed.
struct WorkQueue {
    private var waiting: [Work] = []
    private var spare: [Work] = []

    /// Whether nothing waits.
    var isEmpty: Bool { waiting.isEmpty }

    /// Puts one thing at the end.
    mutating func append(_ work: Work) {
        waiting.append(work)
    }

    /// Puts another queue's things at the end and leaves it empty.
    mutating func append(contentsOf mail: inout [Work]) {
        if waiting.isEmpty {
            swap(&waiting, &mail)
        } else {
            waiting += mail
            mail.removeAll(keepingCapacity: true)
        }
    }

    /// Takes everything out; `giveBack` returns the array when it has been run.
    mutating func take() -> [Work] {
        var batch: [Work] = []
        swap(&batch, &waiting)
        swap(&waiting, &spare)
        return batch
    }

    /// Takes back the storage of a batch, which has to be empty.
    mutating func giveBack(_ batch: consuming [Work]) {
        spare = batch
    }
}
