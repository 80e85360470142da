import Pagination

extension TableService {
    /// All records of a query, in its order: fetched several pages at a time, in bounded memory, and handed on as the
    /// bytes that came.
    ///
    /// Where the query has no order of its own they are read by key: the space of `sys_id` is divided into ranges, so that
    /// records which are inserted or deleted meanwhile neither repeat nor skip another one, and no offset is deep. Where it
    /// has one, where it holds `^EQ`, `RLQUERY`, `JOIN`, `GROUPBY` or a text search, where the start is a page, and where
    /// the instance does not count or many keys are no hexadecimal numbers, they are read by offset, as a `Paginator`
    /// would.
    ///
    /// - Parameters:
    ///   - configuration: its limit is not looked at.
    ///   - itemsPerPage: the records asked for at once, 1…10,000.
    ///   - start: where to begin.
    ///   - concurrency: the requests under way at once, and the windows kept while they wait to be received; brought into
    ///     1… the instance's own concurrency.
    ///   - caller: on whose behalf; see `PageRequest.caller`.
    ///   - room: for what is kept until it can be received, shared with other readings; `nil`: as much as it takes.
    /// - Throws: `RecordsRequestError`; nothing has been asked of the instance then.
    public func records(
        of tableName: String, configuration: FetchConfiguration = FetchConfiguration(), itemsPerPage: Int = 1000,
        from start: RecordsStart = .beginning, concurrency: Int = 4, caller: String? = nil,
        room: RecordsRoom? = nil
    ) throws(RecordsRequestError) -> TableRecords {
        guard 1...10_000 ~= itemsPerPage else { throw .table(.invalidLimit(itemsPerPage)) }
        let pages: TablePageSource
        do throws(TableServiceError) {
            pages = try source(of: tableName, configuration: configuration)
        } catch {
            throw .table(error)
        }
        let query = KeyedQuery(configuration.filter?.query ?? "")
        let concurrency = min(max(1, concurrency), max(1, instance.restraint.concurrency))
        let reading: RecordsReading
        var isByKey = query != nil
        switch start {
        case .beginning where query != nil:
            reading = RecordsReading(from: nil, itemsPerPage: itemsPerPage, concurrency: concurrency)
        case .beginning:
            reading = RecordsReading(fromPage: nil, itemsPerPage: itemsPerPage, concurrency: concurrency)
        case .page(let page):
            guard PaginatorState.offset(ofPage: page, itemsPerPage: itemsPerPage) != nil else {
                throw .invalidPage(page)
            }
            isByKey = false
            reading = RecordsReading(fromPage: page, itemsPerPage: itemsPerPage, concurrency: concurrency)
        case .afterKey(let key):
            guard query != nil else { throw .notReadByKey }
            guard let bound = keyBound(key) else { throw .invalidKey(key) }
            reading =
                bound == .max
                ? .ofNothing : RecordsReading(from: bound + 1, itemsPerPage: itemsPerPage, concurrency: concurrency)
        }
        return TableRecords(
            reading, isByKey: isByKey, source: RecordsSource(pages, query: query, caller: caller),
            room: room)
    }
}
