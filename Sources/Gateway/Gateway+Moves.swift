import HTTPModel
import Pagination
import Sessions

extension Gateway {
    /// Makes a move, or repeats it.
    func moveSession(
        _ context: RequestContext, id: String, move: SessionMove, instance: inout String?
    ) async throws(Problem) -> Reply {
        let precondition = try MovePrecondition(
            head: context.head, parameters: context.parameters, faults: context.faults)
        let session = try await find(id, for: context.owner)
        do {
            let outcome = try await session.move(
                move, after: precondition.position, for: context.owner, waits: precondition.waits)
            guard let page = outcome.page else { return show(outcome.record, isBusy: session.isBusy) }
            let document = PageDocument(
                page: page, position: outcome.record.position, links: SessionLinks(page: page, of: outcome.record))
            return pageReply(document, origin: outcome.origin, upstream: outcome.upstream)
        } catch {
            if case .pagination(_, let record) = error { instance = record.definition.instance }
            throw Problem(error, isBusy: session.isBusy)
        }
    }

    /// Shows a page of a session by its number.
    func showPage(
        _ context: RequestContext, id: String, number text: String, instance: inout String?
    ) async throws(Problem) -> Reply {
        let number = Int(text) ?? 0
        var faults = context.faults
        if number < 1 || String(number) != text { faults.add(.target, "n", Problem.pageNumberRule) }
        try faults.check()
        let session = try await find(id, for: context.owner)
        do throws(SessionError) {
            let outcome = try await session.page(number, for: context.owner)
            guard let page = outcome.page else { throw .noSuchPage }
            let path = "/sessions/\(id)/pages/"
            return pageReply(
                PageDocument(
                    page: page, position: outcome.record.position, links: SessionLinks(page: page) { path + String($0) }
                ),
                origin: outcome.origin, upstream: outcome.upstream, hasTag: false)
        } catch {
            if case .pagination(_, let record) = error { instance = record.definition.instance }
            throw Problem(error, isBusy: session.isBusy)
        }
    }

    /// A page as an answer.
    ///
    /// - Parameter hasTag: whether the page is where a repeated move can start from.
    func pageReply(
        _ document: PageDocument, origin: MoveOutcome.Origin, upstream: Duration, hasTag: Bool = true
    ) -> Reply {
        var headers = HeaderFields()
        headers.reserveCapacity(5)
        if hasTag, let position = document.position { headers.append("ETag", "\"\(position)\"") }
        let link = document.links.headerValue
        // The same links stand in the body; a longer head is refused by many readers, and by our own server in the end.
        if !link.isEmpty, link.utf8.count <= longestLinkValue { headers.append("Link", link) }
        if let total = document.page.totalItems { headers.append("X-Total-Count", String(total)) }
        headers.append("Cache-Status", "paginatord; \(origin.cacheStatus)")
        if !origin.isFromMemory {
            let (seconds, attoseconds) = upstream.components
            let tenths = seconds * 10_000 + attoseconds / 100_000_000_000_000
            headers.append("Server-Timing", "upstream;dur=\(tenths / 10).\(tenths % 10)")
        }
        return Reply(
            headers: headers, contentType: "application/json", body: document.pieces,
            upstream: origin.isFromMemory ? nil : upstream, cacheStatus: origin.cacheStatus)
    }
}

/// The most bytes of a `Link` header.
private let longestLinkValue = 8192

extension MoveOutcome.Origin {
    /// What `Cache-Status` says behind the name of the cache (RFC 9211), and the log.
    fileprivate var cacheStatus: String {
        switch self {
        case .fetched: "fwd=miss"
        case .collapsed: "fwd=miss; collapsed"
        case .cached: "hit"
        case .readAhead: "hit; detail=read-ahead"
        case .replayed: "hit; detail=replay"
        case .refetched: "fwd=miss; detail=refetch"
        }
    }
}
