public import HTTPModel
internal import SQLite
internal import Synchronization

/// A ServiceNow Table API of our own over made-up records, for trying things out and for tests.
///
/// It only reads. The records are the same on every machine; nothing is stored outside this process.
public final class DemoInstance: Responder {
    private let store: RecordStore
    private let catalog: Catalog
    private let credentials: BasicCredentials?
    private let latency: Duration
    private let sleep: @Sendable (Duration) async throws -> Void
    private let order: UnstableOrder
    private let requests = Atomic<UInt64>(0)

    /// Makes the records and is then ready to answer.
    /// - Throws: `DemoInstanceError` where the records cannot be made.
    public init(_ options: Options = Options()) async throws(DemoInstanceError) {
        let tables = [
            Company.table.rows(count: DemoTexts.companies.count), Location.table.rows(count: DemoSizes.locations),
            UserGroup.table.rows(count: DemoTexts.groups.count), User.table.rows(count: DemoSizes.users),
            Server.table.rows(count: DemoSizes.servers), Incident.table.rows(count: max(0, options.incidents)),
        ]
        catalog = Catalog(tables.map(\.schema) + [Server.parentSchema])
        credentials = options.credentials
        latency = options.latency
        sleep = options.sleep
        order = UnstableOrder(seed: options.seed)
        do {
            store = try await RecordStore(tables)
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
        do throws(InstanceError) {
            let call = try TableCall(head, catalog: catalog, credentials: credentials)
            return delayed { Self.framed(await self.answer(call), isHead: call.isHead) }
        } catch {
            let response = Self.framed(error.response, isHead: head.method == "HEAD")
            return latency > .zero ? delayed { response } : .answer(response)
        }
    }

    /// Bodies are no part of reading, but some clients send a small one; a longer one is refused.
    private func delayed(_ answer: @escaping @Sendable () async -> Response) -> Reception {
        .body(limit: 65536, tooLarge: { InstanceError.bodyTooLarge.response }) { [latency, sleep] _ in
            // A cancelled wait only means that nobody waits for the answer any more.
            if latency > .zero { try? await sleep(latency) }
            return await answer()
        }
    }

    /// A stream has no length, so an answer to HEAD claims none, as on an instance.
    private static func framed(_ response: Response, isHead: Bool) -> Response {
        var response = response
        if isHead { response.body = .stream { _ in } }
        return response
    }

    private func answer(_ call: TableCall) async -> Response {
        do throws(InstanceError) {
            switch call.route {
            case .list: return try await list(call)
            case .record(_, let sysID, _): return try await record(sysID, call)
            }
        } catch {
            return error.response
        }
    }

    private func list(_ call: TableCall) async throws(InstanceError) -> Response {
        let request = requests.wrappingAdd(1, ordering: .relaxed).newValue
        let parameters = call.parameters
        let plan = ListPlan(
            parameters, of: call.table, catalog: catalog, tieBreak: order.terms(request: request))
        let template = call.isHead ? nil : RowTemplate(call.shape, of: call.table, catalog: catalog)
        let page: RecordStore.Page
        do {
            page = try await store.page(plan, counts: parameters.counts, template: template)
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
}

/// Why an instance cannot be made.
public struct DemoInstanceError: Error, Equatable {
    /// One line for a person.
    public var detail: String
}
