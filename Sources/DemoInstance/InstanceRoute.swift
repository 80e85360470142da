/// A resource of the instance's REST interface, decided on the raw path: escapes in it are not decoded.
enum InstanceRoute: Equatable {
    /// The records of a table.
    case list(table: String, version: Version)
    /// One record.
    case record(table: String, sysID: String, version: Version)
    /// What the records of a table add up to.
    case statistics(table: String, version: Version)

    /// The version of the interface in the path. The latest is what a path without one means.
    enum Version: String, CaseIterable {
        /// `/api/now/table`
        case latest = ""
        /// `/api/now/v1/table`: an empty list is an error there.
        case first = "v1/"
        /// `/api/now/v2/table`
        case second = "v2/"

        /// The path before an interface's name.
        var prefix: String { "/api/now/\(rawValue)" }
    }

    /// Reads a path.
    /// - Throws: `.noSuchResource` for any other path.
    init(path: String) throws(InstanceError) {
        for version in Version.allCases where path.hasPrefix(version.prefix) {
            let segments = path.dropFirst(version.prefix.count).split(separator: "/", omittingEmptySubsequences: false)
            guard segments.count >= 2, segments.allSatisfy({ !$0.isEmpty }) else { continue }
            switch (segments[0], segments.count) {
            case ("table", 2): self = .list(table: String(segments[1]), version: version)
            case ("table", 3):
                self = .record(table: String(segments[1]), sysID: String(segments[2]), version: version)
            case ("stats", 2): self = .statistics(table: String(segments[1]), version: version)
            default: continue
            }
            return
        }
        throw .noSuchResource
    }

    /// The table's name.
    var table: String {
        switch self {
        case .list(let table, _), .record(let table, _, _), .statistics(let table, _): table
        }
    }

    /// The version in the path.
    var version: Version {
        switch self {
        case .list(_, let version), .record(_, _, let version), .statistics(_, let version): version
        }
    }
}
