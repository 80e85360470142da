import Clocks
import HTTPModel
import Pagination
import Sessions

extension Gateway {
    private var bounds: DefinitionParser.Bounds {
        DefinitionParser.Bounds(
            instances: instances.keys.sorted(), itemsPerPage: configuration.itemsPerPage,
            maxItemsPerPage: configuration.maxItemsPerPage, idleTimeout: configuration.idleTimeout,
            maxIdleTimeout: configuration.maxIdleTimeout)
    }

    func openSession(_ context: RequestContext, body: [UInt8]) async throws(Problem) -> Reply {
        var parser = DefinitionParser(body: try members(of: body), bounds: bounds)
        let (definition, publisherShouldFinish) = parser.session()
        if let problem = parser.faults.problem { throw problem }
        let record: SessionRecord
        do {
            record = try await registry.open(
                definition, publisherShouldFinish: publisherShouldFinish, owner: context.owner)
        } catch {
            throw Problem(error)
        }
        return .json(status: 201, headers: ["Location": "/sessions/\(record.id)"]) { writer in
            SessionDocument(record: record, isBusy: false).write(to: &writer)
        }
    }

    func listSessions(_ context: RequestContext) async throws(Problem) -> Reply {
        var faults = ParameterFaults()
        let limit = context.parameters["limit"].map { $0.isDecimal ? Int($0) ?? 0 : 0 } ?? 100
        if !(1...1000).contains(limit) { faults.add(.target, "limit", "has to be a whole number from 1 to 1000") }
        let before = context.parameters["before"].map { $0.isDecimal ? Int($0) : nil }
        if before == .some(nil) { faults.add(.target, "before", "has to come from a next link of this list") }
        if let problem = faults.problem { throw problem }
        let sessions: [(record: SessionRecord, isBusy: Bool)]
        do {
            // One more than asked for tells whether there are more.
            sessions = try await registry.list(owner: context.owner, before: before ?? nil, limit: limit + 1)
        } catch {
            throw Problem(error)
        }
        var headers: HeaderFields = [:]
        if sessions.count > limit {
            let next = "/sessions?limit=\(limit)&before=\(sessions[limit - 1].record.sequence)"
            headers.append("Link", "<\(next)>; rel=\"next\"")
        }
        return .json(headers: headers) { writer in
            writer.object { writer in
                writer.name("sessions")
                writer.array { writer in
                    for (record, isBusy) in sessions.prefix(limit) {
                        SessionDocument(record: record, isBusy: isBusy).write(to: &writer)
                    }
                }
            }
        }
    }

    func showSession(_ context: RequestContext, id: String) async throws(Problem) -> Reply {
        let session = try await find(id, for: context.owner)
        do {
            return show(try await session.record(for: context.owner), isBusy: session.isBusy)
        } catch {
            throw Problem(error)
        }
    }

    func changeSession(_ context: RequestContext, id: String, body: [UInt8]) async throws(Problem) -> Reply {
        let members = try members(of: body)
        var faults = ParameterFaults()
        for name in members.keys.sorted() where name != "publisherShouldFinish" {
            faults.add(.body, name, "cannot be changed; only publisherShouldFinish can")
        }
        var flag = false
        if case .bool(let value)? = members["publisherShouldFinish"] {
            flag = value
        } else {
            faults.add(.body, "publisherShouldFinish", "has to be true or false")
        }
        if let problem = faults.problem { throw problem }
        let session = try await find(id, for: context.owner)
        do {
            let record = try await session.setPublisherShouldFinish(flag, for: context.owner)
            return show(record, isBusy: session.isBusy)
        } catch {
            throw Problem(error)
        }
    }

    func closeSession(_ context: RequestContext, id: String) async throws(Problem) -> Reply {
        guard let id = SessionID(id) else { throw Problem(.notFound) }
        do {
            try await registry.close(id, for: context.owner)
        } catch {
            throw Problem(error)
        }
        return Reply(status: 204, body: [])
    }

    func showTablePage(_ context: RequestContext, table: String) async throws(Problem) -> Reply {
        var parser = DefinitionParser(query: context.parameters, bounds: bounds)
        let definition = parser.page(of: table)
        let number = parser.pageNumber()
        if parser.faults.isEmpty,
            PaginatorState.offset(ofPage: number, itemsPerPage: definition.itemsPerPage) == nil
        {
            parser.fault("page", "has no rows whose offsets could be asked for")
        }
        if let problem = parser.faults.problem { throw problem }
        let start = clock.uptime()
        do {
            let source = try instances.source(of: definition)
            let fetched = try await source.page(number, itemsPerPage: definition.itemsPerPage, caller: context.owner)
            // The offset was looked at above.
            guard let page = fetched else { throw PaginationError.source(.stopping) }
            let links = SessionLinks(page: page) { target(of: $0, from: context.target) }
            return pageReply(
                PageDocument(page: page, links: links), origin: .fetched, upstream: clock.uptime() - start)
        } catch let error as PageSourceError {
            throw Problem(error)
        } catch PaginationError.source(let error) {
            throw Problem(error)
        } catch {
            throw Problem(PageSourceError.failed(nil, reason: "the page could not be told"))
        }
    }

    /// Finds a session by the name in its path.
    func find(_ id: String, for owner: String) async throws(Problem) -> Session {
        guard let id = SessionID(id) else { throw Problem(.notFound) }
        do {
            return try await registry.session(id, for: owner)
        } catch {
            throw Problem(error)
        }
    }

    func show(_ record: SessionRecord, isBusy: Bool) -> Reply {
        .json { SessionDocument(record: record, isBusy: isBusy).write(to: &$0) }
    }

    private func members(of body: [UInt8]) throws(Problem) -> [String: JSONValue] {
        let value: JSONValue
        do {
            value = try JSONValue.parse(body)
        } catch {
            throw Problem(.malformedRequest, "The body is not JSON: \(error.detail).")
        }
        guard case .object(let members) = value else {
            throw Problem(.malformedRequest, "The body has to be a JSON object, not \(value.kind).")
        }
        return members
    }

    /// The target of another page: the request's own with another number.
    private func target(of page: Int, from target: RequestTarget) -> String {
        let kept = (target.query ?? "").split(separator: "&").filter { !$0.hasPrefix("page=") }
        return target.path + "?" + (kept + ["page=\(page)"]).joined(separator: "&")
    }
}
