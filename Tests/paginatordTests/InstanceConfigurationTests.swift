import TableAPI
import Testing

@testable import paginatord

struct InstanceConfigurationTests {
    private static func problems(_ instance: String, _ environment: [String: String] = [:]) -> [String] {
        ConfigurationTests.problems("{ instances: { default: \(instance) } }", environment, files: ["empty": "\n"])
    }

    @Test(
        "What is wrong with an instance is named with its path",
        arguments: [
            ("{}", #"url: not set; expected such as "https://example.service-now.com""#),
            ("{ url: 5 }", "url: expected the URL of an instance but found a number"),
            ("{ url: '' }", "url: expected the URL of an instance but found an empty string"),
            ("{ url: 'https://a.example/path' }", "url: the URL must end behind the host and the port"),
            (
                "{ url: 'https://a.example', proxy: 'http://u:p@proxy' }",
                #"proxy: expected "environment", null or a URL such as "http://proxy.example:3128", without user"#
            ),
            (
                "{ url: 'https://a.example', certificateAuthority: 'gone' }",
                "certificateAuthority: gone cannot be read: No such file or directory"
            ),
            ("{ url: 'https://a.example', timeuot: 5 }", "timeuot: unknown key; did you mean timeout?"),
            (
                "{ url: 'https://a.example', concurrency: 0 }",
                "concurrency: expected a whole number from 1 to 1024 but found 0"
            ),
            (
                "{ url: 'https://a.example', requestsPerHour: 0 }",
                "requestsPerHour: expected a whole number from 1 to 1000000000 but found 0"
            ),
            (
                "{ url: 'https://a.example', retries: -1 }",
                "retries: expected a whole number from 0 to 100 but found -1"
            ),
            (
                "{ url: 'https://a.example', deadline: 0 }",
                "deadline: expected a duration from 1ms to 1h, as a number of seconds or such as "
                    + #""500ms", "65s", "15m" or "24h" but found 0"#
            ),
            (
                "{ url: 'https://a.example', maxRetryAfter: '2h' }",
                "maxRetryAfter: expected a duration from 0s to 1h, as a number of seconds or such as "
                    + #""500ms", "65s", "15m" or "24h" but found "2h""#
            ),
            ("{ url: 'https://a.example', circuit: 5 }", "circuit: expected an object but found a number"),
            (
                "{ url: 'https://a.example', circuit: { opne: 5 } }",
                "circuit.opne: unknown key; did you mean open?"
            ),
        ])
    func problems(instance: String, expected: String) {
        #expect(Self.problems(instance, ["SET": "x"]) == ["instances.default." + expected])
    }

    @Test(
        "A URL that could lead elsewhere or leak something is refused without being repeated",
        arguments: [
            "http://a.example", "ftp://a.example", "a.example", "https://user:hunter2@a.example",
            "https://a.example?q=hunter2",
            "https://a.example#hunter2", "https://a.example/api/hunter2", "https://", "https://a.example:0",
            "https://a.example:99999",
            "http://127.0.0.1.hunter2.example",
        ])
    func wrongURL(url: String) throws {
        for problems in [
            Self.problems("{ url: '\(url)' }"), ConfigurationTests.problems(nil, ["PAGINATORD_INSTANCE_URL": url]),
        ] {
            #expect(problems.count == 1)
            #expect(!problems.joined().contains("hunter2"))
        }
        #expect(Self.problems("{ url: '\(url)' }").first?.hasPrefix("instances.default.url: ") == true)
        #expect(
            ConfigurationTests.problems(nil, ["PAGINATORD_INSTANCE_URL": url]).first?.hasPrefix(
                "PAGINATORD_INSTANCE_URL: ")
                == true)
    }

    @Test(
        "Names that cannot stand in a request are refused",
        arguments: ["", "-a", "a b", "é", ".a", String(repeating: "a", count: 65)])
    func wrongName(name: String) {
        let problems = ConfigurationTests.problems("{ instances: { '\(name)': { url: 'https://a.example' } } }", [:])
        #expect(problems.count == 1)
        #expect(problems.first?.contains("expected a name of 1 to 64 letters") == true)
    }

    @Test("A repeated instance is refused")
    func repeatedInstance() {
        let text = "{ instances: { a: { url: 'https://a.example' },\n 'a': { url: 'https://b.example' } } }"
        #expect(ConfigurationTests.problems(text, [:]) == ["instances.a: repeated in line 2"])
    }

    @Test("Every instance of the file is taken")
    func severalInstances() throws {
        let text = "{ instances: { b: { url: 'https://b.example' }, a: { url: 'https://a.example:8443' } } }"
        let instances = try ConfigurationTests.read(text, [:]).instances.map(\.instance)
        #expect(instances.map(\.name) == ["a", "b"])
        #expect(instances.map(\.url.description) == ["https://a.example:8443", "https://b.example"])
    }

    @Test(
        "How much an instance is asked at most",
        arguments: [
            ("", Restraint()),
            (
                """
                concurrency: 64, requestsPerHour: 1000, deadline: '2m', retries: 0, maxRetryAfter: 0,
                circuit: { failures: 0, open: '500ms' }
                """,
                Restraint(
                    concurrency: 64, requestsPerHour: 1000, deadline: .seconds(120), retries: 0, maxRetryAfter: .zero,
                    circuit: Restraint.Circuit(failures: 0, open: .milliseconds(500)))
            ),
            ("requestsPerHour: null, circuit: { failures: 3 }", Restraint(circuit: Restraint.Circuit(failures: 3))),
        ])
    func restraint(keys: String, expected: Restraint) throws {
        let text = "{ instances: { a: { url: 'https://a.example', \(keys) } } }"
        #expect(try ConfigurationTests.read(text, [:]).instances.first?.instance.restraint == expected)
    }

    @Test(
        "Proxies",
        arguments: [
            ("{ url: 'https://a.example' }", ProxyConfiguration.environment),
            ("{ url: 'https://a.example', proxy: 'environment' }", .environment),
            ("{ url: 'https://a.example', proxy: null }", .direct),
            ("{ url: 'https://a.example', proxy: 'http://proxy.example:3128' }", .url("http://proxy.example:3128")),
        ])
    func proxies(instance: String, expected: ProxyConfiguration) throws {
        #expect(
            try ConfigurationTests.read("{ instances: { a: \(instance) } }", [:]).instances.first?.proxy == expected)
    }

    @Test(
        "A password file loses one line break at its end and nothing else",
        arguments: [
            ("pw", "pw"), ("pw\n", "pw"), ("pw\r\n", "pw"), ("pw\n\n", "pw\n"), (" pw \n", " pw "), ("pw\r", "pw\r"),
        ])
    func passwordFile(content: String, expected: String) throws {
        let folder = try TemporaryFolder()
        let file = try folder.write(content, to: "password")
        let configuration = try Configuration(
            from: ConfigurationSource(environment: [
                "PAGINATORD_INSTANCE_URL": "https://a.example", "PAGINATORD_INSTANCE_USERNAME": "u",
                "PAGINATORD_INSTANCE_PASSWORD_FILE": file,
            ]))
        #expect(
            configuration.instances.first?.instance.credentials == .basic(username: "u", password: Secret(expected)))
    }

    @Test("The short forms override the file's default instance piece by piece, and leave the others alone")
    func overrides() throws {
        let text = """
            { instances: {
              default: { url: "https://file.example", timeout: 9,
                auth: { type: "basic", username: "file", password: { env: "FILE_PASSWORD" } } },
              other: { url: "https://other.example" } } }
            """
        func instance(_ environment: [String: String]) throws -> Instance? {
            let configuration = try ConfigurationTests.read(text, environment)
            #expect(configuration.instances.last?.instance.url.description == "https://other.example")
            #expect(configuration.instances.first?.instance.timeout == .seconds(9))
            return configuration.instances.first?.instance
        }
        let fromFile = try instance(["FILE_PASSWORD": "1"])
        #expect(fromFile?.url.description == "https://file.example")
        #expect(fromFile?.credentials == .basic(username: "file", password: Secret("1")))
        let url = try instance(["FILE_PASSWORD": "1", "PAGINATORD_INSTANCE_URL": "https://e.example"])
        #expect(url?.url.description == "https://e.example")
        #expect(url?.credentials == .basic(username: "file", password: Secret("1")))
        let username = try instance(["FILE_PASSWORD": "1", "PAGINATORD_INSTANCE_USERNAME": "e"])
        #expect(username?.credentials == .basic(username: "e", password: Secret("1")))
        // The file's own secret is not looked for where it is overridden.
        let password = try instance(["PAGINATORD_INSTANCE_PASSWORD": "2"])
        #expect(password?.credentials == .basic(username: "file", password: Secret("2")))
    }

    @Test(
        "Short forms that do not fit together are named",
        arguments: [
            (
                ["USERNAME": "u", "PASSWORD": "p"],
                "PAGINATORD_INSTANCE_URL: not set, though PAGINATORD_INSTANCE_USERNAME is"
            ),
            (["PASSWORD": "p"], "PAGINATORD_INSTANCE_URL: not set, though PAGINATORD_INSTANCE_PASSWORD is"),
            (
                ["URL": "https://a.example", "USERNAME": "u"],
                "PAGINATORD_INSTANCE_PASSWORD: not set, though PAGINATORD_INSTANCE_USERNAME is"
            ),
            (
                ["URL": "https://a.example", "PASSWORD": "p"],
                "PAGINATORD_INSTANCE_USERNAME: not set, though PAGINATORD_INSTANCE_PASSWORD is"
            ),
            (
                ["URL": "https://a.example", "USERNAME": "u", "PASSWORD": "p", "PASSWORD_FILE": "/gone"],
                "PAGINATORD_INSTANCE_PASSWORD_FILE: set beside PAGINATORD_INSTANCE_PASSWORD; one of them is enough"
            ),
            (
                ["URL": "https://a.example", "USERNAME": "u", "PASSWORD_FILE": "/gone"],
                "PAGINATORD_INSTANCE_PASSWORD_FILE: /gone cannot be read: No such file or directory"
            ),
            (
                ["URL": "https://a.example", "USERNAME": "a:b", "PASSWORD": "p"],
                "instances.default.auth.username: the user name must have no colon and no control characters"
            ),
        ])
    func wrongVariables(variables: [String: String], expected: String) {
        let environment = variables.map { ("PAGINATORD_INSTANCE_" + $0.key, $0.value) }
        let problems = ConfigurationTests.problems(nil, Dictionary(uniqueKeysWithValues: environment))
        #expect(problems == [expected])
        #expect(!problems.joined().contains("hunter2"))
    }

    @Test("Without an instance, what to set is said")
    func noInstance() {
        for text in [nil, "{}", "{ instances: {} }", "{ instances: null }"] {
            let problems = ConfigurationTests.problems(text, [:])
            #expect(problems.count == 1)
            #expect(
                problems.first?.hasPrefix("instances: no instance is configured; set PAGINATORD_INSTANCE_URL") == true)
            #expect(problems.first?.contains("--demo") == true)
        }
    }

    @Test("--demo needs no instance, allows others, and stands in the place of the default")
    func demo() throws {
        #expect(try ConfigurationTests.read(nil, [:], isDemo: true).instances.isEmpty)
        let other = "{ instances: { other: { url: 'https://a.example' } } }"
        #expect(try ConfigurationTests.read(other, [:], isDemo: true).instances.map(\.instance.name) == ["other"])
        let reason = "--demo defines the instance default itself; leave out one of the two"
        #expect(
            ConfigurationTests.problems(
                "{ instances: { default: { url: 'https://a.example' } } }", [:], isDemo: true)
                == ["instances.default: \(reason)"])
        #expect(ConfigurationTests.problems(nil, isDemo: true) == ["PAGINATORD_INSTANCE_URL: \(reason)"])
    }

    @Test("No way to print a configuration shows a secret")
    func secrets() throws {
        let identity = try Identity()
        var environment = ConfigurationTests.url
        environment["PAGINATORD_INSTANCE_USERNAME"] = "u"
        environment["PAGINATORD_INSTANCE_PASSWORD"] = "hunter2"
        let configuration = try ConfigurationTests.read(
            "{ tls: { certificate: 'c', key: 'k' } }", environment,
            files: ["c": identity.certificate, "k": identity.key + "hunter2"])
        var dumped = ""
        dump(configuration, to: &dumped)
        for text in [
            "\(configuration)", String(reflecting: configuration), dumped, "\(Mirror(reflecting: configuration))",
        ] {
            #expect(!text.contains("hunter2"))
        }
        #expect("\(configuration)".contains("<redacted>"))
    }
}
