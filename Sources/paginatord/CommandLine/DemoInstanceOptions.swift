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

extension DemoInstanceOptions {
    /// Takes the arguments.
    ///
    /// - Throws: `CommandLineError`.
    init(_ arguments: CommandArguments) throws(CommandLineError) {
        let listeners = try arguments.listeners()
        if !listeners.isEmpty { self.listeners = listeners }
        latency =
            try arguments.value("--latency", expected: "milliseconds from 0 to 600000") { text in
                decimal(text).flatMap { 0...600_000 ~= $0 ? .milliseconds($0) : nil }
            } ?? latency
        incidents =
            try arguments.value("--incidents", expected: "a whole number from 0 to 10000000") { text in
                decimal(text).flatMap { 0...10_000_000 ~= $0 ? $0 : nil }
            } ?? incidents
        username = try arguments.value("--username", expected: "a name without a colon") {
            $0.contains(":") ? nil : $0
        }
        passwordVariable = arguments.all("--password-env").last
        switch (username, passwordVariable) {
        case (_?, nil): throw arguments.error("--username needs --password-env NAME beside it")
        case (nil, _?): throw arguments.error("--password-env needs --username U beside it")
        default: break
        }
    }
}
