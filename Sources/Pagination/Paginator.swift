/// Moves through the pages of a record set, as the `Paginator` of ServiceNow's mobile SDK for iOS does.
///
/// The five methods and the properties are the SDK's. Each fetching method also returns the page that it delivers
/// through `publisher`. Moves made at the same time take turns in the order in which they came, each from where the one
/// before it arrived.
public actor Paginator {
    /// Delivers every page, whoever asked for it, to any number of subscribers.
    public nonisolated let publisher = PagePublisher()
    private let source: any PageSource
    private var state: PaginatorState
    /// Whose move it is.
    let turns = TurnQueue()
    private var fetches = 0

    /// A paginator before its first page; nothing is fetched yet.
    ///
    /// - Parameter itemsPerPage: the size of a whole page, in rows; 20 unless said otherwise, as in the SDK.
    public init(source: any PageSource, itemsPerPage: Int = 20, publisherShouldFinish: Bool = false) {
        self.source = source
        self.itemsPerPage = max(1, itemsPerPage)
        state = PaginatorState(itemsPerPage: itemsPerPage, publisherShouldFinish: publisherShouldFinish)
    }

    /// Whether a next page is available to fetch.
    public var hasNext: Bool { state.hasNext }

    /// Whether a previous page is available to fetch.
    public var hasPrevious: Bool { state.hasPrevious }

    /// Whether a fetch is under way.
    public var isBusy: Bool { fetches > 0 }

    /// Whether the publisher has ended; no fetch is possible any more.
    public var isFinished: Bool { state.isFinished }

    /// The size of a whole page, in rows.
    public nonisolated let itemsPerPage: Int

    /// The number of pages by the latest count; `Int.max` until the first answer, 0 for an empty record set.
    public var numberOfPages: Int { state.numberOfPages }

    /// The latest count of the record set, hidden rows included; `nil` while none has come.
    public var totalItems: Int? { state.totalItems }

    /// The current page, 1-based; 0 where none was fetched yet, after a reset, and for an empty record set.
    public var page: Int { state.page }

    /// Whether the publisher ends once the last page has been fetched; looked at when a page arrives.
    public var publisherShouldFinish: Bool { state.publisherShouldFinish }

    /// Changes whether the publisher ends once the last page has been fetched.
    public func setPublisherShouldFinish(_ value: Bool) {
        state.publisherShouldFinish = value
    }

    /// Fetches page 1.
    ///
    /// - Throws: `PaginationError` where there is no page to deliver; nothing has changed then.
    @discardableResult public func first() async throws(PaginationError) -> Page {
        try await move(.first)
    }

    /// Fetches the next page; page 1 where none was fetched yet.
    ///
    /// - Throws: `PaginationError` where there is no page to deliver; nothing has changed then.
    @discardableResult public func next() async throws(PaginationError) -> Page {
        try await move(.next)
    }

    /// Fetches the previous page.
    ///
    /// - Throws: `PaginationError` where there is no page to deliver; nothing has changed then.
    @discardableResult public func previous() async throws(PaginationError) -> Page {
        try await move(.previous)
    }

    /// Fetches the last page, learning first which one that is where it is not known.
    ///
    /// - Throws: `PaginationError` where there is no page to deliver; nothing has changed then.
    @discardableResult public func last() async throws(PaginationError) -> Page {
        try await move(.last)
    }

    /// Goes back in front of the first page without fetching it. Changes nothing once the publisher has finished, or where
    /// the calling task is cancelled before its turn comes.
    public func reset() async {
        guard await takesTurn() else { return }
        defer { turns.pass() }
        guard !state.isFinished else { return }
        state.reset()
        publisher.broadcast.send(.reset)
    }

    private func move(_ move: Move) async throws(PaginationError) -> Page {
        guard await takesTurn() else { throw .source(.failed(nil, reason: "cancelled before its turn came")) }
        defer { turns.pass() }
        var moving = state
        let action = try moving.begin(move)
        fetches += 1
        defer { fetches -= 1 }
        let page: Page
        do {
            page = try await finish(&moving, action)
        } catch {
            if case .source(let failure) = error { publisher.broadcast.send(.failure(failure)) }
            throw error
        }
        state = moving
        publisher.broadcast.send(.page(page))
        if state.isFinished { publisher.broadcast.finish() }
        return page
    }

    /// Fetches whatever a move asks for until it has its page.
    private func finish(
        _ moving: inout PaginatorState, _ action: PaginatorState.Action
    ) async throws(PaginationError) -> Page {
        var action = action
        while true {
            switch action {
            case .deliver(let page): return page
            case .fetch(let request):
                let answer: PageAnswer
                do {
                    answer = try await source.fetch(request)
                } catch {
                    throw .source(error)
                }
                // The flag may have been changed meanwhile, and is looked at when a page arrives.
                moving.publisherShouldFinish = state.publisherShouldFinish
                action = try moving.complete(answer)
            }
        }
    }

    private func takesTurn() async -> Bool {
        if turns.take() { return true }
        return await turns.wait() == .taken
    }
}
