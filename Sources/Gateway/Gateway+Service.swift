import HTTPModel
public import Pagination
public import Sessions
public import TableAPI

extension Gateway {
    /// What the service says about itself: instances, problems, health.
    ///
    /// - Throws: `Problem` where there is no such problem.
    func description(of route: Route, for headers: HeaderFields) throws(Problem) -> Reply {
        switch route {
        case .instances: instanceList
        case .problems: problemList(in: Language(accepting: headers))
        case .problem(let name): try problem(name, in: Language(accepting: headers))
        default: healthy
        }
    }

    /// Whether sessions can be opened and moved now.
    ///
    /// - Throws: `Problem` where their store is away.
    func showReadiness(_ context: RequestContext) async throws(Problem) -> Reply {
        try context.faults.check()
        do {
            try await registry.checkStore()
        } catch {
            throw Problem(error)
        }
        return healthy
    }

    private var instanceList: Reply {
        .json { writer in
            writer.object { writer in
                writer.name("instances")
                writer.array { writer in
                    for status in status() {
                        writer.object { writer in
                            writer.member("name", status.name)
                            writer.member("state", status.state.rawValue)
                            writer.member("since", status.since.rfc3339)
                            writer.member("inFlight", status.inFlight)
                            writer.member("queued", status.queued)
                            writer.member("retryAfter", status.retryAfter)
                        }
                    }
                }
            }
        }
    }

    private func problemList(in language: Language) -> Reply {
        .json(headers: ["Content-Language": language.rawValue]) { writer in
            writer.object { writer in
                writer.name("problems")
                writer.array { writer in
                    for kind in ProblemKind.allCases { kind.write(in: language, to: &writer) }
                }
            }
        }
    }

    private func problem(_ name: String, in language: Language) throws(Problem) -> Reply {
        guard let kind = ProblemKind(rawValue: name) else {
            throw Problem(.notFound, "There is no such problem; GET /problems lists all.")
        }
        return .json(headers: ["Content-Language": language.rawValue]) { kind.write(in: language, to: &$0) }
    }
}

extension [String: TableService] {
    /// The pages that a session or a single request asks for.
    ///
    /// - Throws: `PageSourceError` where the instance is not configured (any more).
    public func source(of definition: SessionDefinition) throws(PageSourceError) -> any PageSource {
        guard let service = self[definition.instance] else {
            throw .notConfigured
        }
        return try service.source(of: definition)
    }
}

extension TableService {
    /// The pages that a session pages through.
    ///
    /// - Throws: `PageSourceError` where the table or the query cannot be sent.
    fileprivate func source(of definition: SessionDefinition) throws(PageSourceError) -> any PageSource {
        do {
            return try source(of: definition.table, configuration: FetchConfiguration(definition))
        } catch {
            throw .failed(nil, reason: "\(error)")
        }
    }
}

extension PageSourceError {
    /// The instance of a session that outlived it.
    static let notConfigured = PageSourceError.failed(
        nil, reason: "the instance of this session is not configured any more")
}

extension FetchConfiguration {
    /// What a session fetches from its table.
    init(_ definition: SessionDefinition) {
        self.init(
            filter: Filter(
                query: definition.query ?? "", queryCategory: definition.queryCategory,
                queryNoDomain: definition.queryNoDomain),
            readConfiguration: FieldReadConfiguration(
                includeFields: definition.fields ?? [],
                displayValue: FieldReadConfiguration.DisplayValue(rawValue: definition.displayValue.rawValue)
                    ?? .actual,
                excludeReferenceLink: definition.excludeReferenceLink, view: definition.view),
            stableOrder: definition.stableOrder)
    }
}

extension ProblemKind {
    fileprivate func write(in language: Language, to writer: inout JSONWriter) {
        writer.object { writer in
            writer.member("type", "/problems/\(rawValue)")
            writer.member("title", title(in: language))
            writer.member("status", status)
            let (meaning, remedy) = explanation(in: language)
            writer.member("meaning", meaning)
            writer.member("remedy", remedy)
        }
    }
}

extension Route {
    /// The session that it is about.
    var sessionID: String? {
        switch self {
        case .session(let id), .move(let id, _), .page(let id, _), .events(let id), .records(let id): id
        case .sessions, .table, .instances, .problems, .problem, .livez, .readyz: nil
        }
    }
}

/// What a service that is asked for its health has to say while it can say anything.
private let healthy = Reply.json { $0.object { $0.member("status", "ok") } }
