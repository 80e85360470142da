import Locks
import Pagination

/// Whole answers of instances, kept for a short while for whoever asks for the same again with the same credentials.
///
/// Errors are not kept, nor is what an export reads. Services that share a cache share its room and nothing else: what one
/// of them has got is never given out by another.
public final class PageCache: Sendable {
    private struct State {
        var answers: RecentAnswers
        var services = 0
    }

    private let state: Lock<State>

    /// A cache without anything in it.
    ///
    /// - Parameters:
    ///   - timeToLive: how long an answer is good from its arrival on.
    ///   - maxBytes: the most that all answers take together; whichever was not asked for the longest has to go first.
    public init(timeToLive: Duration, maxBytes: Int) {
        state = Lock(State(answers: RecentAnswers(timeToLive: timeToLive, maxBytes: maxBytes)))
    }

    /// The bytes of all that is kept.
    public var bytes: Int { state.withLock { $0.answers.bytes } }

    /// A number for a service, by which its answers are kept apart from those of others.
    func register() -> Int {
        state.withLock { state in
            state.services += 1
            return state.services
        }
    }

    /// The answer, if it is there and still good.
    func answer(for key: FetchKey, now: Duration) -> PageAnswer? {
        var answer = state.withLock { $0.answers.answer(for: key, now: now) }
        answer?.origin = .cached
        return answer
    }

    /// Keeps an answer from now on.
    func keep(_ answer: PageAnswer, for key: FetchKey, now: Duration) {
        // A copy takes what its rows take; the answer may stand in a buffer that was made for more.
        var kept = answer
        kept.rows = Rows(answer.rows.blocks.map { $0.copied })
        state.withLock { $0.answers.keep(kept, for: key, now: now) }
    }
}

extension Rows.Block {
    /// The same rows in memory of their own, no larger than they are.
    fileprivate var copied: Rows.Block {
        let start = text.startIndex
        return Rows.Block(
            text: Array(text)[...], extents: extents.map { $0.lowerBound - start..<$0.upperBound - start })
    }
}
