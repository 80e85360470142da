import Observability

/// The command line of `serve`.
struct ServeOptions: Sendable {
    /// The configuration file, if one is named.
    var configurationFile: String?
    /// Whether the built-in demo instance is the instance `default`.
    var isDemo = false
    /// Where to listen instead of what is configured; empty for that.
    var listeners: [Listener] = []
    /// The folder of what outlives the process, instead of what the environment says.
    var dataDirectory: String?
    /// The level of the log instead of what is configured.
    var logLevel: Level?
}

extension ServeOptions {
    /// Takes the arguments.
    ///
    /// - Throws: `CommandLineError`.
    init(_ arguments: CommandArguments) throws(CommandLineError) {
        configurationFile = arguments.all("--config").last
        isDemo = arguments.has("--demo")
        listeners = try arguments.listeners()
        dataDirectory = try arguments.value("--data-directory", expected: "the path of a folder") {
            $0.isEmpty ? nil : $0
        }
        logLevel = try arguments.value(
            "--log-level", expected: Level.allCases.map(\.rawValue).joined(separator: ", ")
        ) { Level(rawValue: $0) }
    }
}
