internal import Clocks
public import HTTPModel
internal import SQLite
internal import Synchronization

/// A ServiceNow Table API of our own over made-up records, for trying things out and for tests.
///
/// It only reads. The records are the same on every machine; nothing is stored outside this process.
public final class DemoInstance: Responder {
    private let store: RecordStore
    private let catalog: Catalog
    private let options: Options
    private let authentication: Authentication
    private let limit: RequestLimit?
    private let turns = SessionTurns()
    private let order: UnstableOrder
    private let requests = Atomic<UInt64>(0)

    /// Makes the records and is then ready to answer.
    /// - Throws: `DemoInstanceError` where the records cannot be made.
    public init(_ options: Options = Options()) async throws(DemoInstanceError) {
        let tables = Catalog.storedRows(incidents: options.incidents)
        catalog = Catalog(tables.map(\.schema) + [Server.parentSchema])
        self.options = options
        authentication = Authentication(
            credentials: options.credentials, client: options.oauthClient,
            tokens: AccessTokens(lifetime: options.tokenLifetime, clock: options.clock))
        limit = options.requestsPerHour.map { RequestLimit(perHour: $0, clock: options.clock) }
        order = UnstableOrder(seed: options.seed)
        do {
            store = try await RecordStore(tables, smallTable: options.smallTable)
        } catch {
            throw DemoInstanceError(detail: error.message)
        }
    }

    /// Makes an instance with some of the options.
    /// - Throws: `DemoInstanceError` where the records cannot be made.
    public convenience init(
        incidents: Int, credentials: BasicCredentials? = nil, latency: Duration = .zero, seed: UInt64 = 1,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) }
    ) async throws(DemoInstanceError) {
        var options = Options()
        options.incidents = incidents
        options.credentials = credentials
        options.latency = latency
        options.seed = seed
        options.sleep = sleep
        try await self.init(options)
    }

    /// Refuses by the head what can be refused by it, and reads on the database's thread what cannot.
    public func receive(_ head: RequestHead) -> Reception {
        let request = requests.wrappingAdd(1, ordering: .relaxed).newValue
        guard RequestTarget(head.target)?.path != "/oauth_token.do" else {
            return delayed(request, head) { self.authentication.answer($0) }
        }
        do throws(InstanceError) {
            let account = try authentication.account(head.headers)
            let fields = try limit?.admit(account) ?? [:]
            let call: TableCall
            do throws(InstanceError) {
                call = try TableCall(head, catalog: catalog)
            } catch {
                return refused(error.response, fields, request, head)
            }
            return delayed(request, head) { _ in
                await self.finished(self.answer(call, request: request), fields)
            }
        } catch {
            return refused(error.response, [:], request, head)
        }
    }

    /// How many requests of a session wait for their turn.
    func waiting(session: String) -> Int {
        turns.count(session: session)
    }

    private func refused(
        _ response: Response, _ fields: HeaderFields, _ request: UInt64, _ head: RequestHead
    ) -> Reception {
        let response = finished(response, fields)
        return delayed(request, head) { _ in response }
    }

    /// Bodies are no part of reading, but some clients send a small one; a longer one is refused.
    private func delayed(
        _ request: UInt64, _ head: RequestHead, _ answer: @escaping @Sendable (Request) async -> Response
    ) -> Reception {
        let session = SessionCookies.session(of: head.headers)
        return .body(limit: 65536, tooLarge: { InstanceError.bodyTooLarge.response }) { [options, turns] received in
            var response = await turns.answer(session: session) {
                // A cancelled wait only means that nobody waits for the answer any more.
                if options.latency > .zero { try? await options.sleep(options.latency) }
                return await answer(received)
            }
            guard response.status != 202 else { return response }
            SessionCookies.add(to: &response, session: session, request: request, now: options.clock.now())
            // A stream has no length, so an answer to HEAD claims none, as on an instance.
            if head.method == "HEAD" { response.body = .stream { _ in } }
            return response
        }
    }

    private func finished(_ response: Response, _ fields: HeaderFields) -> Response {
        var response = response
        fields.fields.forEach { response.headers.append($0.name, $0.value) }
        return response
    }

    private func answer(_ call: TableCall, request: UInt64) async -> Response {
        do throws(InstanceError) {
            switch call.route {
            case .list: return try await list(call, request: request)
            case .record(_, let sysID, _): return try await record(sysID, call)
            case .statistics: return try await statistics(call)
            }
        } catch {
            return error.response
        }
    }

    private func list(_ call: TableCall, request: UInt64) async throws(InstanceError) -> Response {
        let parameters = call.parameters
        let plan = try plan(call) { orders in
            order.term(request: request, after: orders, in: call.table, isLarge: store.isLarge(call.table))
        }
        let template = call.isHead ? nil : RowTemplate(call.shape, of: call.table, catalog: catalog)
        let page: RecordStore.Page
        do {
            page = try await store.page(
                plan, limit: parameters.limit, offset: parameters.offset, counts: parameters.counts, template: template)
        } catch {
            throw .failed(error.message)
        }
        var response = Response(status: 200, headers: InstanceError.jsonHeaders, body: .bytes(page.body))
        if page.rowCount == 0, call.route.version == .first { response = InstanceError.noRecords.response }
        if let total = page.total {
            response.headers["X-Total-Count"] = String(total)
            if parameters.links {
                response.headers["Link"] = PaginationLinks.value(
                    base: call.url, query: call.target.query, offset: parameters.offset, limit: parameters.limit,
                    total: total)
            }
        }
        return response
    }

    private func record(_ sysID: String, _ call: TableCall) async throws(InstanceError) -> Response {
        let template = RowTemplate(call.shape, of: call.table, catalog: catalog)
        let body: [UInt8]?
        do {
            body = try await store.record(sysID: sysID, of: call.table, template: template)
        } catch {
            throw .failed(error.message)
        }
        guard let body else { throw .noRecord }
        return Response(status: 200, headers: InstanceError.jsonHeaders, body: .bytes(body))
    }

    /// The number of records, as a string; without `sysparm_count` nothing is computed (ServiceNow, "Aggregate API").
    private func statistics(_ call: TableCall) async throws(InstanceError) -> Response {
        if let name = call.parameters.otherAggregates.first {
            throw .invalidParameter("\(name): this instance only counts")
        }
        let plan = try plan(call) { _ in OrderTerm(alias: "t", column: "id", isDescending: false) }
        var count: Int?
        if call.parameters.countsOnly {
            do {
                count = try await store.count(plan)
            } catch {
                throw .failed(error.message)
            }
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.name("result")
            writer.object { writer in
                writer.name("stats")
                writer.object { writer in
                    if let count { writer.member("count", String(count)) }
                }
            }
        }
        return Response(status: 200, headers: InstanceError.jsonHeaders, body: .bytes(writer.bytes))
    }

    private func plan(
        _ call: TableCall, tieBreak: ([OrderTerm]) -> OrderTerm
    ) throws(InstanceError) -> ListPlan {
        let present = Int64(options.present().milliseconds).flooredQuotient(by: 1000)
        let plan = ListPlan(
            call.parameters.query, of: call.table, catalog: catalog, present: present, tieBreak: tieBreak)
        guard !plan.readsProtectedField else { throw .insufficientRights }
        return plan
    }
}

/// Why an instance cannot be made.
public struct DemoInstanceError: Error, Equatable {
    /// One line for a person.
    public var detail: String
}
