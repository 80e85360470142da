import Pagination

extension ByteWriter {
    /// Writes what a paginator knows.
    mutating func state(_ saved: PaginatorState.Saved) {
        flags(
            saved.totalItems != nil, saved.latestWindow != nil, saved.publisherShouldFinish, saved.isFinished,
            saved.hasAnswer, saved.mayHaveMore)
        number(saved.page)
        number(saved.numberOfPages)
        number(saved.itemsPerPage)
        if let totalItems = saved.totalItems { number(totalItems) }
        if let window = saved.latestWindow {
            number(window.offset)
            word(window.digest.high)
            word(window.digest.low)
        }
    }

    /// Writes which page is kept, without its rows.
    mutating func keptPage(_ keptPage: SessionRecord.KeptPage) {
        switch keptPage {
        case .none: byte(0)
        case .page(let page):
            byte(page.rows.isEmpty ? 1 : 2)
            self.page(page)
        case .withoutRows(let page):
            byte(3)
            self.page(page)
        }
    }

    private mutating func page(_ page: Page) {
        flags(page.totalItems != nil, page.hasNext, page.hasPrevious, page.isFinished)
        number(page.page)
        number(page.numberOfPages)
        number(page.itemsPerPage)
        if let totalItems = page.totalItems { number(totalItems) }
    }
}

extension ByteReader {
    /// Reads what a paginator knows.
    ///
    /// - Throws: `SessionEncodingError`.
    mutating func state() throws(SessionEncodingError) -> PaginatorState.Saved {
        let flags = try flags(6)
        var saved = PaginatorState.Saved()
        (saved.publisherShouldFinish, saved.isFinished) = (flags[2], flags[3])
        (saved.hasAnswer, saved.mayHaveMore) = (flags[4], flags[5])
        saved.page = try number()
        saved.numberOfPages = try number()
        saved.itemsPerPage = try number()
        if flags[0] { saved.totalItems = try number() }
        if flags[1] {
            saved.latestWindow = PaginatorState.SavedWindow(
                offset: try number(), digest: RowsDigest(high: try word(), low: try word()))
        }
        return saved
    }

    /// Reads which page is kept, without the rows that are kept apart.
    ///
    /// - Throws: `SessionEncodingError`.
    mutating func keptPage() throws(SessionEncodingError) -> SessionRecord.KeptPage {
        switch try byte() {
        case 0: .none
        case 1: .page(try page())
        case 2, 3: .withoutRows(try page())
        default: throw .unknownFields
        }
    }

    private mutating func page() throws(SessionEncodingError) -> Page {
        let flags = try flags(4)
        let (page, numberOfPages, itemsPerPage) = (try number(), try number(), try number())
        guard itemsPerPage >= 1 else { throw .damaged("its page is impossible") }
        return Page(
            page: page, numberOfPages: numberOfPages, itemsPerPage: itemsPerPage,
            totalItems: flags[0] ? try number() : nil, hasNext: flags[1], hasPrevious: flags[2], isFinished: flags[3],
            rows: Rows())
    }
}
