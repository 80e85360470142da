/// Where sessions are kept, once it is decided.
enum SessionStorage: Equatable {
    /// In this process; sessions end with it.
    case memory
    /// In a file.
    case file(path: String)
    /// On a Redis server.
    case redis(RedisLocation)
}

extension Configuration {
    /// The file's name where none is configured.
    private static let fileName = "sessions.db"

    /// Where sessions are to be kept: as configured, else in a file where there is a data directory. What the demo shows is made
    /// anew with each process, and so are its sessions.
    ///
    /// - Throws: `ConfigurationFailure` where a relative path has no folder to start from.
    func sessionStorage(isDemo: Bool) throws(ConfigurationFailure) -> SessionStorage {
        switch sessions.store {
        case .memory: return .memory
        case .redis(let location): return .redis(location)
        case .sqlite(let path):
            if path.hasPrefix("/") { return .file(path: path) }
            guard let dataDirectory else {
                let detail =
                    "a relative path starts from the data directory: set --data-directory or "
                    + "PAGINATORD_DATA_DIRECTORY"
                throw ConfigurationFailure(problems: [ConfigurationProblem(path: "sessions.store", detail: detail)])
            }
            return .file(path: dataDirectory + "/" + path)
        case nil:
            guard let dataDirectory, !isDemo else { return .memory }
            return .file(path: dataDirectory + "/" + Self.fileName)
        }
    }
}
