import HTTPModel
import Synchronization
import Testing

@testable import paginatord

struct ProgramTests {
    /// Runs a command line and returns all that it says.
    private static func run(
        _ arguments: String..., environment: [String: String] = [:],
        answering: @escaping @Sendable (OutgoingRequest) throws(TransportError) -> IncomingResponse = {
            _ throws(TransportError) in throw .connectionFailed("connection refused")
        }
    ) async -> (code: ExitCode, output: String, error: String) {
        let said = Said()
        var program = Program(environment: environment)
        program.console = Console(
            output: { text in said.texts.withLock { $0.output += text } },
            error: { text in said.texts.withLock { $0.error += text } })
        program.transport = { _ in FixedTransport(answer: answering) }
        let code = await program.run(arguments)
        return said.texts.withLock { (code, $0.output, $0.error) }
    }

    @Test("What was asked for goes to standard output, and nothing else does")
    func output() async {
        let version = await Self.run("version")
        #expect(version == (.success, "paginatord \(paginatord.version)\n", ""))
        let help = await Self.run("--help")
        #expect(help.code == .success)
        #expect(help.output.hasPrefix("usage: paginatord "))
        #expect(help.error == "")
    }

    @Test(
        "A wrong command line ends with 64, and only standard error says why",
        arguments: [
            (["srve"], "paginatord: unknown command srve; did you mean serve?\npaginatord: see paginatord --help\n"),
            (
                ["serve", "--demo=1"],
                "paginatord: --demo takes no value\npaginatord: see paginatord serve --help\n"
            ),
            (
                ["healthcheck", "localhost"],
                "paginatord: expected a URL such as http://127.0.0.1:8080 or unix:/path but found \"localhost\"\n"
                    + "paginatord: see paginatord healthcheck --help\n"
            ),
        ])
    func wrongUsage(arguments: [String], expected: String) async {
        let said = Said()
        var program = Program(environment: [:])
        program.console = Console(
            output: { text in said.texts.withLock { $0.output += text } },
            error: { text in said.texts.withLock { $0.error += text } })
        #expect(await program.run(arguments).rawValue == 64)
        #expect(said.texts.withLock { $0.output } == "")
        #expect(said.texts.withLock { $0.error } == expected)
    }

    @Test("serve with a wrong configuration ends with 78 and says on standard error what to set")
    func serveWithoutInstance() async {
        let result = await Self.run("serve")
        #expect(result.code.rawValue == 78)
        #expect(result.output == "")
        #expect(result.error.hasPrefix("paginatord: instances: no instance is configured; set PAGINATORD_INSTANCE_URL"))
        let demo = await Self.run(
            "serve", "--demo", environment: ["PAGINATORD_INSTANCE_URL": "https://a.example"])
        #expect(demo.code.rawValue == 78)
    }

    @Test("demo-instance with a password variable that is not set ends with 64")
    func demoInstanceWithoutPassword() async {
        let result = await Self.run("demo-instance", "--username", "u", "--password-env", "P")
        #expect(result.code.rawValue == 64)
        #expect(
            result.error
                == "paginatord: --password-env: the environment variable P is not set\n"
                + "paginatord: see paginatord demo-instance --help\n")
    }

    @Test(
        "export with a wrong command line ends with 64, with a wrong configuration 78, and asks nobody",
        arguments: [
            (["--demo"], 64, "--table is required"), (["--table", "t"], 78, "instances: no instance is configured"),
            (["--table", "A B", "--demo"], 64, "--table: expected small letters"),
            (["--table", "t", "--demo", "--fields", "a b"], 64, "--fields: expected field names"),
            (["--table", "t", "--demo", "--instance", "x"], 64, "--instance: expected one of default but found"),
            (
                ["--table", "t", "--demo", "--query", "ORDERBYa", "--after-key", "00112233445566778899aabbccddeeff"],
                64,
                "--after-key cannot be used here"
            ),
            (["--table", "t", "--demo", "--from-page", "9223372036854775807"], 64, "--from-page: expected a page"),
            (
                ["--table", "t", "--demo", "--output", "/nowhere/a"], 64,
                "--output: cannot write /nowhere/a: No such file"
            ),
            (["--table", "t", "--config", "/nowhere"], 78, "/nowhere: cannot be read"),
        ])
    func wrongExport(arguments: [String], code: Int32, start: String) async {
        let said = Said()
        var program = Program(environment: [:])
        program.console = Console(
            output: { text in said.texts.withLock { $0.output += text } },
            error: { text in said.texts.withLock { $0.error += text } })
        #expect(await program.run(["export"] + arguments).rawValue == code)
        #expect(said.texts.withLock { $0.output } == "")
        #expect(
            said.texts.withLock { $0.error }.hasPrefix("paginatord: \(start)"), "\(said.texts.withLock { $0.error })")
    }

    @Test("export heeds the configured page size, and needs credentials of the service's own")
    func configuredExport() async throws {
        let folder = try TemporaryFolder()
        let url = "url: 'http://127.0.0.1:1'"
        let file = try folder.write(
            "{ instances: { a: { \(url), auth: { type: 'forward' } } }, pages: { maxItemsPerPage: 100 } }",
            to: "c.json5")
        let forward = await Self.run("export", "--table", "t", "--config", file)
        #expect(forward.code.rawValue == 78)
        #expect(forward.error.hasPrefix("paginatord: instances.a.auth: \"forward\" takes the credentials"))
        let large = await Self.run(
            "export", "--table", "t", "--items-per-page", "101", "--demo",
            environment: ["PAGINATORD_PAGES_MAX_ITEMS_PER_PAGE": "100"])
        #expect(large.code.rawValue == 64)
        #expect(
            large.error.hasPrefix("paginatord: --items-per-page: expected at most 100, as pages.maxItemsPerPage says"))
    }

    @Test("check-config names the file that is right")
    func rightConfiguration() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("{ instances: { a: { url: 'https://a.example' } } }", to: "c.json5")
        for result in [
            await Self.run("check-config", "--config", file),
            await Self.run("check-config", environment: ["PAGINATORD_CONFIG": file]),
        ] {
            #expect(result == (.success, "\(file): ok\n", ""))
        }
        let environment = ["PAGINATORD_INSTANCE_URL": "https://a.example", "PAGINATORD_PORT": "x"]
        let result = await Self.run("check-config", environment: environment)
        #expect(result.code == .success)
        #expect(result.output == "environment: ok\n")
        #expect(result.error == "paginatord: the environment variable PAGINATORD_PORT is unknown and ignored\n")
    }

    @Test("check-config prints one problem per line to standard output and ends with 78")
    func wrongConfiguration() async throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(
            "{ instances: { a: { url: 'https://a.example' } }, x: 1, log: { y: 2 } }", to: "c.json5")
        let result = await Self.run("check-config", "--config", file)
        #expect(result.code.rawValue == 78)
        #expect(result.output == "log.y: unknown key\nx: unknown key\n")
        #expect(result.error == "")
    }

    @Test("healthcheck ends with 0 only where /livez answers 200", arguments: [200, 204, 404, 503])
    func health(status: Int) async {
        let asked = Said()
        let result = await Self.run("healthcheck", "http://127.0.0.1:9") { request throws(TransportError) in
            asked.texts.withLock { $0.output += request.method + " " + request.url }
            return IncomingResponse(status: status)
        }
        #expect(asked.texts.withLock { $0.output } == "GET http://127.0.0.1:9/livez")
        #expect(result.code.rawValue == (status == 200 ? 0 : 69))
        #expect(result.output == "")
        #expect(result.error == (status == 200 ? "" : "paginatord: http://127.0.0.1:9/livez answered \(status)\n"))
    }

    @Test(
        "healthcheck ends with 69 where nobody answers, and says why",
        arguments: [
            (TransportError.connectionFailed("refused"), "refused"), (.timedOut(receivedBytes: false), "within 2500ms"),
            (.tlsFailed("certificate"), "certificate"), (.noResponse("not HTTP"), "not HTTP"),
            (.bodyTooLarge(limit: 1), "something else"),
        ])
    func unhealthy(error: TransportError, expected: String) async {
        let result = await Self.run("healthcheck", "unix:/s") { _ throws(TransportError) in throw error }
        #expect(result.code.rawValue == 69)
        #expect(result.error.hasPrefix("paginatord: unix:/s"))
        #expect(result.error.contains(expected))
    }

    @Test(
        "Without a URL, healthcheck asks where the configuration listens, whatever else is wrong with it",
        arguments: [
            ([:], "http://127.0.0.1:8080/livez"),
            (["PAGINATORD_LISTEN": "127.0.0.1:9"], "http://127.0.0.1:9/livez"),
            (["PAGINATORD_LISTEN": ":9", "PAGINATORD_PAGES_ITEMS_PER_PAGE": "x"], "http://127.0.0.1:9/livez"),
            (["PAGINATORD_CONFIG": "/nowhere"], "http://127.0.0.1:8080/livez"),
        ])
    func configuredHealth(environment: [String: String], expected: String) async {
        let asked = Said()
        let result = await Self.run("healthcheck", environment: environment) { request throws(TransportError) in
            asked.texts.withLock { $0.output += request.url }
            return IncomingResponse(status: 200)
        }
        #expect(result.code == .success)
        #expect(asked.texts.withLock { $0.output } == expected)
    }
}

private final class Said: Sendable {
    let texts = Mutex((output: "", error: ""))
}

/// Answers every request from a closure.
private struct FixedTransport: HTTPTransport {
    let answer: @Sendable (OutgoingRequest) throws(TransportError) -> IncomingResponse

    @concurrent func send(_ request: OutgoingRequest) async throws(TransportError) -> IncomingResponse {
        try answer(request)
    }
}
