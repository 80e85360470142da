internal import HTTPModel

/// A reading request that has passed every check.
struct TableCall: Sendable {
    /// The target, undecoded.
    let target: RequestTarget
    /// The resource.
    let route: InstanceRoute
    /// The table.
    let table: TableSchema
    /// The parameters.
    let parameters: ReadParameters
    /// Whether only the head of the answer is wanted.
    let isHead: Bool
    private let origin: String

    /// Tables that an instance has and lets nobody read.
    private static let closedTables: Set<String> = ["oauth_credential", "sys_user_token", "sys_certificate"]

    /// Checks the head of a request whose sender is known.
    /// - Throws: `InstanceError` for what is to be refused.
    init(_ head: RequestHead, catalog: Catalog) throws(InstanceError) {
        guard let target = RequestTarget(head.target) else { throw .invalidParameter("the target is no valid URL") }
        self.target = target
        route = try InstanceRoute(path: target.path)
        guard ["GET", "HEAD"].contains(head.method) else { throw .methodNotAllowed }
        guard head.headers.acceptJSON else { throw .notAcceptable }
        guard !Self.closedTables.contains(route.table) else { throw .notAuthorized }
        guard let table = catalog.table(named: route.table) else { throw .invalidTable(route.table) }
        self.table = table
        parameters = try ReadParameters(target)
        isHead = head.method == "HEAD"
        let host = target.authority ?? head.headers["Host"] ?? ""
        let scheme = head.connection == .tls ? "https" : "http"
        origin = "\(scheme)://\(Self.isPlain(host) ? host : "localhost")"
    }

    /// Whether a host can stand in a JSON text and between angle brackets as it is.
    private static func isPlain(_ host: String) -> Bool {
        !host.isEmpty
            && host.utf8.allSatisfy { byte in
                switch byte {
                case 0x2D, 0x2E, 0x30...0x3A, 0x41...0x5B, 0x5D, 0x5F, 0x61...0x7A: true
                default: false
                }
            }
    }

    /// The request's URL without its query, as the caller reaches this instance.
    var url: String { origin + target.path }

    /// How the records are to be shown.
    var shape: RecordShape {
        RecordShape(
            fields: parameters.fields ?? TableViews.fields(of: table.name, view: parameters.view),
            display: parameters.display,
            excludesReferenceLink: parameters.excludesReferenceLink, linkBase: origin + route.version.prefix + "table/")
    }
}
