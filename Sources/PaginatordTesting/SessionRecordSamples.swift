public import Clocks
public import Pagination
public import Sessions

extension SessionRecord {
    /// A session that was just opened, by default by Ann.
    public static func sample(
        owner: String = "ann", idleTimeout: Int = 900, itemsPerPage: Int = 20, now: Timestamp
    ) -> SessionRecord {
        let definition = SessionDefinition(
            instance: "default", table: "incident", itemsPerPage: itemsPerPage, idleTimeout: idleTimeout)
        return SessionRecord(
            id: SessionID(), owner: owner, definition: definition, publisherShouldFinish: false, now: now)
    }

    /// The session after a move that was answered with these rows, and its page.
    ///
    /// - Throws: `PaginationError` where there is no such move.
    public func moved(
        by move: Move, answer: PageAnswer
    ) throws(PaginationError) -> (record: SessionRecord, page: Page) {
        var record = self
        var action = try record.state.begin(move)
        while true {
            switch action {
            case .fetch: action = try record.state.complete(answer)
            case .deliver(let page):
                record.position += 1
                record.reachedBy = SessionMove(rawValue: move.rawValue)
                record.keptPage = .page(page)
                return (record, page)
            }
        }
    }
}
