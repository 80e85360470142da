import Sessions

/// A path of the interface, decided on the raw, undecoded path: no second spelling reaches a route.
enum Route: Sendable, Equatable {
    /// All of the caller's sessions.
    case sessions
    /// The name as it stands in the path; it need not be a session's.
    case session(String)
    /// A move of that session.
    case move(String, SessionMove)
    /// A page of that session by its number, as it stands in the path.
    case page(String, number: String)
    /// The event stream of that session.
    case events(String)
    /// All records of that session.
    case records(String)
    /// A page of a table, by the name in the path, without a session.
    case table(String)
    /// How the instances are doing.
    case instances
    /// Every kind of problem.
    case problems
    /// One kind of problem, by the name in the path.
    case problem(String)
    /// Whether the process lives.
    case livez
    /// Whether it takes requests.
    case readyz

    /// Finds the route of a path.
    init?(path: String) {
        switch path {
        case "/sessions": self = .sessions
        case "/instances": self = .instances
        case "/problems": self = .problems
        case "/livez": self = .livez
        case "/readyz": self = .readyz
        default: self.init(segmentsOf: path)
        }
    }

    private init?(segmentsOf path: String) {
        let segments = path.utf8.dropFirst().split(separator: 0x2F, omittingEmptySubsequences: false)
        switch (segments.first.map(String.init(_:)), segments.count) {
        case ("sessions", 2) where !segments[1].isEmpty: self = .session(text(segments[1]))
        case ("sessions", 3) where !segments[1].isEmpty:
            switch text(segments[2]) {
            case "events": self = .events(text(segments[1]))
            case "records": self = .records(text(segments[1]))
            case let name:
                guard let move = SessionMove(rawValue: name) else { return nil }
                self = .move(text(segments[1]), move)
            }
        case ("sessions", 4) where !segments[1].isEmpty && !segments[3].isEmpty && text(segments[2]) == "pages":
            self = .page(text(segments[1]), number: text(segments[3]))
        case ("tables", 2) where !segments[1].isEmpty: self = .table(text(segments[1]))
        case ("problems", 2) where !segments[1].isEmpty: self = .problem(text(segments[1]))
        default: return nil
        }
    }

    // Made once, not for each request.
    private static let reading = ["GET", "HEAD"]
    private static let collection = ["GET", "HEAD", "POST"]
    private static let single = ["GET", "HEAD", "PATCH", "DELETE"]
    private static let moving = ["GET", "POST"]
    private static let posting = ["POST"]
    private static let listing = ["limit", "before"]
    private static let position = ["after"]

    /// What the log and the metrics call it.
    var name: String {
        switch self {
        case .sessions: "/sessions"
        case .session: "/sessions/{id}"
        case .move(_, .first): "/sessions/{id}/first"
        case .move(_, .next): "/sessions/{id}/next"
        case .move(_, .previous): "/sessions/{id}/previous"
        case .move(_, .last): "/sessions/{id}/last"
        case .move(_, .reset): "/sessions/{id}/reset"
        case .page: "/sessions/{id}/pages/{n}"
        case .events: "/sessions/{id}/events"
        case .records: "/sessions/{id}/records"
        case .table: "/tables/{table}"
        case .instances: "/instances"
        case .problems: "/problems"
        case .problem: "/problems/{name}"
        case .livez: "/livez"
        case .readyz: "/readyz"
        }
    }

    /// Whether it is open to everybody, whatever credentials the rest needs.
    var isOpen: Bool {
        switch self {
        case .problems, .problem, .livez, .readyz: true
        case .sessions, .session, .move, .page, .events, .records, .table, .instances: false
        }
    }

    /// Whether it tells how the process is doing, and nothing else.
    var isHealth: Bool {
        switch self {
        case .livez, .readyz: true
        case .sessions, .session, .move, .page, .events, .records, .table, .instances, .problems, .problem: false
        }
    }

    /// The methods that it takes; `OPTIONS` everywhere besides.
    var methods: [String] {
        switch self {
        case .sessions: Self.collection
        case .session: Self.single
        case .move(_, .reset): Self.posting
        case .move: Self.moving
        case .page, .events, .records, .table, .instances, .problems, .problem, .livez, .readyz: Self.reading
        }
    }

    /// The query parameters that it takes.
    var parameters: [String] {
        switch self {
        case .sessions: Self.listing
        case .move, .events: Self.position
        case .records: RecordsParameters.names
        case .table: DefinitionParser.queryParameters
        default: []
        }
    }
}

private func text(_ segment: Substring.UTF8View) -> String {
    String(Substring(segment))
}
