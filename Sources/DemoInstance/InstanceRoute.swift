/// A resource of the instance's REST interface, decided on the raw path: escapes in it are not decoded.
enum InstanceRoute: Equatable {
    /// The records of a table.
    case list(table: String, version: Version)
    /// One record.
    case record(table: String, sysID: String, version: Version)

    /// The version of the interface in the path. The latest is what a path without one means.
    enum Version: String, CaseIterable {
        /// `/api/now/table`
        case latest = ""
        /// `/api/now/v1/table`: an empty list is an error there.
        case first = "v1/"
        /// `/api/now/v2/table`
        case second = "v2/"

        /// The path before a table's name.
        var prefix: String { "/api/now/\(rawValue)table/" }
    }

    /// Reads a path.
    /// - Throws: `.noSuchResource` for any other path.
    init(path: String) throws(InstanceError) {
        guard let version = Version.allCases.first(where: { path.hasPrefix($0.prefix) }) else {
            throw .noSuchResource
        }
        let segments = path.dropFirst(version.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
        guard segments.count <= 2, segments.allSatisfy({ !$0.isEmpty }), let table = segments.first else {
            throw .noSuchResource
        }
        self =
            segments.count == 1
            ? .list(table: String(table), version: version)
            : .record(table: String(table), sysID: String(segments[1]), version: version)
    }

    /// The table's name.
    var table: String {
        switch self {
        case .list(let table, _), .record(let table, _, _): table
        }
    }

    /// The version in the path.
    var version: Version {
        switch self {
        case .list(_, let version), .record(_, _, let version): version
        }
    }
}
