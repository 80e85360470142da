import Clocks
import HTTPModel
import Pagination
import Sessions

extension Gateway {
    private var bounds: DefinitionParser.Bounds {
        DefinitionParser.Bounds(
            instances: instances.keys.sorted(), itemsPerPage: configuration.itemsPerPage,
            maxItemsPerPage: configuration.maxItemsPerPage, readAhead: configuration.readAhead,
            idleTimeout: configuration.idleTimeout,
            maxIdleTimeout: configuration.maxIdleTimeout)
    }

    /// Opens a session. Nothing is asked of the instance.
    func openSession(_ context: RequestContext) async throws(Problem) -> Reply {
        var parser = DefinitionParser(body: context.members, bounds: bounds, faults: context.faults)
        let (definition, publisherShouldFinish) = parser.session()
        try parser.faults.check()
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

    /// Lists the caller's own sessions, the newest first.
    func listSessions(_ context: RequestContext) async throws(Problem) -> Reply {
        var faults = context.faults
        let limit = context.parameters["limit"].map { $0.isDecimal ? Int($0) ?? 0 : 0 } ?? 100
        if !(1...1000).contains(limit) { faults.add(.target, "limit", "has to be a whole number from 1 to 1000") }
        let before = context.parameters["before"].map { $0.isDecimal ? Int($0) : nil }
        if before == .some(nil) { faults.add(.target, "before", "has to come from a next link of this list") }
        try faults.check()
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

    /// Shows a session as it stands.
    func showSession(_ context: RequestContext, id: String) async throws(Problem) -> Reply {
        try context.faults.check()
        let session = try await find(id, for: context.owner)
        do {
            return show(try await session.record(for: context.owner), isBusy: session.isBusy)
        } catch {
            throw Problem(error)
        }
    }

    /// Changes whether the publisher ends with the last page.
    func changeSession(_ context: RequestContext, id: String) async throws(Problem) -> Reply {
        var faults = context.faults
        for name in context.members.keys.sorted() where name != "publisherShouldFinish" {
            faults.add(.body, name, "cannot be changed; only publisherShouldFinish can")
        }
        var flag = false
        if case .bool(let value)? = context.members["publisherShouldFinish"] {
            flag = value
        } else {
            faults.add(.body, "publisherShouldFinish", "has to be true or false")
        }
        try faults.check()
        let session = try await find(id, for: context.owner)
        do {
            let record = try await session.setPublisherShouldFinish(flag, for: context.owner)
            return show(record, isBusy: session.isBusy)
        } catch {
            throw Problem(error)
        }
    }

    /// Closes a session; again and again is fine.
    func closeSession(_ context: RequestContext, id: String) async throws(Problem) -> Reply {
        try context.faults.check()
        guard let id = SessionID(id) else { throw Problem(.notFound) }
        do {
            try await registry.close(id, for: context.owner)
        } catch {
            throw Problem(error)
        }
        return Reply(status: 204, body: [])
    }

    /// Shows a page of a table without a session.
    func showTablePage(
        _ context: RequestContext, table: String, instance: inout String?
    ) async throws(Problem) -> Reply {
        var parser = DefinitionParser(query: context.parameters, bounds: bounds, faults: context.faults)
        let definition = parser.page(of: table)
        let number = parser.pageNumber()
        if PaginatorState.offset(ofPage: number, itemsPerPage: definition.itemsPerPage) == nil {
            parser.fault("page", "has no rows whose offsets could be asked for")
        }
        try parser.faults.check()
        instance = definition.instance
        let start = clock.uptime()
        do {
            let source = try instances.source(of: definition)
            let found = try await source.pageWithOrigin(
                number, itemsPerPage: definition.itemsPerPage, caller: context.owner)
            guard let (page, origin) = found else { throw PaginationError.noNextPage }
            let links = SessionLinks(page: page) { target(of: $0, from: context.target) }
            return pageReply(
                PageDocument(page: page, links: links), origin: MoveOutcome.Origin(origin),
                upstream: clock.uptime() - start)
        } catch let error as PageSourceError {
            throw Problem(error)
        } catch PaginationError.source(let error) {
            throw Problem(error)
        } catch {
            // Whether the page can be asked for was looked at above, and nothing else is refused.
            throw Problem(.internal, "page \(number) of a table was refused: \(error)")
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

    /// A session as an answer.
    func show(_ record: SessionRecord, isBusy: Bool) -> Reply {
        .json { SessionDocument(record: record, isBusy: isBusy).write(to: &$0) }
    }

    /// The target of another page: the request's own with another number.
    private func target(of page: Int, from target: RequestTarget) -> String {
        var text = Array("\(target.path)?".utf8)
        for (name, value) in target.parameters() ?? [] where name != "page" {
            appendPercentEncoded(name, to: &text)
            text.append(0x3D)
            appendPercentEncoded(value, to: &text)
            text.append(0x26)
        }
        return String(decoding: text, as: UTF8.self) + "page=\(page)"
    }
}
