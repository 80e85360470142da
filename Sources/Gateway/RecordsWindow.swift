import TableAPI

/// How many pages of a session are asked for at once when all its records are read, so that small pages do not make many
/// requests of it.
///
/// It is always a whole number of the session's pages, and where a page is named to begin with, one whose multiples meet that
/// page: then a page of the session begins wherever a window does, and no row is read twice or left out when a reading goes
/// on from a page.
struct RecordsWindow: Sendable, Equatable {
    /// How many records are asked for at once where the session's pages are smaller.
    private static let wanted = 1000

    /// The pages in a window.
    let pages: Int
    /// The rows in a window.
    let itemsPerPage: Int
    /// Where to begin, with pages counted in windows.
    let start: RecordsStart

    /// Chooses the window.
    ///
    /// - Parameters:
    ///   - itemsPerPage: the size of the session's pages, in rows.
    ///   - maxItemsPerPage: the most rows that may be asked for at once.
    ///   - start: where to begin, with pages counted in those of the session.
    init(itemsPerPage: Int, maxItemsPerPage: Int, start: RecordsStart) {
        let most = max(1, min(Self.wanted, maxItemsPerPage) / itemsPerPage)
        if case .page(let page) = start {
            pages = (1...most).last { (page - 1).isMultiple(of: $0) } ?? 1
            self.start = .page((page - 1) / pages + 1)
        } else {
            pages = most
            self.start = start
        }
        self.itemsPerPage = itemsPerPage * pages
    }

    /// A place to go on, with pages counted in those of the session.
    func resume(_ place: RecordsStart) -> RecordsStart {
        switch place {
        case .beginning: return .page(1)
        case .afterKey: return place
        case .page(let window):
            let (before, overflows) = (window - 1).multipliedReportingOverflow(by: pages)
            return .page(overflows || before == .max ? .max : before + 1)
        }
    }
}
