public import Clocks
public import HTTPModel
public import Observability
public import Sessions
import Synchronization
public import TableAPI

/// The service's HTTP interface: routes, access rules, errors.
public final class Gateway: Responder {
    let registry: SessionRegistry
    let instances: [String: TableService]
    let status: @Sendable () -> [InstanceStatus]
    let configuration: GatewayConfiguration
    let clock: ServiceClock
    private let observer: any Observer
    private let access = AccessRules()
    private let isDraining = Atomic(false)
    private let requestIDs = RequestIDs()

    /// An interface over sessions and instances.
    ///
    /// - Parameters:
    ///   - instances: the configured instances, by name.
    ///   - status: how they are doing now.
    public init(
        registry: SessionRegistry, instances: [String: TableService],
        status: @escaping @Sendable () -> [InstanceStatus], configuration: GatewayConfiguration, clock: ServiceClock,
        observer: any Observer
    ) {
        self.registry = registry
        self.instances = instances
        self.status = status
        self.configuration = configuration
        self.clock = clock
        self.observer = observer
    }

    /// From now on every new request but `/livez` is told that the service is shutting down.
    public func drain() {
        isDraining.store(true, ordering: .relaxed)
    }

    /// Decides by a request's head who answers it: framing, host, origin, route, method, media type, size, in this order.
    public func receive(_ head: RequestHead) -> Reception {
        var trace = RequestTrace(head: head, id: requestIDs.next(), start: clock.uptime())
        guard let target = RequestTarget(head.target) else {
            return .answer(refuse(trace, Problem(.malformedRequest, "The request target is not a well-formed path.")))
        }
        if let problem = access.refusal(of: head, target: target) { return .answer(refuse(trace, problem)) }
        guard let route = Route(path: target.path) else {
            return .answer(refuse(trace, Problem(.notFound, "There is nothing at this path.")))
        }
        trace.route = route
        guard route.methods.contains(head.method) else { return .answer(answerOtherMethod(trace, route)) }
        if isDraining.load(ordering: .relaxed), route != .livez {
            let problem = Problem(
                .shuttingDown, "The service is about to stop and takes no new requests.", retryAfter: 1)
            return .answer(refuse(trace, problem))
        }
        if head.method == "PATCH" || (head.method == "POST" && route == .sessions), !isJSON(head.headers) {
            let detail = "The body has to be JSON, declared as Content-Type: application/json."
            return .answer(refuse(trace, Problem(.unsupportedMediaType, detail)))
        }
        return read(trace, target: target, route: route)
    }

    private func read(_ trace: RequestTrace, target: RequestTarget, route: Route) -> Reception {
        // What needs no body and waits for nobody is answered from the head alone.
        if trace.head.method != "POST", trace.head.method != "PATCH" {
            let parameters: [String: String]
            do {
                parameters = try self.parameters(of: target, allowed: route.parameters)
            } catch {
                return .answer(refuse(trace, error))
            }
            if let response = answerFromHead(trace, route: route) { return .answer(response) }
            let context = RequestContext(trace: trace, target: target, route: route, parameters: parameters)
            return .body(
                limit: configuration.maxRequestBody, tooLarge: { self.refuseTooLarge(trace) },
                respond: { _ in await self.answer(context, body: []) })
        }
        return .body(
            limit: configuration.maxRequestBody, tooLarge: { self.refuseTooLarge(trace) },
            respond: { request in
                do throws(Problem) {
                    let parameters = try self.parameters(of: target, allowed: route.parameters)
                    let context = RequestContext(trace: trace, target: target, route: route, parameters: parameters)
                    return await self.answer(context, body: request.body)
                } catch {
                    return self.refuse(trace, error)
                }
            })
    }

    private func answer(_ context: RequestContext, body: [UInt8]) async -> Response {
        do throws(Problem) {
            let reply: Reply =
                switch (context.route, context.head.method) {
                case (.sessions, "POST"): try await openSession(context, body: body)
                case (.sessions, _): try await listSessions(context)
                case (.session(let id), "PATCH"): try await changeSession(context, id: id, body: body)
                case (.session(let id), "DELETE"): try await closeSession(context, id: id)
                case (.session(let id), _): try await showSession(context, id: id)
                case (.move(let id, let move), _): try await moveSession(context, id: id, move: move)
                case (.page(let id, let number), _): try await showPage(context, id: id, number: number)
                case (.table(let table), _): try await showTablePage(context, table: table)
                case (.instances, _), (.problems, _), (.problem, _), (.livez, _), (.readyz, _):
                    try describe(context.route, language: context.trace.language)
                }
            return finish(context.trace, reply)
        } catch {
            return refuse(context.trace, error)
        }
    }

    private func answerFromHead(_ trace: RequestTrace, route: Route) -> Response? {
        switch route {
        case .livez, .readyz, .instances, .problems, .problem:
            do throws(Problem) {
                return finish(trace, try describe(route, language: trace.language))
            } catch {
                return refuse(trace, error)
            }
        case .sessions, .session, .move, .page, .table: return nil
        }
    }

    private func answerOtherMethod(_ trace: RequestTrace, _ route: Route) -> Response {
        let allowed = (route.methods + ["OPTIONS"]).joined(separator: ", ")
        if trace.head.method == "OPTIONS" {
            return finish(trace, Reply(status: 204, headers: ["Allow": allowed], body: []))
        }
        let problem = Problem(.methodNotAllowed, "Allowed here: \(allowed).", headers: ["Allow": allowed])
        return refuse(trace, problem)
    }

    /// The query parameters by name.
    ///
    /// - Throws: `Problem` where one is unknown, repeated or not readable.
    private func parameters(of target: RequestTarget, allowed: Set<String>) throws(Problem) -> [String: String] {
        guard target.query != nil else { return [:] }
        guard let pairs = target.parameters() else {
            throw Problem(.malformedRequest, "The query’s percent escapes are not UTF-8 text.")
        }
        var parameters: [String: String] = [:]
        var faults = ParameterFaults()
        for (name, value) in pairs {
            if !allowed.contains(name) {
                let known =
                    allowed.isEmpty ? "none is known here" : "known here: \(allowed.sorted().joined(separator: ", "))"
                faults.add(.target, name, "is not a parameter of this path; \(known)")
            } else if parameters.updateValue(value, forKey: name) != nil {
                faults.add(.target, name, "is there more than once")
            }
        }
        if let problem = faults.problem { throw problem }
        return parameters
    }

    private func refuseTooLarge(_ trace: RequestTrace) -> Response {
        let detail = "The body is larger than \(configuration.maxRequestBody) bytes, the limit in limits.requestBody."
        return refuse(trace, Problem(.contentTooLarge, detail))
    }

    private func refuse(_ trace: RequestTrace, _ problem: Problem) -> Response {
        var writer = JSONWriter()
        let kind = ProblemKind(rawValue: problem.name)
        problem.write(title: kind?.title(in: trace.language) ?? problem.name, to: &writer)
        var headers = problem.headers
        headers.append("Content-Language", trace.language.rawValue)
        if let instance = trace.instance(problem) {
            observer.observe(
                .upstreamFailed(
                    instance: instance, problem: problem.name, detail: problem.detail, requestID: trace.id))
        }
        return finish(
            trace,
            Reply(
                status: problem.status, headers: headers, contentType: "application/problem+json",
                body: [writer.bytes[...]]))
    }

    /// Gives a reply the headers that all have, and tells the observer.
    private func finish(_ trace: RequestTrace, _ reply: Reply) -> Response {
        var headers = HeaderFields()
        headers.reserveCapacity(12)
        if let contentType = reply.contentType { headers.append("Content-Type", contentType) }
        for field in reply.headers.fields { headers.append(field.name, field.value) }
        headers.append("Cache-Control", "private, no-store")
        headers.append("X-Content-Type-Options", "nosniff")
        headers.append("Cross-Origin-Resource-Policy", "same-origin")
        headers.append("X-Request-Id", trace.id)
        let bytes = reply.body.reduce(0) { $0 + $1.count }
        observer.observe(
            .requestAnswered(
                AnsweredRequest(
                    method: trace.head.method, route: trace.route?.name ?? "-", status: reply.status,
                    duration: clock.uptime() - trace.start, bytes: bytes, requestID: trace.id,
                    sessionID: trace.route?.sessionID, upstream: reply.upstream)))
        return Response(status: reply.status, headers: headers, body: bytes == 0 ? .empty : .pieces(reply.body))
    }

    private func isJSON(_ headers: HeaderFields) -> Bool {
        let values = headers.values(of: "Content-Type")
        guard values.count == 1, let essence = values[0].split(separator: ";").first else { return false }
        return equalIgnoringCase(essence.filter { $0 != " " && $0 != "\t" }, "application/json")
    }
}
