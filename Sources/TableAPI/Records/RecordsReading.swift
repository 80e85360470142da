import Pagination

/// A reading of all records: what is asked for next, and what is delivered when. A value without a source.
///
/// It begins with the first page, which is all there is to read of most tables. What is larger is read by key where that
/// proves possible, and else by offset.
struct RecordsReading: Sendable {
    private enum Phase: Sendable {
        /// The first page, or the count, of the whole query.
        case opening(countsOnly: Bool, isAsked: Bool)
        case checking(KeyCheck, first: PageAnswer?)
        case byKey(KeyRanges)
        case byOffset(OffsetPages)
        /// All is there.
        case whole(Rows)
        case failed(PageSourceError)
        case finished
    }

    private static let lastKey = RecordsStart.afterKey(keyText(.max))

    private var phase: Phase
    private var window: KeyWindow
    private let concurrency: Int
    /// The first key; `nil` for the beginning.
    private let lower: UInt128?
    /// Where to go on from what has left the phases.
    private var position: RecordsStart
    /// The batch at hand, and where to go on without it.
    private var ready: (batch: RecordBatch, position: RecordsStart)?

    /// Plans a reading by key.
    init(from lower: UInt128?, itemsPerPage: Int, concurrency: Int) {
        window = KeyWindow(limit: itemsPerPage)
        self.concurrency = concurrency
        self.lower = lower
        position = lower.map { .afterKey(keyText($0 - 1)) } ?? .beginning
        phase = .opening(countsOnly: lower != nil, isAsked: false)
    }

    /// Plans a reading by offset from a page on, or from the beginning.
    init(fromPage page: Int?, itemsPerPage: Int, concurrency: Int) {
        window = KeyWindow(limit: itemsPerPage)
        self.concurrency = concurrency
        lower = nil
        position = page.map { .page($0) } ?? .beginning
        phase = .byOffset(OffsetPages(from: page ?? 1, itemsPerPage: itemsPerPage, concurrency: concurrency))
    }

    /// A reading of nothing, behind the last key.
    static let ofNothing: RecordsReading = {
        var reading = RecordsReading(from: nil, itemsPerPage: 1, concurrency: 1)
        reading.position = lastKey
        reading.phase = .finished
        return reading
    }()

    /// Where to go on from what has been delivered.
    var resume: RecordsStart { ready?.position ?? position }

    /// Whether all is delivered.
    var isFinished: Bool {
        if case .finished = phase { ready == nil } else { false }
    }

    /// The windows that are under way or kept until they can be delivered.
    var windows: Int {
        switch phase {
        case .opening(_, let isAsked): isAsked ? 1 : 0
        case .checking(_, let first): first == nil ? 0 : 1
        case .byKey(let ranges): ranges.windows
        case .byOffset(let pages): pages.windows
        case .whole: 1
        case .failed, .finished: 0
        }
    }

    /// Takes less memory for each window where that is possible, or what is usual again: by offset a window has always the
    /// same size.
    mutating func narrow(_ isNarrow: Bool) {
        switch phase {
        // Nothing but the count, instead of a page to be kept until it is known how to read.
        case .opening(countsOnly: false, isAsked: false) where isNarrow:
            phase = .opening(countsOnly: true, isAsked: false)
        case .byKey(var ranges):
            phase = .finished
            ranges.narrow(isNarrow)
            phase = .byKey(ranges)
        case .opening, .checking, .byOffset, .whole, .failed, .finished: break
        }
    }

    // MARK: Asking

    /// The next request, if there can be another one now; its answer goes to `complete`.
    mutating func nextRequest() -> RecordsRequest? {
        switch phase {
        case .opening(let countsOnly, isAsked: false):
            phase = .opening(countsOnly: countsOnly, isAsked: true)
            let request =
                countsOnly
                ? PageRequest(offset: 0, limit: 1, countOnly: true) : PageRequest(offset: 0, limit: window.limit)
            return RecordsRequest(ticket: 0, part: nil, window: request)
        case .checking(var check, let first):
            let request = check.nextRequest()
            phase = .checking(check, first: first)
            return request
        case .byKey(var ranges):
            phase = .finished
            defer { phase = .byKey(ranges) }
            return ranges.nextRequest()
        case .byOffset(var pages):
            phase = .finished
            defer { phase = .byOffset(pages) }
            return pages.nextRequest()
        case .opening, .whole, .failed, .finished: return nil
        }
    }

    /// Goes on with what came of a request.
    mutating func complete(_ ticket: Int, _ result: Result<PageAnswer, PageSourceError>) {
        switch phase {
        case .opening(let countsOnly, _): open(result, countsOnly: countsOnly)
        case .checking(var check, let first):
            check.complete(ticket, result)
            phase = .checking(check, first: first)
            settle(check.verdict, first: first)
        case .byKey(var ranges):
            phase = .finished
            ranges.complete(ticket, result)
            phase = .byKey(ranges)
        case .byOffset(var pages):
            phase = .finished
            pages.complete(ticket, result)
            phase = .byOffset(pages)
        case .whole, .failed, .finished: break
        }
    }

    private mutating func open(_ result: Result<PageAnswer, PageSourceError>, countsOnly: Bool) {
        switch result {
        case .success(let answer):
            guard let total = answer.total else { return readByOffset(countsOnly ? nil : answer) }
            if !countsOnly, total <= window.room {
                phase = .whole(answer.rows)
            } else {
                phase = .checking(
                    KeyCheck(whole: total, room: window.room, concurrency: concurrency),
                    first: countsOnly ? nil : answer)
            }
        case .failure(.incomplete) where !countsOnly, .failure(.timedOut) where !countsOnly,
            .failure(.tooLarge) where !countsOnly:
            window.narrow(below: window.limit)
            phase = .opening(countsOnly: true, isAsked: false)
        case .failure(let problem): phase = .failed(problem)
        }
    }

    private mutating func settle(_ verdict: KeyCheck.Verdict, first: PageAnswer?) {
        switch verdict {
        case .open: break
        case .byKey(let count):
            // Of evenly spread keys, as many as there is space behind the first.
            let share = 1 - Double(lower ?? 0) / Double(UInt128.max)
            let estimate = Int(exactly: (Double(count) * share).rounded()) ?? count
            phase = .byKey(
                KeyRanges(from: lower, estimate: min(estimate, count), window: window, concurrency: concurrency))
        case .byOffset: readByOffset(first)
        case .failed(let problem): phase = .failed(problem)
        }
    }

    private mutating func readByOffset(_ first: PageAnswer?) {
        guard lower == nil else {
            phase = .failed(
                .failed(nil, reason: "the records cannot be read by key: the instance's counts do not allow it"))
            return
        }
        var pages = OffsetPages(from: 1, itemsPerPage: window.limit, concurrency: concurrency)
        if let first { pages.complete(1, .success(first)) }
        phase = .byOffset(pages)
    }

    // MARK: Delivering

    /// Whether there is something to deliver, or nothing more to come.
    mutating func hasNext() throws(RecordsError) -> Bool {
        let before = position
        if ready == nil { ready = try nextBatch().map { ($0, before) } }
        return ready != nil || isFinished
    }

    /// The next batch, if it is there.
    ///
    /// - Throws: why the one that comes next cannot be read; nothing more comes then.
    mutating func nextBatch() throws(RecordsError) -> RecordBatch? {
        if let batch = ready?.batch {
            ready = nil
            return batch
        }
        do throws(PageSourceError) {
            return try nextRows().map { RecordBatch(rows: $0, resume: position) }
        } catch {
            throw RecordsError(problem: error, resume: position)
        }
    }

    private mutating func nextRows() throws(PageSourceError) -> Rows? {
        switch phase {
        case .whole(let rows):
            phase = .finished
            position = Self.lastKey
            return rows.isEmpty ? nil : rows
        case .byKey(var ranges):
            phase = .finished
            defer {
                if ranges.isFinished {
                    position = Self.lastKey
                } else {
                    phase = .byKey(ranges)
                    if let delivered = ranges.delivered { position = .afterKey(keyText(delivered - 1)) }
                }
            }
            return try ranges.nextRows()
        case .byOffset(var pages):
            phase = .finished
            defer {
                if pages.front > 1 || pages.isFinished { position = .page(pages.front + (pages.isFinished ? 1 : 0)) }
                if !pages.isFinished { phase = .byOffset(pages) }
            }
            return try pages.nextRows()
        case .failed(let problem): throw problem
        case .opening, .checking, .finished: return nil
        }
    }
}
