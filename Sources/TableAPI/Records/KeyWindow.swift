/// How many keys a range should have, and may have, to be read with one request.
struct KeyWindow: Sendable, Equatable {
    /// The rows that a request asks for at most.
    let limit: Int
    /// The count up to which an answer is taken for whole. An instance counts after it has cut the window, so that rows
    /// deleted in between would hide what was cut off; hence the distance to `limit`.
    let room: Int
    /// The count to aim at.
    var target: Int { isNarrow ? min(usualTarget, narrowest) : usualTarget }
    /// The most keys that are asked for at once where they were counted.
    var most: Int { isNarrow ? target : room }
    /// Whether memory is short, so that a window may take an eighth of what it usually takes.
    var isNarrow = false
    /// So far below `room` that few ranges of evenly spread keys exceed it: by two standard deviations, but by less than a
    /// third.
    private var usualTarget: Int
    private var narrowest: Int { max(room / 8, 1) }

    /// The window of a request for so many rows, ≥ 1.
    init(limit: Int) {
        self.limit = limit
        room = limit - limit / 64
        let root = (Double(room) + 1).squareRoot() - 1
        usualTarget = max(Int(root * root), (room * 7 + 9) / 10)
    }

    /// The parts into which so many keys are divided.
    func parts(of count: Int) -> Int {
        max(1, count / target + (count % target > 0 ? 1 : 0))
    }

    /// Aims lower, down to an eighth of `room`, since an answer with about so many rows did not come whole.
    mutating func narrow(below count: Int) {
        usualTarget = min(usualTarget, max(count / 2, narrowest))
    }
}
