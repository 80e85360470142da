@testable import TableAPI
import Testing

@testable import paginatord

struct CredentialsConfigurationTests {
    private static let files = [
        "empty": "\n", "secret": "hunter2\n", "c.pem": "-----BEGIN CERTIFICATE-----",
        "k.pem": "-----BEGIN PRIVATE KEY-----hunter2", "lines": "hunter2\nhunter2",
    ]
    private static let secretExpected = #"not set; expected { env: "NAME" } or { file: "PATH" }"#

    private static func text(_ auth: String) -> String {
        "{ instances: { default: { url: 'https://a.example', auth: \(auth) } } }"
    }

    private static func credentials(
        _ auth: String, _ variables: [String: String] = [:]
    ) throws -> Credentials? {
        try ConfigurationTests.read(text(auth), environment(variables), files: files).instances.first?.instance
            .credentials
    }

    private static func environment(_ variables: [String: String]) -> [String: String] {
        var environment = ["SET": "hunter2"]
        for (name, value) in variables { environment["PAGINATORD_INSTANCE_" + name] = value }
        return environment
    }

    @Test(
        "Each kind of credentials is taken, its secret from a variable or a file",
        arguments: [
            ("{ type: 'none' }", .none), ("{ type: 'forward' }", .forward),
            (
                "{ type: 'basic', username: 'u', password: { env: 'SET' } }",
                .basic(username: "u", password: Secret("hunter2"))
            ),
            ("{ type: 'bearer', token: { env: 'SET' } }", .bearer(Secret("hunter2"))),
            ("{ type: 'bearer', token: { file: 'secret' } }", .bearer(Secret("hunter2"))),
            ("{ type: 'apiKey', key: { file: 'secret' } }", .apiKey(Secret("hunter2"))),
            (
                """
                { type: 'oauth', grant: 'client_credentials', clientID: 'c', clientSecret: { file: 'secret' } }
                """, .oauth(OAuthClient(id: "c", secret: Secret("hunter2"), grant: .clientCredentials))
            ),
            (
                """
                { type: 'oauth', grant: 'password', clientID: 'c', clientSecret: { env: 'SET' }, username: 'u',
                  password: { file: 'secret' } }
                """,
                .oauth(
                    OAuthClient(
                        id: "c", secret: Secret("hunter2"),
                        grant: .password(username: "u", password: Secret("hunter2"))))
            ),
        ] as [(String, Credentials)])
    func kinds(auth: String, expected: Credentials) throws {
        #expect(try Self.credentials(auth) == expected)
    }

    @Test("A client certificate is taken by its files, and presented")
    func certificate() throws {
        let configuration = try ConfigurationTests.read(
            Self.text("{ type: 'certificate', certificate: 'c.pem', key: 'k.pem' }"), [:], files: Self.files)
        let instance = try #require(configuration.instances.first)
        guard case .certificate(let certificate, let key) = instance.instance.credentials else {
            Issue.record("no certificate")
            return
        }
        #expect(certificate.hasSuffix("/c.pem") && key.hasSuffix("/k.pem"))
        #expect(!"\(configuration)".contains("hunter2"))
    }

    @Test(
        "What is wrong with credentials is named with its path, and no secret with it",
        arguments: [
            (
                "{}",
                [
                    #"type: not set; expected one of "none", "basic", "bearer", "apiKey", "oauth", "certificate", "forward""#
                ]
            ),
            (
                "{ type: 'digest' }",
                [
                    #"type: expected one of "none", "basic", "bearer", "apiKey", "oauth", "certificate", "forward" but found "#
                        + #""digest""#
                ]
            ),
            (
                "{ type: 'forward', username: 'u', token: { env: 'SET' } }",
                ["token: unknown key", "username: unknown key"]
            ),
            ("{ type: 'none', username: 'u' }", ["username: unknown key"]),
            ("{ type: 'basic' }", ["username: not set", "password: " + secretExpected]),
            ("{ type: 'basic', password: { env: 'SET' } }", ["username: not set"]),
            (
                "{ type: 'basic', username: 'u', password: 'hunter2' }",
                [
                    #"password: expected { env: "NAME" } or { file: "PATH" }; a secret does not stand in the "#
                        + "configuration itself"
                ]
            ),
            (
                "{ type: 'basic', username: 'u', password: { env: 'A', file: 'B' } }",
                [#"password: expected { env: "NAME" } or { file: "PATH" }"#]
            ),
            (
                "{ type: 'basic', username: 'u', password: { evn: 'A' } }",
                [#"password: expected { env: "NAME" } or { file: "PATH" } but found the key evn"#]
            ),
            (
                "{ type: 'basic', username: 'u', password: { env: 'UNSET' } }",
                ["password: the environment variable UNSET is not set"]
            ),
            (
                "{ type: 'basic', username: 'u', password: { file: 'gone' } }",
                ["password: gone cannot be read: No such file or directory"]
            ),
            ("{ type: 'basic', username: 'u', password: { file: 'empty' } }", ["password: empty is empty"]),
            ("{ type: 'bearer' }", ["token: " + secretExpected]),
            ("{ type: 'bearer', token: { env: 'SET' }, username: 'u' }", ["username: unknown key"]),
            (
                "{ type: 'bearer', token: { file: 'lines' } }",
                [": the secret must be ASCII without line breaks and control characters"]
            ),
            ("{ type: 'apiKey', token: { env: 'SET' } }", ["key: " + secretExpected, "token: unknown key"]),
            (
                "{ type: 'oauth' }",
                [
                    #"grant: not set; expected one of "client_credentials", "password""#, "clientID: not set",
                    "clientSecret: " + secretExpected,
                ]
            ),
            (
                "{ type: 'oauth', grant: 'implicit', clientID: 'c', clientSecret: { env: 'SET' } }",
                [#"grant: expected one of "client_credentials", "password" but found "implicit""#]
            ),
            (
                "{ type: 'oauth', grant: 'password', clientID: 'c', clientSecret: { env: 'SET' } }",
                ["username: not set", "password: " + secretExpected]
            ),
            (
                "{ type: 'oauth', grant: 'client_credentials', clientID: 'c', clientSecret: { env: 'SET' }, username: 'u' }",
                ["username: unknown key"]
            ),
            (
                "{ type: 'certificate' }",
                [
                    "certificate: not set; expected the path of a PEM file",
                    "key: not set; expected the path of a PEM file",
                ]
            ),
            (
                "{ type: 'certificate', certificate: 'gone', key: 'c.pem' }",
                [
                    "certificate: gone cannot be read: No such file or directory",
                    "key: c.pem is no PEM file with a private key",
                ]
            ),
        ])
    func problems(auth: String, expected: [String]) {
        let problems = ConfigurationTests.problems(Self.text(auth), Self.environment([:]), files: Self.files)
        #expect(problems == expected.map { "instances.default.auth" + ($0.hasPrefix(":") ? "" : ".") + $0 })
        #expect(!problems.joined().contains("hunter2"))
    }

    @Test(
        "A token from a variable overrides whatever the file says, whose secrets need not be there then",
        arguments: [
            "null", "{ type: 'none' }", "{ type: 'basic', username: 'u', password: { env: 'UNSET' } }",
            "{ type: 'bearer', token: { file: 'gone' } }", "{ type: 'apiKey', key: { env: 'UNSET' } }",
            "{ type: 'oauth', grant: 'client_credentials', clientID: 'c', clientSecret: { env: 'UNSET' } }",
            "{ type: 'certificate', certificate: 'gone', key: 'gone' }",
        ])
    func bearer(auth: String) throws {
        #expect(try Self.credentials(auth, ["BEARER": "t"]) == .bearer(Secret("t")))
        let folder = try TemporaryFolder()
        let file = try folder.write("u\n", to: "token")
        #expect(try Self.credentials(auth, ["BEARER_FILE": file]) == .bearer(Secret("u")))
    }

    @Test(
        "Where callers log in themselves, variables that would log all of them in are refused",
        arguments: ["USERNAME", "PASSWORD", "BEARER"])
    func besideForward(variable: String) {
        let problems = ConfigurationTests.problems(
            Self.text("{ type: 'forward' }"), Self.environment([variable: "hunter2"]))
        #expect(
            problems == [
                #"PAGINATORD_INSTANCE_\#(variable): set beside auth.type "forward", which excludes it"#
            ])
    }

    @Test("A token from a variable makes an instance without a file")
    func bearerAlone() throws {
        let environment = Self.environment(["URL": "https://a.example", "BEARER": "t"])
        #expect(
            try ConfigurationTests.read(nil, environment).instances.first?.instance.credentials == .bearer(Secret("t")))
    }

    @Test(
        "Variables that do not fit together are named",
        arguments: [
            (["BEARER": "hunter2"], "PAGINATORD_INSTANCE_URL: not set, though PAGINATORD_INSTANCE_BEARER is"),
            (
                ["URL": "https://a.example", "BEARER": "hunter2", "BEARER_FILE": "/gone"],
                "PAGINATORD_INSTANCE_BEARER_FILE: set beside PAGINATORD_INSTANCE_BEARER; one of them is enough"
            ),
            (
                ["URL": "https://a.example", "BEARER_FILE": "/gone"],
                "PAGINATORD_INSTANCE_BEARER_FILE: /gone cannot be read: No such file or directory"
            ),
            (
                ["URL": "https://a.example", "BEARER": "hunter2", "USERNAME": "u"],
                "PAGINATORD_INSTANCE_BEARER: set beside PAGINATORD_INSTANCE_USERNAME; one kind of credentials is enough"
            ),
            (
                ["URL": "https://a.example", "BEARER": "hunter2", "PASSWORD": "hunter2"],
                "PAGINATORD_INSTANCE_BEARER: set beside PAGINATORD_INSTANCE_PASSWORD; one kind of credentials is enough"
            ),
            (
                ["URL": "https://a.example", "BEARER": "hunter2\nhunter2"],
                "instances.default.auth: the secret must be ASCII without line breaks and control characters"
            ),
        ])
    func wrongVariables(variables: [String: String], expected: String) {
        #expect(ConfigurationTests.problems(nil, Self.environment(variables)) == [expected])
    }

    @Test("A secret file that is replaced is read again once it is refused")
    func rotation() throws {
        let folder = try TemporaryFolder()
        let file = try folder.write("one\n", to: "secret")
        let environment = Self.environment(["URL": "https://a.example", "BEARER_FILE": file])
        let configuration = try ConfigurationTests.read(nil, environment)
        guard case .bearer(let secret)? = configuration.instances.first?.instance.credentials else {
            Issue.record("no token")
            return
        }
        #expect(secret.revealed == "one")
        try folder.write("two\n", to: "secret")
        secret.readAgain()
        #expect(secret.revealed == "two")
        // What cannot be read leaves the last one standing.
        try folder.write("\n", to: "secret")
        secret.readAgain()
        #expect(secret.revealed == "two")
    }
}
