import Foundation
import Observability
import TableAPI
import Testing

@testable import paginatord

struct ConfigurationTests {
    static let url = ["PAGINATORD_INSTANCE_URL": "https://a.example"]

    /// Reads a configuration from a text and an environment.
    static func read(
        _ text: String? = nil, _ environment: [String: String] = url, isDemo: Bool = false,
        files: [String: String] = [:],
        listeners: [Listener] = [], logLevel: Level? = nil
    ) throws -> Configuration {
        let folder = try TemporaryFolder()
        for (name, text) in files { try folder.write(text, to: name) }
        let file = try text.map { try folder.write($0, to: "c.json5") }
        return try Configuration(
            from: ConfigurationSource(
                file: file, environment: environment, isDemo: isDemo, listeners: listeners, logLevel: logLevel))
    }

    /// The problems of a text, one per line, sorted; the folder's name left out.
    static func problems(
        _ text: String?, _ environment: [String: String] = url, isDemo: Bool = false, files: [String: String] = [:]
    ) -> [String] {
        do {
            _ = try read(text, environment, isDemo: isDemo, files: files)
            return []
        } catch let failure as ConfigurationFailure {
            return failure.problems.map { problem in
                problem.description.replacing(/\/[^ "]*paginatord-[0-9A-F-]{36}\//, with: "")
            }
        } catch {
            return ["\(error)"]
        }
    }

    @Test("Without a file, everything has its default")
    func defaults() throws {
        let configuration = try Self.read()
        #expect(configuration.listeners.map(\.address.description) == ["127.0.0.1:8080", "[::1]:8080"])
        #expect(configuration.listeners.allSatisfy { $0.isOptional })
        #expect(configuration.tls == nil)
        #expect(configuration.sessions.store == nil)
        #expect(configuration.sessions.idleTimeout == .seconds(900))
        #expect(configuration.sessions.maxIdleTimeout == .seconds(86_400))
        #expect(configuration.sessions.maxTotal == 100_000)
        #expect(configuration.sessions.replayMemory == 268_435_456)
        #expect(configuration.sessions.replayPageBytes == 1_048_576)
        #expect(configuration.pages.itemsPerPage == 20)
        #expect(configuration.pages.maxItemsPerPage == 10_000)
        #expect(configuration.pages.maxBytes == 67_108_864)
        #expect(configuration.pages.cacheTTL == .zero && configuration.pages.cache == nil)
        #expect(configuration.pages.cacheBytes == 134_217_728)
        #expect(configuration.limits.connections == 10_000)
        #expect(configuration.limits.requestBody == 1_048_576)
        #expect(configuration.limits.requestHead == 32_768)
        #expect(configuration.limits.headTimeout == .seconds(10))
        #expect(configuration.limits.bodyTimeout == .seconds(30))
        #expect(configuration.limits.idleTimeout == .seconds(60))
        #expect(configuration.limits.stallTimeout == .seconds(30))
        #expect(configuration.adminListeners == [])
        #expect(configuration.limits.waitingMoves == 16)
        #expect(configuration.log.level == .info)
        #expect(configuration.log.format == nil)
        #expect(configuration.shutdownGrace == .seconds(10))
        #expect(configuration.warnings == [])
        let instance = try #require(configuration.instances.first)
        #expect(configuration.instances.count == 1)
        #expect(instance.instance.name == "default")
        #expect(instance.instance.url.description == "https://a.example")
        #expect(instance.instance.apiVersion == .latest)
        #expect(instance.instance.credentials == .none)
        #expect(instance.instance.timeout == .seconds(65))
        #expect(instance.instance.maxPageBytes == 67_108_864)
        #expect(instance.connectTimeout == .seconds(5))
        #expect(instance.proxy == .environment)
        #expect(instance.certificateAuthority == nil)
    }

    @Test("Every key of the file is taken")
    func everyKey() throws {
        let identity = try Identity()
        let configuration = try Self.read(
            """
            {
              access: { allowAnonymous: true, hosts: ["a.example"], origins: ["https://b.example"] },
              listen: ["0.0.0.0:1", "unix:/tmp/x.sock", "fd:3"], tls: { certificate: "c.pem", key: "k.pem" },
              instances: { one: {
                url: "http://127.0.0.1:8081/", apiVersion: "v2", timeout: 7, connectTimeout: "250ms", proxy: null,
                certificateAuthority: "c.pem",
                auth: { type: "basic", username: "u", password: { file: "p.txt" } },
              } },
              sessions: { store: "memory", idleTimeout: 60, maxIdleTimeout: "2m", maxTotal: 5, maxPerOwner: 4, replayMemory: "2KiB",
                replayPageBytes: 100 },
              pages: { itemsPerPage: 7, maxItemsPerPage: 70, maxBytes: "3MiB", cacheTTL: "90s", cacheBytes: "2KiB" },
              limits: { connections: 9, requestsPerToken: 3, requestBody: "4KiB", requestHead: "8KiB", headTimeout: "2s", bodyTimeout: 3,
                idleTimeout: "5s", stallTimeout: "500ms", waitingMoves: 0 },
              admin: { listen: "[::1]:9" },
              log: { level: "debug", format: "json" }, shutdownGrace: "1.5s",
            }
            """, [:],
            files: [
                "c.pem": identity.certificate, "k.pem": identity.key,
                "p.txt": "pw\n",
            ])
        #expect(
            configuration.listeners.map(\.address) == [
                .tcp(host: "0.0.0.0", port: 1), .unix(path: "/tmp/x.sock"), .descriptor(3),
            ])
        #expect(configuration.tls?.certificateChain == identity.certificate)
        #expect(configuration.tls?.key.revealed == identity.key)
        #expect(configuration.adminListeners == [Listener(address: .tcp(host: "::1", port: 9))])
        let instance = try #require(configuration.instances.first)
        #expect(instance.instance.name == "one")
        #expect(instance.instance.url.description == "http://127.0.0.1:8081")
        #expect(instance.instance.apiVersion == .v2)
        #expect(instance.instance.timeout == .seconds(7))
        #expect(instance.instance.maxPageBytes == 3 << 20)
        #expect(instance.instance.credentials == .basic(username: "u", password: Secret("pw")))
        #expect(instance.connectTimeout == .milliseconds(250))
        #expect(instance.proxy == .direct)
        #expect(instance.certificateAuthority?.hasSuffix("/c.pem") == true)
        #expect(configuration.sessions.idleTimeout == .seconds(60))
        #expect(configuration.sessions.maxIdleTimeout == .seconds(120))
        #expect(configuration.sessions.maxTotal == 5 && configuration.sessions.maxPerOwner == 4)
        #expect(configuration.sessions.replayMemory == 2048)
        #expect(configuration.sessions.replayPageBytes == 100)
        #expect(configuration.pages.itemsPerPage == 7)
        #expect(configuration.pages.maxItemsPerPage == 70)
        #expect(configuration.pages.cacheTTL == .seconds(90) && configuration.pages.cache != nil)
        #expect(configuration.pages.cacheBytes == 2048)
        #expect(configuration.limits.connections == 9)
        #expect(configuration.limits.requestsPerToken == 3)
        #expect(configuration.limits.requestBody == 4096)
        #expect(configuration.limits.requestHead == 8192)
        #expect(configuration.limits.headTimeout == .seconds(2))
        #expect(configuration.limits.bodyTimeout == .seconds(3))
        #expect(configuration.limits.idleTimeout == .seconds(5))
        #expect(configuration.limits.stallTimeout == .milliseconds(500))
        #expect(configuration.limits.waitingMoves == 0)
        #expect(configuration.log.level == .debug)
        #expect(configuration.log.format == .json)
        #expect(configuration.shutdownGrace == .milliseconds(1500))
    }

    @Test("An environment variable wins over the file, and the command line over both")
    func precedence() throws {
        let text = #"{ listen: ["127.0.0.1:1"], pages: { itemsPerPage: 5 }, log: { level: "error" } }"#
        var environment = Self.url
        #expect(try Self.read(text, environment).pages.itemsPerPage == 5)
        environment["PAGINATORD_PAGES_ITEMS_PER_PAGE"] = "6"
        environment["PAGINATORD_LISTEN"] = "127.0.0.1:2, unix:/tmp/s"
        environment["PAGINATORD_LOG_LEVEL"] = "warning"
        environment["PAGINATORD_LOG_FORMAT"] = ""
        environment["PAGINATORD_SESSIONS_IDLE_TIMEOUT"] = "30"
        environment["PAGINATORD_LIMITS_REQUEST_BODY"] = "2MiB"
        environment["PAGINATORD_SHUTDOWN_GRACE"] = "500ms"
        let configuration = try Self.read(text, environment)
        #expect(configuration.pages.itemsPerPage == 6)
        #expect(configuration.listeners.map(\.address) == [.tcp(host: "127.0.0.1", port: 2), .unix(path: "/tmp/s")])
        #expect(configuration.log.level == .warning)
        #expect(configuration.sessions.idleTimeout == .seconds(30))
        #expect(configuration.limits.requestBody == 2 << 20)
        #expect(configuration.shutdownGrace == .milliseconds(500))
        #expect(configuration.warnings == [])
        let listener = Listener(address: .descriptor(3))
        let flagged = try Self.read(text, environment, listeners: [listener], logLevel: .debug)
        #expect(flagged.listeners == [listener])
        #expect(flagged.log.level == .debug)
    }

    @Test("PAGINATORD_CONFIG names the file, unless --config does")
    func configurationVariable() throws {
        let folder = try TemporaryFolder()
        let one = try folder.write("{ pages: { itemsPerPage: 1 } }", to: "one")
        let two = try folder.write("{ pages: { itemsPerPage: 2 } }", to: "two")
        let environment = Self.url.merging(["PAGINATORD_CONFIG": one]) { $1 }
        #expect(try Configuration(from: ConfigurationSource(environment: environment)).pages.itemsPerPage == 1)
        let source = ConfigurationSource(file: two, environment: environment)
        #expect(try Configuration(from: source).pages.itemsPerPage == 2)
    }

    @Test("A variable of ours without a meaning is one warning each")
    func unknownVariables() throws {
        let environment = Self.url.merging([
            "PAGINATORD_PAGES_ITEM_PER_PAGE": "5", "PAGINATORD_PORT": "tcp://10.0.0.1:80", "OTHER": "x",
        ]) { $1 }
        #expect(
            try Self.read(nil, environment).warnings == [
                "the environment variable PAGINATORD_PAGES_ITEM_PER_PAGE is unknown and ignored; "
                    + "did you mean PAGINATORD_PAGES_ITEMS_PER_PAGE?",
                "the environment variable PAGINATORD_PORT is unknown and ignored",
            ])
    }

    @Test(
        "Whatever is wrong is named with its path and what would be right",
        arguments: [
            (
                "{ pages: { itemsPerPage: 0 } }",
                "pages.itemsPerPage: expected a whole number from 1 to 10000 but found 0"
            ),
            (
                "{ pages: { itemsPerPage: 10001 } }",
                "pages.itemsPerPage: expected a whole number from 1 to 10000 but found 10001"
            ),
            (
                "{ pages: { itemsPerPage: '20' } }",
                #"pages.itemsPerPage: expected a whole number from 1 to 10000 but found "20""#
            ),
            (
                "{ pages: { itemsPerPage: 1.5 } }",
                "pages.itemsPerPage: expected a whole number from 1 to 10000 but found 1.5"
            ),
            (
                "{ pages: { itemsPerPage: [1] } }",
                "pages.itemsPerPage: expected a whole number from 1 to 10000 but found [1]"
            ),
            (
                "{ pages: { itemsPerPage: 50, maxItemsPerPage: 40 } }",
                "pages.itemsPerPage: must not be larger than maxItemsPerPage"
            ),
            (
                "{ pages: { cacheTTL: -1 } }",
                "pages.cacheTTL: expected a duration from 0s to 24h, as a number of seconds or such as "
                    + #""500ms", "65s", "15m" or "24h" but found -1"#
            ),
            (
                "{ pages: { cacheBytes: 0 } }",
                "pages.cacheBytes: expected a size from 1KiB to 1024GiB, as a number of bytes or such as "
                    + #""32KiB" or "1MiB" but found 0"#
            ),
            (
                "{ pages: { maxBytes: '1MB' } }",
                #"pages.maxBytes: expected a size from 1KiB to 2GiB, as a number of bytes or such as "32KiB" or "1MiB" "#
                    + #"but found "1MB""#
            ),
            (
                "{ sessions: { idleTimeout: '15 min' } }",
                "sessions.idleTimeout: expected a duration from 1s to 8760h, as a number of seconds or such as "
                    + #""500ms", "65s", "15m" or "24h" but found "15 min""#
            ),
            (
                "{ sessions: { idleTimeout: '25h' } }",
                "sessions.idleTimeout: must not be longer than maxIdleTimeout"
            ),
            (
                "{ sessions: { store: 'redis://:hunter2@host' } }",
                "sessions.store: has credentials in it; the user's name belongs in sessions.redisUsername, "
                    + "the password in sessions.redisPassword"
            ),
            (
                "{ log: { level: 'verbose' } }",
                #"log.level: expected one of "debug", "info", "warning", "error" but found "verbose""#
            ),
            ("{ log: 'info' }", "log: expected an object but found a string"),
            (
                "{ listen: '127.0.0.1:8080' }",
                "listen: expected a list of addresses, each \(Listener.expected) but found \"127.0.0.1:8080\""
            ),
            (
                "{ listen: ['8080', ':1'] }",
                "listen: expected a list of addresses, each \(Listener.expected) but found [\"8080\", \":1\"]"
            ),
            ("{ listen: [] }", "listen: expected a list of addresses, each \(Listener.expected) but found []"),
            (
                "{ listen: [':1', ':1'] }",
                "listen: expected a list of addresses, each \(Listener.expected) but found [\":1\", \":1\"]"
            ),
            ("{ tls: {} }", "tls.certificate: not set"),
            ("{ tls: { certificate: 'c' } }", "tls.key: not set, though there is a certificate"),
            ("{ tls: { key: 'c' } }", "tls.certificate: not set, though there is a key"),
            ("{ pages: { itemPerPage: 5 } }", "pages.itemPerPage: unknown key; did you mean itemsPerPage?"),
            ("{ pages: { itemsperpage: 5 } }", "pages.itemsperpage: unknown key; did you mean itemsPerPage?"),
            ("{ pages: { readahead: 5 } }", "pages.readahead: unknown key; did you mean readAhead?"),
            (
                "{ pages: { readAhead: 9 } }",
                "pages.readAhead: expected \"auto\" or a number of pages from 0 to 8 but found 9"
            ),
            ("{ acess: {} }", "acess: unknown key; did you mean access?"),
            ("{ page: {} }", "page: unknown key; did you mean pages?"),
            ("{ 'a\\nb': 1 }", "a\\u{a}b: unknown key"),
            ("{ log: { level: 'info' }, log: { level: 'debug' } }", "log: repeated in line 1"),
            ("{ log: {\n level: 'info',\n 'level': 'debug' } }", "log.level: repeated in line 3"),
            ("[]", "c.json5: expected an object but found an array"),
            ("{ log: { level: 'info' \n pages: {} }", "c.json5: line 2, column 2: expected , or } but found pages"),
            ("", "c.json5: line 1, column 1: expected a value but found the end of the text"),
        ])
    func problems(text: String, expected: String) {
        #expect(Self.problems(text) == [expected])
    }

    @Test(
        "Whatever a message quotes stays on its line and cannot steer a terminal",
        arguments: [
            "{ 'X': 1 }", "{ pages: { 'X': 1 } }", "{ log: { format: 'X' } }", "{ log: { level: 'X' } }",
            "{ listen: 'X' }",
            "{ pages: { cacheTTL: 'X' } }", "{ limits: { requestBody: 'X' } }", "{ sessions: { store: 'X' } }",
            "{ sessions: { store: 'redis://X' } }", "{ access: { hosts: ['X'] } }", "{ access: { origins: ['X'] } }",
            "{ access: { tokens: { default: { env: 'X' } } } }", "{ access: { tokens: { default: { file: 'X' } } } }",
            "{ access: { tokens: { 'X': 1 } } }", "{ tls: { certificate: 'X', key: 'X' } }",
            "{ instances: { default: { url: 'X' } } }", "{ instances: { default: { url: 'https://X' } } }",
            "{ instances: { default: { auth: { type: 'X' } } } }", "{ instances: { default: { proxy: 'X' } } }",
            "{ instances: { default: { auth: { type: 'basic', username: 'u', password: { env: 'X' } } } } }",
            "{ instances: { default: { auth: { type: 'basic', username: 'u', password: { file: 'X' } } } } }",
            "{ instances: { default: { auth: { type: 'basic', username: 'u', password: { 'X': 'y' } } } } }",
            "{ instances: { 'X': { url: 1 } } }",
        ], ["\\n", "\\r", "\\u001b[2J", "\\u007f", "\\u0085", "\\u202e", "\\u2028"])
    func quotations(text: String, character: String) throws {
        let problems = Self.problems(text.replacing("X", with: "a\(character)b"), [:])
        try #require(!problems.isEmpty && problems != Self.problems("{}", [:]))
        for problem in problems {
            #expect(problem.unicodeScalars.allSatisfy(Self.isHarmless), "\(problem.debugDescription)")
        }
    }

    @Test(
        "A variable's name, too, stays on its line",
        arguments: ["\n", "\r", "\u{1B}[2J", "\u{7F}", "\u{202E}", "\u{2028}"])
    func variableNames(character: String) throws {
        let warnings = try Self.read(nil, Self.url.merging(["PAGINATORD_A\(character)B": "1"]) { $1 }).warnings
        #expect(warnings.count == 1)
        for warning in warnings {
            #expect(warning.unicodeScalars.allSatisfy(Self.isHarmless), "\(warning.debugDescription)")
        }
    }

    private static func isHarmless(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.properties.generalCategory {
        case .control, .format, .lineSeparator, .paragraphSeparator: false
        default: true
        }
    }

    @Test("All problems are named at once")
    func allProblems() {
        let text = """
            { pages: { itemsPerPage: 0, mxBytes: 1 }, log: { format: 1 }, pges: 1,
              instances: { default: { url: "ftp://x", auth: { type: "basic" } } } }
            """
        #expect(
            Self.problems(text, [:]).map { String($0.prefix { $0 != ":" }) } == [
                "pages.itemsPerPage", "pages.mxBytes", "log.format", "instances.default.auth.username",
                "instances.default.auth.password", "instances.default.url", "pges",
            ])
    }

    @Test("A wrong variable is named beside its key")
    func wrongVariable() {
        #expect(
            Self.problems(nil, Self.url.merging(["PAGINATORD_LIMITS_CONNECTIONS": "-1"]) { $1 }) == [
                "limits.connections: expected a whole number from 1 to 1000000 but found \"-1\" in "
                    + "PAGINATORD_LIMITS_CONNECTIONS"
            ])
    }

    @Test("A file that cannot be read is named")
    func missingFile() {
        #expect(
            throws: ConfigurationFailure(problems: [
                ConfigurationProblem(path: "/nowhere/c.json5", detail: "cannot be read: No such file or directory")
            ])
        ) { try Configuration(from: ConfigurationSource(file: "/nowhere/c.json5", environment: Self.url)) }
    }

    @Test(
        "Files of TLS are checked",
        arguments: [
            (
                ["c.pem": "x", "k.pem": "-----BEGIN PRIVATE KEY-----"],
                "tls.certificate: c.pem is no PEM file with a certificate"
            ),
            (
                ["c.pem": "-----BEGIN CERTIFICATE-----", "k.pem": "-----BEGIN CERTIFICATE-----"],
                "tls.key: k.pem is no PEM file with a private key"
            ),
            (["c.pem": "-----BEGIN CERTIFICATE-----"], "tls.key: k.pem cannot be read: No such file or directory"),
        ])
    func tlsFiles(files: [String: String], expected: String) {
        #expect(Self.problems("{ tls: { certificate: 'c.pem', key: 'k.pem' } }", files: files) == [expected])
    }
}
