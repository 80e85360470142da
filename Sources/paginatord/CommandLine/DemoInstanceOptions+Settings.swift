import DemoInstance
import TableAPI

extension DemoInstanceOptions {
    /// What the instance is made of, with its secrets.
    ///
    /// - Throws: `CommandLineError` where the variable of a secret is not set.
    func settings(in environment: [String: String]) throws(CommandLineError) -> DemoInstance.Options {
        var settings = DemoInstance.Options()
        settings.incidents = incidents
        settings.latency = latency
        settings.seed = seed
        if let user {
            let password = try secret(user.variable, of: "--password-env", in: environment)
            settings.credentials = BasicCredentials(username: user.name, password: password)
        }
        if let oauthClient {
            let secret = try secret(oauthClient.variable, of: "--oauth-secret-env", in: environment)
            settings.oauthClient = OAuthClient(id: oauthClient.name, secret: secret)
        }
        if let tokenLifetime { settings.tokenLifetime = tokenLifetime }
        return settings
    }

    private func secret(
        _ variable: String, of option: String, in environment: [String: String]
    ) throws(CommandLineError) -> String {
        guard let secret = environment[variable], !secret.isEmpty else {
            throw error("\(option): the environment variable \(printable(variable)) is not set")
        }
        return secret
    }

    /// Certificate and key, read from their files; `nil` for plain HTTP.
    ///
    /// - Throws: `CommandLineError` where a file cannot be read or holds something else.
    func readTLS() throws(CommandLineError) -> TLSConfiguration? {
        guard let tls else { return nil }
        do throws(TLSConfigurationFault) {
            return try TLSConfiguration(reading: .init(certificate: tls.certificate, key: tls.key))
        } catch {
            let faults = [("--certificate", error.certificate), ("--key", error.key)]
            throw self.error(
                faults.compactMap { option, fault in fault.map { "\(option): \($0)" } }.joined(separator: "; "))
        }
    }

    private func error(_ message: String) -> CommandLineError {
        CommandLineError(message: message, command: "demo-instance")
    }
}
