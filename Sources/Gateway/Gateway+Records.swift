import Clocks
import HTTPModel
import Observability
import Pagination
import RecordFormats
import Sessions
import TableAPI

extension Gateway {
    /// Opens the stream of all records of a session, once the first of them are there.
    func streamRecords(
        _ context: RequestContext, id: String, instance: inout String?
    ) async throws(Problem) -> Reply {
        let parameters = try RecordsParameters(context)
        guard context.head.minorVersion > 0 else {
            let detail = "HTTP/1.0 cannot tell a part of the records from the whole; send the request with HTTP/1.1."
            throw Problem(.httpVersionNotSupported, detail)
        }
        let session = try await find(id, for: context.owner)
        do {
            return try await session.use(for: context.owner) { record in
                instance = record.definition.instance
                guard !record.state.isFinished else { throw SessionError.pagination(.finished, record) }
                return try await reply(to: context, with: parameters, session: session, definition: record.definition)
            }
        } catch let problem as Problem {
            throw problem
        } catch let error as RecordsError {
            throw Problem(error.problem)
        } catch let error as SessionError {
            throw Problem(error, isBusy: session.isBusy)
        } catch {
            throw Problem(.internal, "a stream of all records was refused: \(error)")
        }
    }

    private func reply(
        to context: RequestContext, with parameters: RecordsParameters, session: Session, definition: SessionDefinition
    ) async throws -> Reply {
        let window = RecordsWindow(
            itemsPerPage: definition.itemsPerPage, maxItemsPerPage: configuration.maxItemsPerPage,
            start: parameters.start)
        let start = clock.uptime()
        let records = try await records(
            of: definition, with: parameters, window: window, for: context.owner
        ).begun()
        let stream = RecordsStream(
            session: session, owner: context.owner, records: records, window: window,
            encoder: RecordEncoder(
                parameters.format, fields: definition.fields ?? [], guardsCells: parameters.guardsCells),
            language: Language(accepting: context.head.headers), authorization: ForwardedAuthorization.current
        ) { [observer] problem in
            if let event = Event(problem, of: definition.instance, requestID: context.requestID) {
                observer.observe(event)
            }
        }
        let fileName = "\(definition.table).\(parameters.format.rawValue)"
        return Reply(
            headers: [
                "Content-Disposition": "inline; filename=\"\(fileName)\"",
                // Proxies that collect answers would hold the records back (nginx).
                "X-Accel-Buffering": "no",
            ], contentType: parameters.format.contentType, body: [], stream: { try await stream.run(to: $0) },
            upstream: clock.uptime() - start)
    }

    /// - Throws: `Problem` with all that the session does not allow.
    private func records(
        of definition: SessionDefinition, with parameters: RecordsParameters, window: RecordsWindow, for owner: String
    ) throws(Problem) -> TableRecords {
        guard let service = instances[definition.instance] else { throw Problem(PageSourceError.notConfigured) }
        var faults = ParameterFaults()
        if parameters.format == .csv, definition.fields == nil {
            faults.add(.target, "format", "csv needs a session that was opened with fields: they are its columns")
        }
        do {
            let records = try service.records(
                of: definition.table, configuration: FetchConfiguration(definition), itemsPerPage: window.itemsPerPage,
                from: window.start, concurrency: parameters.concurrency, caller: owner,
                room: recordsRoom)
            try faults.check()
            return records
        } catch let problem as Problem {
            throw problem
        } catch RecordsRequestError.notReadByKey {
            faults.add(
                .target, "afterKey", "cannot be used here: because of their query these records are read by fromPage")
        } catch RecordsRequestError.invalidPage {
            faults.add(.target, "fromPage", Problem.pageNumberRule)
        } catch {
            throw Problem(PageSourceError.failed(nil, reason: "\(error)"))
        }
        throw faults.problem
    }
}
