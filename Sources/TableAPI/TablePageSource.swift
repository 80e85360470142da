public import Pagination

/// The pages of one query on one table of an instance.
public struct TablePageSource: PageSource {
    private let service: TableService
    private let url: TableURL

    init(service: TableService, url: TableURL) {
        self.service = service
        self.url = url
    }

    /// Fetches one window of rows, or only their count, within the instance's restraint and with the retries that it
    /// allows. A window that is cut, or takes too long, is fetched in parts.
    ///
    /// Where the very same is being fetched already with the same credentials, the caller gets the answer to that, which may
    /// have been begun before it asked; where the service has a cache, an answer of a short while before. `origin` tells.
    /// Exports (`bulk`) do neither: each of their windows is read once, and would only push others out of the cache.
    /// - Throws: `PageSourceError` unless the answer is one whole page.
    public func fetch(_ request: PageRequest) async throws(PageSourceError) -> PageAnswer {
        let deadline = service.clock.uptime() + service.instance.restraint.deadline
        guard request.priority != .bulk, let holder = service.holder else {
            return try await fetch(url, request, RequestUrgency(request.priority), deadline: deadline)
        }
        var key = url.key(for: request, holder: holder)
        if let cache = service.cache {
            key.service = service.numberInCache
            if let answer = cache.answer(for: key, now: service.clock.uptime()) { return answer }
        }
        switch await service.fetches.join(key, request.priority) {
        case .share(let result): return try result.get()
        case .lead(let urgency): return try await lead(request, key, urgency, deadline: deadline)
        }
    }

    /// Fetches for all who want the same.
    private func lead(
        _ request: PageRequest, _ key: FetchKey, _ urgency: RequestUrgency, deadline: Duration
    ) async throws(PageSourceError) -> PageAnswer {
        // Another one's fetch may have ended between the look into the cache and the leading.
        if let answer = service.cache?.answer(for: key, now: service.clock.uptime()) {
            service.fetches.finish(key, .success(answer))
            return answer
        }
        var fetch = WindowFetch(service, url, urgency, deadline: deadline)
        do {
            let answer = try await fetch.page(request)
            // In this order, so that whoever comes finds it here or there.
            service.cache?.keep(answer, for: key, now: service.clock.uptime())
            service.fetches.finish(key, .success(answer))
            return answer
        } catch {
            let error = told(error)
            // What only this caller gave up is no news to the others.
            let isAbandoned = error == .stopping && Task.isCancelled || service.clock.uptime() >= deadline
            if isAbandoned || fetch.isGivenUp {
                service.fetches.handOver(key)
            } else {
                service.fetches.finish(key, .failure(error))
            }
            throw error
        }
    }

    /// Fetches one window of rows of another query, sent as it is, for this caller alone.
    ///
    /// - Parameters:
    ///   - query: the query; `nil` for the source's own.
    ///   - dividesByOffset: whether a window that is cut, or takes too long, is fetched in parts.
    func fetch(
        _ request: PageRequest, query: String?, dividesByOffset: Bool
    ) async throws(PageSourceError) -> PageAnswer {
        try await fetch(
            query.map { url.asking($0) } ?? url, request, RequestUrgency(request.priority),
            deadline: service.clock.uptime() + service.instance.restraint.deadline, dividesByOffset: dividesByOffset)
    }

    private func fetch(
        _ url: TableURL, _ request: PageRequest, _ urgency: RequestUrgency, deadline: Duration,
        dividesByOffset: Bool = true
    ) async throws(PageSourceError) -> PageAnswer {
        var fetch = WindowFetch(service, url, urgency, deadline: deadline)
        do {
            return try await fetch.page(request, divisions: dividesByOffset ? 0 : WindowFetch.maxDivisions)
        } catch {
            throw told(error)
        }
    }

    /// What the caller is told of an error: credentials that were refused may be its own.
    private func told(_ error: PageSourceError) -> PageSourceError {
        guard service.forwards, case .unauthenticated(let upstream) = error else { return error }
        return .callerUnauthenticated(upstream)
    }
}
