public import Clocks
public import HTTPModel
import Locks
public import Observability
public import Sessions
import SimdJSON
import Synchronization
public import TableAPI

/// The service's HTTP interface: routes, access rules, errors.
public final class Gateway: Responder {
    /// The open sessions.
    let registry: SessionRegistry
    /// The configured instances, by name.
    let instances: [String: TableService]
    /// How the instances are doing now.
    let status: @Sendable () -> [InstanceStatus]
    /// What bounds the requests.
    let configuration: GatewayConfiguration
    /// The present.
    let clock: ServiceClock
    /// Waits, for what happens by the clock; throws when the task is cancelled.
    let sleep: @Sendable (Duration) async throws -> Void
    /// The page events of all sessions.
    let eventFrames = EventFrames()
    /// Who is told of what happens.
    let observer: any Observer
    /// For what streams of all records keep at hand, all together.
    let recordsRoom = RecordsRoom(bytes: 64 << 20)
    /// Who may call at all.
    let access: AccessRules
    private let knownTokens: Lock<AccessTokens>
    /// Whether there are tokens: their secrets may change, but not whether there are any.
    private let needsToken: Bool
    /// Whether callers bring their own credentials, for some instance at least.
    private let forwards: Bool
    private let isDraining = Atomic(false)
    /// Names for requests.
    let requestIDs = RequestIDs()

    /// An interface over sessions and instances.
    ///
    /// - Parameters:
    ///   - instances: the configured instances, by name.
    ///   - status: how they are doing now.
    ///   - sleep: waits by the clock; throws when the task is cancelled.
    public init(
        registry: SessionRegistry, instances: [String: TableService],
        status: @escaping @Sendable () -> [InstanceStatus], configuration: GatewayConfiguration, clock: ServiceClock,
        sleep: @escaping @Sendable (Duration) async throws -> Void = { try await Task.sleep(for: $0) },
        observer: any Observer
    ) {
        self.registry = registry
        self.instances = instances
        self.status = status
        self.configuration = configuration
        self.clock = clock
        self.sleep = sleep
        self.observer = observer
        access = AccessRules(configuration.access)
        knownTokens = Lock(configuration.access.tokens)
        needsToken = !configuration.access.tokens.isEmpty
        forwards = instances.values.contains { $0.instance.credentials == .forward }
    }

    /// From now on every new request but `/livez` is told that the service is shutting down.
    public func drain() {
        isDraining.store(true, ordering: .relaxed)
    }

    /// By what callers are known now.
    public var tokens: AccessTokens {
        knownTokens.withLock { $0 }
    }

    /// Knows callers by these secrets from now on. The names are those that there were.
    public func renew(_ tokens: AccessTokens) {
        knownTokens.withLock { $0 = tokens }
    }

    /// Decides by a request’s head who answers it: host, origin, credentials, route, method, media type, size, in this
    /// order. Its framing is the server's to check; see `refusal(of:for:)`.
    public func receive(_ head: RequestHead) -> Reception {
        receive(head, on: .whole)
    }

    /// Decides as above, on a listener that shows a part of the interface.
    func receive(_ head: RequestHead, on surface: Surface) -> Reception {
        var trace = RequestTrace(head: head, id: requestIDs.next(), start: clock.uptime())
        trace.origin = access.listedOrigin(of: head)
        guard let target = RequestTarget(head.target) else {
            return .answer(refuse(trace, Problem(.malformedRequest, "The request target is not a well-formed path.")))
        }
        if let problem = access.refusal(of: head, target: target, listed: trace.origin) {
            return .answer(refuse(trace, problem))
        }
        if trace.origin != nil, CrossOrigin.isPreflight(head) { return .answer(finish(trace, CrossOrigin.preflight)) }
        let route = Route(path: target.path).flatMap { surface.shows($0) ? $0 : nil }
        trace.route = route
        let caller = forwards ? ForwardedAuthorization(head.headers) : nil
        if needsToken || forwards, route?.isOpen != true {
            if let problem = admit(&trace, caller: caller) { return .answer(refuse(trace, problem)) }
        }
        guard let route else {
            return .answer(refuse(trace, Problem(.notFound, "There is nothing at this path.")))
        }
        guard route.methods.contains(head.method) else { return .answer(answerOtherMethod(trace, route)) }
        if isDraining.load(ordering: .relaxed), route != .livez {
            let problem = Problem(
                .shuttingDown, "The service is about to stop and takes no new requests.", retryAfter: 1)
            return .answer(refuse(trace, problem))
        }
        let takesObject = head.method == "PATCH" || (head.method == "POST" && route == .sessions)
        if takesObject, !isJSON(head.headers) {
            let detail = "The body has to be JSON, declared as Content-Type: application/json."
            return .answer(refuse(trace, Problem(.unsupportedMediaType, detail)))
        }
        switch route {
        case .instances, .problems, .problem, .livez: return .answer(describe(route, target: target, trace))
        case .sessions, .session, .move, .page, .events, .records, .table, .readyz:
            return .body(limit: configuration.maxRequestBody, tooLarge: { [trace] in self.refuseTooLarge(trace) }) {
                [trace] request in
                let body = takesObject ? request.body : nil
                guard let caller else { return await self.answer(trace, target: target, route: route, body: body) }
                return await ForwardedAuthorization.$current.withValue(caller) {
                    await self.answer(trace, target: target, route: route, body: body)
                }
            }
        }
    }

    /// Finds out by its credentials whose request it is.
    ///
    /// - Parameter caller: the caller's own credentials, where callers bring some.
    /// - Returns: why it goes no further, or `nil`.
    private func admit(_ trace: inout RequestTrace, caller: ForwardedAuthorization?) -> Problem? {
        if forwards, caller == nil { return .authenticationRequired(nil) }
        guard needsToken else { return nil }
        guard let holder = tokens.holder(of: trace.head.headers) else { return .tokenRequired }
        trace.holder = holder
        let limit = configuration.access.requestsPerToken
        trace.permit = holder.begin(limit: limit)
        guard trace.permit == nil else { return nil }
        return Problem(
            .tooManyRequests,
            "\(limit) requests with this token are under way, and that is the limit in limits.requestsPerToken.",
            retryAfter: 1, [("limit", .integer(limit))])
    }

    /// - Parameter body: `nil` where it is ignored.
    private func answer(_ trace: RequestTrace, target: RequestTarget, route: Route, body: [UInt8]?) async -> Response {
        var trace = trace
        do throws(Problem) {
            var faults = ParameterFaults()
            var members: [String: JSONValue] = [:]
            if let body { members = try self.members(of: body, faults: &faults) }
            let parameters = try parameters(of: target, allowed: route.parameters, faults: &faults)
            let context = RequestContext(
                head: trace.head, target: target, parameters: parameters, members: members, faults: faults,
                owner: ForwardedAuthorization.current?.owner ?? trace.holder?.owner ?? "", requestID: trace.id)
            return finish(trace, try await reply(to: context, route: route, instance: &trace.instance))
        } catch {
            return refuse(trace, error)
        }
    }

    private func reply(
        to context: RequestContext, route: Route, instance: inout String?
    ) async throws(Problem) -> Reply {
        switch (route, context.head.method) {
        case (.sessions, "POST"): try await openSession(context)
        case (.sessions, _): try await listSessions(context)
        case (.session(let id), "PATCH"): try await changeSession(context, id: id)
        case (.session(let id), "DELETE"): try await closeSession(context, id: id)
        case (.session(let id), _): try await showSession(context, id: id)
        case (.move(let id, let move), _): try await moveSession(context, id: id, move: move, instance: &instance)
        case (.page(let id, let number), _):
            try await showPage(context, id: id, number: number, instance: &instance)
        case (.events(let id), _): try await streamEvents(context, id: id)
        case (.records(let id), _): try await streamRecords(context, id: id, instance: &instance)
        case (.table(let table), _): try await showTablePage(context, table: table, instance: &instance)
        case (.readyz, _): try await showReadiness(context)
        case (.instances, _), (.problems, _), (.problem, _), (.livez, _):
            try description(of: route, for: context.head.headers)
        }
    }

    /// Answers with what the gateway knows by itself, before any body comes.
    private func describe(_ route: Route, target: RequestTarget, _ trace: RequestTrace) -> Response {
        do throws(Problem) {
            var faults = ParameterFaults()
            _ = try parameters(of: target, allowed: route.parameters, faults: &faults)
            try faults.check()
            return finish(trace, try description(of: route, for: trace.head.headers))
        } catch {
            return refuse(trace, error)
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

    /// The query parameters by name; those that are unknown or repeated are faults.
    ///
    /// - Throws: `Problem` where they are not readable.
    private func parameters(
        of target: RequestTarget, allowed: [String], faults: inout ParameterFaults
    ) throws(Problem) -> [String: String] {
        guard target.query != nil else { return [:] }
        guard let pairs = target.parameters() else {
            throw Problem(.malformedRequest, "The query’s percent escapes are not UTF-8 text.")
        }
        var parameters: [String: String] = [:]
        for (name, value) in pairs {
            if !allowed.contains(name) {
                let known = allowed.isEmpty ? "none is known here" : "known here: \(allowed.joined(separator: ", "))"
                faults.add(.target, name, "is not a parameter of this path; \(known)")
            } else if parameters.updateValue(value, forKey: name) != nil {
                faults.add(.target, name, "is there more than once")
            }
        }
        return parameters
    }

    /// The members of a JSON object; those that are repeated are faults.
    ///
    /// - Throws: `Problem` where the body is no JSON object.
    private func members(of body: [UInt8], faults: inout ParameterFaults) throws(Problem) -> [String: JSONValue] {
        let object: JSONObject
        do {
            object = try JSONObject(body)
        } catch {
            throw Problem(error)
        }
        for name in object.repeated { faults.add(.body, name, "is there more than once") }
        return object.members
    }

    private func refuseTooLarge(_ trace: RequestTrace) -> Response {
        let detail = "The body is larger than \(configuration.maxRequestBody) bytes, the limit in limits.requestBody."
        return refuse(trace, Problem(.contentTooLarge, detail))
    }

    /// Answers with a problem. What an internal one is about is for the observer only.
    func refuse(_ trace: RequestTrace, _ problem: Problem) -> Response {
        var problem = problem
        let event = Event(problem, of: trace.instance, requestID: trace.id)
        if problem.name == ProblemKind.internal.rawValue { problem.detail = trace.id }
        var headers = problem.headers
        headers.append("Content-Language", trace.language.rawValue)
        if let event { observer.observe(event) }
        return finish(
            trace,
            Reply(
                status: problem.status, headers: headers, contentType: "application/problem+json",
                body: [problem.document(in: trace.language)[...]]))
    }

    /// Gives a reply the headers that all have, and tells the observer.
    private func finish(_ trace: RequestTrace, _ reply: Reply) -> Response {
        var headers = HeaderFields()
        headers.reserveCapacity(reply.headers.fields.count + (access.listsOrigins ? 8 : 5))
        if let contentType = reply.contentType { headers.append("Content-Type", contentType) }
        for field in reply.headers.fields { headers.append(field.name, field.value) }
        headers.append("Cache-Control", "private, no-store")
        headers.append("X-Content-Type-Options", "nosniff")
        headers.append("Cross-Origin-Resource-Policy", "same-origin")
        headers.append("X-Request-Id", trace.id)
        // What a browser shows as a document of this origin neither loads nor runs anything, and stands in no frame. To an origin
        // that is not to be trusted, such as plain HTTP from another machine, browsers do not say that this is what they do.
        if trace.head.headers["Sec-Fetch-Mode"].map({ $0 == "navigate" })
            ?? (trace.head.headers["Accept"]?.contains("text/html") == true)
        {
            headers.append("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'")
            headers.append("Referrer-Policy", "no-referrer")
        }
        if access.listsOrigins { CrossOrigin.open(&headers, to: trace.origin) }
        if let stream = reply.stream {
            // Whoever asks for the head alone is told of a stream, and not of a body without length, but gets nothing of it.
            guard trace.head.method != "HEAD" else {
                trace.permit?.end()
                tell(trace, reply, bytes: 0)
                return Response(status: reply.status, headers: headers, body: .stream { _ in })
            }
            let body = ResponseBody.stream { [self] writer in
                let counted = CountingWriter(writer)
                defer {
                    trace.permit?.end()
                    tell(trace, reply, bytes: counted.bytes)
                }
                try await stream(counted)
            }
            return Response(status: reply.status, headers: headers, body: body)
        }
        let bytes = reply.body.reduce(0) { $0 + $1.count }
        tell(trace, reply, bytes: bytes)
        // A request is under way until its answer has been taken, too.
        return Response(
            status: reply.status, headers: headers, body: bytes == 0 ? .empty : .pieces(reply.body),
            attachment: trace.permit)
    }

    /// Tells the observer of an answer, once all of it is written.
    private func tell(_ trace: RequestTrace, _ reply: Reply, bytes: Int) {
        observer.observe(
            .requestAnswered(
                AnsweredRequest(
                    method: trace.head.method, route: trace.route?.name ?? "-", status: reply.status,
                    duration: clock.uptime() - trace.start, bytes: bytes, requestID: trace.id,
                    sessionID: trace.route?.sessionID, owner: trace.holder?.name, upstream: reply.upstream,
                    cacheStatus: reply.cacheStatus)))
    }

    private func isJSON(_ headers: HeaderFields) -> Bool {
        let values = headers.values(of: "Content-Type")
        guard values.count == 1 else { return false }
        var essence = values[0].prefix { $0 != ";" }
        while essence.hasSuffix(" ") || essence.hasSuffix("\t") { essence.removeLast() }
        return equalIgnoringCase(String(essence), "application/json")
    }
}
