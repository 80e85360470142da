import Observability

/// What the command line asks for.
enum Command {
    /// Print a text and end.
    case help(String)
    /// Print the version and end.
    case version
    /// Run the service.
    case serve(ServeOptions)
    /// Run the demo instance alone.
    case demoInstance(DemoInstanceOptions)
    /// Check a configuration; `nil`: that of the environment.
    case checkConfiguration(file: String?)
    /// Ask a running service how it is; `nil`: the one that is configured.
    case healthCheck(url: String?)
}

/// The command line of `serve`.
struct ServeOptions: Sendable {
    /// The configuration file, if one is named.
    var configurationFile: String?
    /// Whether the built-in demo instance is the instance `default`.
    var isDemo = false
    /// Where to listen instead of what is configured; empty for that.
    var listeners: [Listener] = []
    /// The level of the log instead of what is configured.
    var logLevel: Level?
}

/// The command line of `demo-instance`.
struct DemoInstanceOptions: Sendable {
    /// Where to listen.
    var listeners = [Listener(address: .tcp(host: "127.0.0.1", port: 8081))]
    /// How long every answer is held back.
    var latency: Duration = .zero
    /// How many incidents there are.
    var incidents = 10_000
    /// Whom it answers; `nil` for everybody.
    var username: String?
    /// The environment variable that holds the password.
    var passwordVariable: String?
}
