import DemoInstance

/// The command line of `demo-instance`.
struct DemoInstanceOptions: Sendable {
    /// Where to listen.
    var listeners = [Listener(address: .tcp(host: "127.0.0.1", port: 8081))]
    /// The files of certificate and key; `nil` serves plain HTTP.
    var tls: TLSFiles?
    /// How long every answer is held back.
    var latency: Duration = .zero
    /// How many incidents there are.
    var incidents = 10_000
    /// The user whom it answers.
    var user: NamedSecret?
    /// The application that it gives tokens to. With neither this nor a user it answers everybody.
    var oauthClient: NamedSecret?
    /// How long a token is valid.
    var tokenLifetime: Duration?
    /// Decides whatever is left to chance.
    var seed: UInt64 = 1
    /// How it misbehaves.
    var faults: [Fault] = []

    /// A name, and the environment variable that holds the secret which belongs to it.
    struct NamedSecret: Sendable, Equatable {
        /// The name.
        var name: String
        /// The variable.
        var variable: String
    }

    /// The paths of a certificate and of its key.
    struct TLSFiles: Sendable, Equatable {
        /// The certificate with its intermediates.
        var certificate: String
        /// The private key.
        var key: String
    }
}

extension DemoInstanceOptions {
    /// Takes the arguments.
    ///
    /// - Throws: `CommandLineError`.
    init(_ arguments: CommandArguments) throws(CommandLineError) {
        let listeners = try arguments.listeners()
        if !listeners.isEmpty { self.listeners = listeners }
        tls = try arguments.pair("--certificate", "FILE", "--key", "FILE").map {
            TLSFiles(certificate: $0, key: $1)
        }
        latency =
            try arguments.value("--latency", expected: "milliseconds from 0 to 600000") { text in
                decimal(text).flatMap { 0...600_000 ~= $0 ? .milliseconds($0) : nil }
            } ?? latency
        incidents =
            try arguments.value("--incidents", expected: "a whole number from 0 to 10000000") { text in
                decimal(text).flatMap { 0...10_000_000 ~= $0 ? $0 : nil }
            } ?? incidents
        _ = try arguments.value("--username", expected: "a name without a colon") { $0.contains(":") ? nil : $0 }
        user = try arguments.pair("--username", "U", "--password-env", "NAME").map {
            NamedSecret(name: $0, variable: $1)
        }
        oauthClient = try arguments.pair("--oauth-client", "ID", "--oauth-secret-env", "NAME").map {
            NamedSecret(name: $0, variable: $1)
        }
        tokenLifetime = try arguments.value("--token-lifetime", expected: "whole seconds such as 90s or 30m") { text in
            DurationText.parse(text).flatMap { $0 > .zero && $0.components.attoseconds == 0 ? $0 : nil }
        }
        if tokenLifetime != nil, oauthClient == nil {
            throw arguments.error("--token-lifetime needs --oauth-client ID beside it")
        }
        seed =
            try arguments.value("--seed", expected: "a whole number from 0") { text in
                decimal(text).map { UInt64($0) }
            } ?? seed
        for text in arguments.all("--fault") {
            do throws(FaultTextError) {
                faults.append(try Fault(text))
            } catch {
                throw arguments.error("--fault \(printable(text)): \(printable(error.description))")
            }
        }
    }
}

extension CommandArguments {
    /// The values of two options that belong together; `nil` where neither stands.
    ///
    /// - Throws: `CommandLineError` where only one does.
    fileprivate func pair(
        _ first: String, _ firstValue: String, _ second: String, _ secondValue: String
    ) throws(CommandLineError) -> (String, String)? {
        switch (all(first).last, all(second).last) {
        case (nil, nil): return nil
        case (let left?, let right?): return (left, right)
        case (_?, nil): throw error("\(first) needs \(second) \(secondValue) beside it")
        case (nil, _?): throw error("\(second) needs \(first) \(firstValue) beside it")
        }
    }
}
