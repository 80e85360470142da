import DemoInstance
import Observability
import TableAPI
import Testing

@testable import paginatord

struct CommandTests {
    @Test("Without options, every option has its default")
    func defaults() throws {
        guard case .serve(let serve) = try Command(arguments: ["serve"]),
            case .demoInstance(let demo) = try Command(arguments: ["demo-instance"]),
            case .checkConfiguration(nil) = try Command(arguments: ["check-config"]),
            case .healthCheck(nil) = try Command(arguments: ["healthcheck"])
        else {
            Issue.record("a command was taken for another")
            return
        }
        #expect(serve.configurationFile == nil)
        #expect(!serve.isDemo)
        #expect(serve.listeners.isEmpty)
        #expect(serve.logLevel == nil)
        #expect(demo.listeners.map(\.address.description) == ["127.0.0.1:8081"])
        #expect(demo.latency == .zero)
        #expect(demo.incidents == 10_000)
        #expect(demo.tls == nil && demo.user == nil && demo.oauthClient == nil && demo.tokenLifetime == nil)
        #expect(demo.seed == 1 && demo.faults.isEmpty)
        let settings = try demo.settings(in: [:])
        #expect(settings.incidents == 10_000 && settings.credentials == nil && settings.oauthClient == nil)
        #expect(try demo.readTLS() == nil)
    }

    @Test(
        "A value may follow its option or be joined to it",
        arguments: [
            ["serve", "--config", "c", "--demo", "--listen", ":1", "--listen", "unix:/s", "--log-level", "debug"],
            ["serve", "--log-level=debug", "--listen=:1", "--listen=unix:/s", "--demo", "--config=c"],
        ])
    func serve(arguments: [String]) throws {
        guard case .serve(let options) = try Command(arguments: arguments) else {
            Issue.record("not serve")
            return
        }
        #expect(options.configurationFile == "c")
        #expect(options.isDemo)
        #expect(options.listeners.map(\.address.description) == ["0.0.0.0:1", "[::]:1", "unix:/s"])
        #expect(options.logLevel == .debug)
    }

    @Test("All options of demo-instance are taken")
    func demoInstance() throws {
        let arguments = [
            "demo-instance", "--listen", "127.0.0.1:0", "--latency=25", "--incidents", "7", "--username", "u",
            "--password-env=P", "--certificate", "c.pem", "--key", "k.pem", "--oauth-client", "app",
            "--oauth-secret-env",
            "S", "--token-lifetime", "90s", "--seed", "5", "--fault", "truncate:every=7", "--fault=hibernate",
        ]
        guard case .demoInstance(let options) = try Command(arguments: arguments) else {
            Issue.record("not demo-instance")
            return
        }
        #expect(options.listeners.map(\.address) == [.tcp(host: "127.0.0.1", port: 0)])
        #expect(options.latency == .milliseconds(25))
        #expect(options.incidents == 7)
        #expect(options.tls == .init(certificate: "c.pem", key: "k.pem"))
        #expect(options.faults == [Fault(.truncate(), .every(7)), Fault(.hibernate)])
        let settings = try options.settings(in: ["P": "pw", "S": "secret"])
        #expect(settings.incidents == 7 && settings.latency == .milliseconds(25) && settings.seed == 5)
        #expect(settings.credentials != nil)
        #expect(settings.oauthClient == OAuthClient(id: "app", secret: "secret"))
        #expect(settings.tokenLifetime == .seconds(90))
    }

    @Test(
        "A secret's variable that is not set, or is empty, is named",
        arguments: [
            ([:], "--password-env: the environment variable P is not set"),
            (["P": "", "S": "x"], "--password-env: the environment variable P is not set"),
            (["P": "x"], "--oauth-secret-env: the environment variable S is not set"),
            (["P": "x", "S": ""], "--oauth-secret-env: the environment variable S is not set"),
        ])
    func secrets(environment: [String: String], expected: String) throws {
        guard
            case .demoInstance(let options) = try Command(arguments: [
                "demo-instance", "--username=u", "--password-env=P", "--oauth-client=c", "--oauth-secret-env=S",
            ])
        else {
            Issue.record("not demo-instance")
            return
        }
        #expect(throws: CommandLineError(message: expected, command: "demo-instance")) {
            try options.settings(in: environment)
        }
    }

    @Test("A certificate or key that cannot be used is named")
    func certificates() throws {
        let folder = try TemporaryFolder()
        let identity = try Identity()
        let certificate = try folder.write(identity.certificate, to: "c.pem")
        let key = try folder.write(identity.key, to: "k.pem")
        func message(_ certificate: String, _ key: String) -> String? {
            var options = DemoInstanceOptions()
            options.tls = .init(certificate: certificate, key: key)
            do throws(CommandLineError) {
                return try options.readTLS()?.certificateChain
            } catch {
                return error.message
            }
        }
        #expect(message(certificate, key)?.hasPrefix("-----BEGIN CERTIFICATE") == true)
        #expect(message("/nowhere", key) == "--certificate: /nowhere cannot be read: No such file or directory")
        #expect(message(certificate, "/nowhere") == "--key: /nowhere cannot be read: No such file or directory")
        #expect(message(key, key) == "--certificate: \(key) is no PEM file with a certificate")
        let other = try folder.write(try Identity().key, to: "o.pem")
        #expect(message(certificate, other) == "--key: \(other) does not belong to the certificate")
        #expect(message(certificate, certificate) == "--key: \(certificate) is no PEM file with a private key")
    }

    @Test("Only what stands behind -- may begin with a dash")
    func operand() throws {
        guard case .healthCheck(let url) = try Command(arguments: ["healthcheck", "--", "--x"]) else {
            Issue.record("not healthcheck")
            return
        }
        #expect(url == "--x")
    }

    @Test(
        "A wrong command line says what would be right",
        arguments: [
            ([], "no command; expected one of serve, demo-instance, export, check-config, healthcheck, version"),
            (["sevre"], "unknown command sevre; did you mean serve?"),
            (
                ["run"],
                "unknown command run; expected one of serve, demo-instance, export, check-config, healthcheck, version"
            ),
            (
                ["--config"],
                "unknown command --config; expected one of serve, demo-instance, export, check-config, healthcheck, version"
            ),
            (["serve", "--confg", "c"], "unknown option --confg; did you mean --config?"),
            (
                ["serve", "--port", "1"],
                "unknown option --port; serve takes --config, --demo, --listen, --data-directory, --log-level, --help"
            ),
            (
                ["serve", "--port=1"],
                "unknown option --port; serve takes --config, --demo, --listen, --data-directory, --log-level, --help"
            ),
            (
                ["serve", "-c"],
                "unknown option -c; serve takes --config, --demo, --listen, --data-directory, --log-level, --help"
            ),
            (["serve", "--config"], "--config needs a value: --config FILE"),
            (["serve", "--config="], "--config needs a value: --config FILE"),
            (["serve", "--config", "--demo"], "--config needs a value: --config FILE"),
            (["serve", "--config", "a", "--config", "b"], "--config may stand only once"),
            (["serve", "--demo=yes"], "--demo takes no value"),
            (["serve", "now"], "unexpected argument now; serve takes options only"),
            (["version", "now"], "unexpected argument now; version takes no arguments"),
            (["healthcheck", "a", "b"], "unexpected argument b; healthcheck takes one URL"),
            (["serve", "--listen", "8080"], "--listen: expected \(Listener.expected) but found \"8080\""),
            (["serve", "--log-level", "loud"], #"--log-level: expected debug, info, warning, error but found "loud""#),
            (
                ["demo-instance", "--latency", "1s"],
                #"--latency: expected milliseconds from 0 to 600000 but found "1s""#
            ),
            (
                ["demo-instance", "--latency", "-1"],
                #"--latency: expected milliseconds from 0 to 600000 but found "-1""#
            ),
            (
                ["demo-instance", "--incidents", "x"],
                #"--incidents: expected a whole number from 0 to 10000000 but found "x""#
            ),
            (["demo-instance", "--username", "u"], "--username needs --password-env NAME beside it"),
            (["demo-instance", "--password-env", "P"], "--password-env needs --username U beside it"),
            (["demo-instance", "--certificate", "c"], "--certificate needs --key FILE beside it"),
            (["demo-instance", "--key", "k"], "--key needs --certificate FILE beside it"),
            (["demo-instance", "--oauth-client", "c"], "--oauth-client needs --oauth-secret-env NAME beside it"),
            (["demo-instance", "--oauth-secret-env", "S"], "--oauth-secret-env needs --oauth-client ID beside it"),
            (["demo-instance", "--token-lifetime", "5s"], "--token-lifetime needs --oauth-client ID beside it"),
            (
                ["demo-instance", "--token-lifetime", "500ms"],
                #"--token-lifetime: expected whole seconds such as 90s or 30m but found "500ms""#
            ),
            (["demo-instance", "--seed", "-1"], #"--seed: expected a whole number from 0 but found "-1""#),
            (
                ["demo-instance", "--fault", "truncate:every=0"],
                "--fault truncate:every=0: expected a whole number from 1 to 1000000000 as every of truncate "
                    + #"but found "0""#
            ),
            (["demo-instance", "--username", "a:b"], #"--username: expected a name without a colon but found "a:b""#),
            (
                ["demo-instance", "--config", "c"],
                "unknown option --config; demo-instance takes "
                    + "--listen, --certificate, --key, --latency, --incidents, --username, --password-env, --oauth-client, "
                    + "--oauth-secret-env, --token-lifetime, --seed, --fault, --help"
            ),
            (["se\u{1B}rve"], "unknown command se\\u{1b}rve; did you mean serve?"),
        ] as [([String], String)])
    func wrong(arguments: [String], expected: String) {
        do throws(CommandLineError) {
            _ = try Command(arguments: arguments)
            Issue.record("accepted")
        } catch {
            #expect(error.message == expected)
            #expect(error.command == Command.syntaxes.map(\.name).first { $0 == arguments.first })
        }
    }

    @Test(
        "Every command explains itself and every option of it, whatever else stands there",
        arguments: Command.syntaxes.map(\.name))
    func help(name: String) throws {
        for arguments in [[name, "--help"], [name, "-h"]] {
            guard case .help(let text) = try Command(arguments: arguments),
                let syntax = Command.syntaxes.first(where: { $0.name == name })
            else {
                Issue.record("no help")
                return
            }
            #expect(text.hasPrefix("usage: paginatord \(name)"))
            #expect(text.contains(syntax.summary))
            for option in syntax.allOptions { #expect(text.contains("  \(option.usage) ")) }
        }
    }

    @Test("The program explains itself", arguments: ["--help", "-h", "help"])
    func programHelp(argument: String) throws {
        guard case .help(let text) = try Command(arguments: [argument]) else {
            Issue.record("no help")
            return
        }
        for syntax in Command.syntaxes { #expect(text.contains("  \(syntax.name) ")) }
    }
}
