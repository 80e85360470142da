import Clocks
import Pagination
import Synchronization

extension Session {
    /// Whether a page is at hand that may still be delivered: the session is then not let go of.
    nonisolated func holdsPages(at now: Duration) -> Bool {
        Int(now / .milliseconds(1)) < holdsPagesUntil.load(ordering: .relaxed)
    }

    /// Whether pages are at hand that may not be delivered any more.
    nonisolated func hasOldPages(at now: Duration) -> Bool {
        holdsPagesUntil.load(ordering: .relaxed) != 0 && !holdsPages(at: now)
    }

    /// Gives them up.
    func dropOldPages() {
        let now = clock.uptime()
        guard hasOldPages(at: now) else { return }
        holdsPagesUntil.store(0, ordering: .relaxed)
        // That moment is kept in whole milliseconds.
        readAhead.dropOld(now: now + .milliseconds(1))
    }

    /// Fetches the pages behind the one where a move has just arrived, and gives up those that are not behind it.
    ///
    /// - Parameter earlier: the move before that one.
    func readAhead(behind record: SessionRecord, after earlier: SessionMove?) {
        guard let move = record.reachedBy else { return }
        let depth = record.definition.readAhead
        let windows = depth.windows(behind: record.state, reachedBy: move, after: earlier, for: record.owner)
        // A move elsewhere begins anew: whoever goes back to page 1 does not come upon pages older than that one.
        if move != .next { _ = readAhead.retain([], now: clock.uptime()) }
        for window in readAhead.retain(windows, now: clock.uptime()) {
            let source = source.detached()
            let number = readAhead.number()
            let task = background.start { [weak self] in
                let answer = try? await source.fetch(window)
                await self?.arrived(window, number: number, with: answer)
            }
            // None: the service is about to stop.
            guard let task else { return }
            readAhead.began(window, task, number: number)
            holdPages(until: clock.uptime() + configuration.readAheadMaxAge)
        }
    }

    /// - Parameter answer: `nil` where the fetch failed: whoever moves there hears why from a fetch of their own.
    private func arrived(_ window: PageRequest, number: Int, with answer: PageAnswer?) {
        let until = clock.uptime() + configuration.readAheadMaxAge
        let page = answer.flatMap { readAheadMemory.keep($0, until: until) }
        readAhead.ended(window, number: number, with: page)
        if page != nil { holdPages(until: until) }
    }

    private func holdPages(until moment: Duration) {
        holdsPagesUntil.store(Int(moment / .milliseconds(1)), ordering: .relaxed)
    }
}
