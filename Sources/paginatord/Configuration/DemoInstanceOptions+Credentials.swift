import TableAPI

extension DemoInstanceOptions {
    /// The user whom the demo instance answers; `.none` for everybody.
    ///
    /// - Throws: `ConfigurationFailure` where the password's variable is not set.
    func credentials(in environment: [String: String]) throws(ConfigurationFailure) -> Credentials {
        guard let username, let passwordVariable else { return .none }
        guard let password = environment[passwordVariable], !password.isEmpty else {
            throw ConfigurationFailure(problems: [
                ConfigurationProblem(
                    path: "--password-env", detail: "the environment variable \(passwordVariable) is not set")
            ])
        }
        return .basic(username: username, password: Secret(password))
    }
}
