import HTTPModel
import Observability
import TableAPI

/// Where a configuration comes from, the command line before all else.
struct ConfigurationSource: Sendable {
    /// The file that `--config` names.
    var file: String?
    /// The environment. Injected: `Configuration` alone reads it.
    var environment: [String: String] = [:]
    /// Whether `--demo` defines the instance `default`.
    var isDemo = false
    /// What `--listen` says; empty for nothing.
    var listeners: [Listener] = []
    /// What `--data-directory` says.
    var dataDirectory: String?
    /// What `--log-level` says.
    var logLevel: Level?
    /// Whether it is for a service, which listens, and not for an export.
    var isForService = true

    /// The file that is read: that of `--config`, else that of `PAGINATORD_CONFIG`.
    var effectiveFile: String? {
        file ?? environment["PAGINATORD_CONFIG"].flatMap { $0.isEmpty ? nil : $0 }
    }
}

extension Configuration {
    /// Reads a configuration: defaults, over them the file, over it the environment, over that the command line.
    ///
    /// - Throws: `ConfigurationFailure` with every problem there is.
    init(from source: ConfigurationSource) throws(ConfigurationFailure) {
        let (configuration, reading) = try Configuration.read(from: source)
        guard reading.problems.isEmpty else { throw ConfigurationFailure(problems: reading.problems) }
        self = configuration
    }

    /// Reads a configuration as far as it goes, for whoever needs only a part of it.
    ///
    /// - Throws: `ConfigurationFailure` where the file cannot be read at all; all else is in the reading.
    static func read(
        from source: ConfigurationSource
    ) throws(ConfigurationFailure) -> (Configuration, ConfigurationReading) {
        let file = source.effectiveFile
        let reading = ConfigurationReading(
            environment: source.environment, folder: file.map { folder(of: $0) } ?? "")
        _ = reading.variable("PAGINATORD_CONFIG")
        let members = try file.map { file throws(ConfigurationFailure) in try Configuration.members(of: file, reading) }
        var root = ConfigurationSection(members ?? [:], in: reading)

        var configuration = Configuration(&root)
        let dataDirectory = reading.variable("PAGINATORD_DATA_DIRECTORY")
        configuration.dataDirectory = source.dataDirectory ?? dataDirectory
        configuration.instances = instances(
            in: &root, besideDemo: source.isDemo, maxPageBytes: configuration.pages.maxBytes)
        root.finish()
        if !source.listeners.isEmpty { configuration.listeners = source.listeners }
        configuration.checkAccess(isForService: source.isForService, reading)
        if let level = source.logLevel { configuration.log.level = level }
        configuration.warnings = reading.warnings()
        return (configuration, reading)
    }

    /// Complains about what settings of access mean only together with others.
    private func checkAccess(isForService: Bool, _ reading: ConfigurationReading) {
        if let token = access.tokens.first,
            let forward = instances.first(where: { $0.instance.credentials == .forward })
        {
            reading.complain(
                token.setting,
                "excluded by instances.\(forward.instance.name).auth of the type \"forward\", with which the "
                    + "Authorization header is the instance’s")
        }
        // Whoever has set a token that cannot be used is told so already.
        let hasFaultyToken = reading.problems.contains {
            $0.path.hasPrefix("access.tokens") || $0.path.hasPrefix("PAGINATORD_ACCESS_TOKEN")
        }
        guard isForService, isForThisMachineOnly, !hasFaultyToken else { return }
        if let exposed = listeners.first(where: { $0.address.isReachableByOthers == true }) {
            let problem = exposure(of: exposed.address.description)
            reading.complain(problem.path, problem.detail)
        }
    }

    private static func members(
        of file: String, _ reading: ConfigurationReading
    ) throws(ConfigurationFailure) -> [String: JSONValue] {
        func failure(_ detail: String) -> ConfigurationFailure {
            ConfigurationFailure(problems: [ConfigurationProblem(path: printable(file), detail: detail)])
        }
        let bytes: [UInt8]
        do {
            bytes = try fileContents(file)
        } catch {
            throw failure("cannot be read: \(error.reason)")
        }
        let value: JSONValue
        do {
            value = try JSONValue.parseJSON5(bytes)
        } catch {
            throw failure(error.detail)
        }
        guard case .object(let members) = value else { throw failure("expected an object but found \(value.kind)") }
        for member in repeatedMembers(inJSON5: bytes) {
            reading.complain(
                member.path.map(printable).joined(separator: "."), "repeated in line \(member.line)")
        }
        return members
    }
}
