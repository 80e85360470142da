import Foundation
@testable import Gateway
import HTTPModel
import Observability
import Synchronization
import TableAPI
import Testing

@testable import paginatord

struct AccessConfigurationTests {
    private static let token = "0123456789abcdef"
    private static let files = ["t": "file-0123456789abcdef\n", "short": "0123456789abcde\n", "empty": "\n"]
    private static let environment = ConfigurationTests.url.merging(
        ["A": token, "B": "b" + token, "SHORT": "0123456789abcde", "SPACED": "0123456789 abcdef"]) { $1 }

    private static func access(
        _ text: String, _ variables: [String: String] = [:]
    ) throws -> AccessConfiguration {
        try ConfigurationTests.read(text, environment.merging(variables) { $1 }, files: files).access
    }

    private static func problems(_ text: String?, _ variables: [String: String] = [:]) -> [String] {
        ConfigurationTests.problems(text, environment.merging(variables) { $1 }, files: files)
    }

    @Test("Without settings nobody needs a token, on this machine only")
    func defaults() throws {
        let configuration = try ConfigurationTests.read()
        #expect(configuration.access.tokens.isEmpty && configuration.access.hosts == [])
        #expect(configuration.access.origins == [] && !configuration.access.allowAnonymous)
        #expect(configuration.isForThisMachineOnly)
        #expect(configuration.limits.requestsPerToken == 256 && configuration.sessions.maxPerOwner == 1000)
    }

    @Test("Everything is taken from the file")
    func file() throws {
        let access = try Self.access(
            """
            { access: { tokens: { dashboard: { env: 'A' }, nightly: { file: 't' } }, hosts: ['Pages.Example.', 'b_c'],
              origins: ['https://app.example', 'HTTPS://B.example:443'], allowAnonymous: true } }
            """)
        #expect(access.tokens.map(\.name) == ["dashboard", "nightly"])
        #expect(access.tokens.map(\.secret.revealed) == [Self.token, "file-" + Self.token])
        #expect(access.tokens.map(\.setting) == ["access.tokens.dashboard", "access.tokens.nightly"])
        #expect(access.hosts == ["pages.example", "b_c"])
        #expect(access.origins.map(\.description) == ["https://app.example", "https://b.example"])
        #expect(access.allowAnonymous && !access.table().isEmpty)
    }

    @Test("Variables win over the file, and set the token default")
    func variables() throws {
        let text = """
            { access: { tokens: { default: { env: 'NOWHERE' }, other: { env: 'A' } }, hosts: ['a.example'], origins: [] } }
            """
        let access = try Self.access(
            text,
            [
                "PAGINATORD_ACCESS_TOKEN": "v" + Self.token, "PAGINATORD_ACCESS_HOSTS": "b.example, c.example",
                "PAGINATORD_ACCESS_ORIGINS": "https://b.example", "PAGINATORD_ACCESS_ALLOW_ANONYMOUS": "true",
            ])
        #expect(access.tokens.map(\.name) == ["other", "default"])
        #expect(access.tokens.map(\.secret.revealed) == [Self.token, "v" + Self.token])
        #expect(access.hosts == ["b.example", "c.example"])
        #expect(access.origins.map(\.description) == ["https://b.example"] && access.allowAnonymous)
        #expect(Self.problems(text) == ["access.tokens.default: the environment variable NOWHERE is not set"])
        let folder = try TemporaryFolder()
        let file = try folder.write("file-\(Self.token)\r\n", to: "t")
        let fromFile = try ConfigurationTests.read(
            nil, Self.environment.merging(["PAGINATORD_ACCESS_TOKEN_FILE": file]) { $1 })
        #expect(fromFile.access.tokens.map(\.secret.revealed) == ["file-" + Self.token])
        #expect(fromFile.warnings == [] && !fromFile.isForThisMachineOnly)
    }

    @Test(
        "What is wrong is named, with what would be right, and without the secret",
        arguments: [
            (
                "tokens: { a: { env: 'SHORT' } }",
                "access.tokens.a: the token is shorter than 16 bytes; take one such as openssl rand -hex 32 makes"
            ),
            (
                "tokens: { a: { file: 'short' } }",
                "access.tokens.a: the token is shorter than 16 bytes; take one such as openssl rand -hex 32 makes"
            ),
            ("tokens: { a: { file: 'empty' } }", "access.tokens.a: empty is empty"),
            ("tokens: { a: { file: 'none' } }", "access.tokens.a: none cannot be read: No such file or directory"),
            (
                "tokens: { a: { env: 'SPACED' } }",
                "access.tokens.a: the token has to be visible ASCII characters, without spaces and line breaks between them"
            ),
            (
                "tokens: { a: { env: 'A' }, b: { env: 'A' } }",
                "access.tokens.b: the token is also that of a; each name needs a token of its own"
            ),
            (
                "tokens: { a: '0123456789abcdef' }",
                #"access.tokens.a: expected { env: "NAME" } or { file: "PATH" }; a secret does not stand in the configuration itself"#
            ),
            ("tokens: ['0123456789abcdef']", "access.tokens: expected an object but found an array"),
            ("tokens: '0123456789abcdef'", "access.tokens: expected an object but found a string"),
            (
                "tokens: { '_a': { env: 'A' } }",
                "access.tokens._a: expected a name of 1 to 64 letters, digits, -, _ and ., no mark in front"
            ),
            ("token: { env: 'A' }", "access.token: unknown key; did you mean tokens?"),
            ("hosts: 'a.example'", #"access.hosts: expected a list of host names but found "a.example""#),
            ("hosts: ['']", #"access.hosts: expected a list of host names but found [""]"#),
            (
                "hosts: ['a.example:8080']",
                #"access.hosts: "a.example:8080" has a port, which does not matter here; expected "a.example""#
            ),
            (
                "hosts: ['*.example']",
                #"access.hosts: expected a host name such as "pages.internal.example" but found "*.example""#
            ),
            (
                "hosts: ['https://a.example']",
                #"access.hosts: expected a host name such as "pages.internal.example" but found "https://a.example""#
            ),
            (
                "origins: ['https://app.example/x']",
                #"access.origins: "https://app.example/x" has a path; expected "https://app.example""#
            ),
            (
                "origins: ['https://app.example/']",
                #"access.origins: "https://app.example/" has a path; expected "https://app.example""#
            ),
            (
                "origins: ['app.example']",
                #"access.origins: expected an origin such as "https://app.example" but found "app.example""#
            ),
            (
                "origins: ['null']",
                #"access.origins: "null" would let any page in; expected the origin of each page that may call"#
            ),
            (
                "origins: ['*']",
                #"access.origins: "*" would let any page in; expected the origin of each page that may call"#
            ),
            (
                "origins: ['https://u:p@app.example']",
                #"access.origins: expected an origin such as "https://app.example" but found a URL with credentials"#
            ),
            ("origins: [5]", "access.origins: expected a list of origins but found [5]"),
            ("allowAnonymous: 'yes'", #"access.allowAnonymous: expected true or false but found "yes""#),
        ])
    func wrong(text: String, expected: String) {
        let problems = Self.problems("{ access: { \(text) } }")
        #expect(problems == [expected])
        #expect(!problems.joined().contains("0123456789"))
    }

    @Test("All that is wrong is named at once")
    func everything() {
        let problems = Self.problems(
            """
            { listen: ['0.0.0.0:1'], limits: { requestsPerToken: 0 }, sessions: { maxPerOwner: 0 },
              access: { tokens: { a: { env: 'SHORT' }, b: { env: 'NONE' } }, hosts: ['a:1', 'b:2'], origins: ['x', '*'] } }
            """)
        #expect(
            Set(problems.compactMap { $0.split(separator: ":").first }) == [
                "access.tokens.a", "access.tokens.b", "access.hosts", "access.origins", "limits.requestsPerToken",
                "sessions.maxPerOwner",
            ])
        #expect(problems.count == 8)
    }

    @Test("Both variables for a token are one too many")
    func twoVariables() {
        let problems = Self.problems(
            nil, ["PAGINATORD_ACCESS_TOKEN": Self.token, "PAGINATORD_ACCESS_TOKEN_FILE": "/nowhere"])
        #expect(
            problems == ["PAGINATORD_ACCESS_TOKEN_FILE: set beside PAGINATORD_ACCESS_TOKEN; one of them is enough"])
        let short = Self.problems(nil, ["PAGINATORD_ACCESS_TOKEN": "short", "PAGINATORD_LISTEN": ":1"])
        #expect(short.count == 1 && short[0].hasPrefix("PAGINATORD_ACCESS_TOKEN: the token is shorter"))
    }

    @Test("Tokens and callers’ own credentials exclude each other")
    func forward() {
        let text = """
            { access: { tokens: { a: { env: 'A' } } },
              instances: { own: { url: 'https://b.example', auth: { type: 'forward' } } } }
            """
        let expected =
            #"excluded by instances.own.auth of the type "forward", with which the Authorization header is the instance’s"#
        #expect(Self.problems(text) == ["access.tokens.a: " + expected])
        let variable = Self.problems(
            text.replacing("a: { env: 'A' }", with: ""), ["PAGINATORD_ACCESS_TOKEN": Self.token])
        #expect(variable == ["PAGINATORD_ACCESS_TOKEN: " + expected])
    }

    @Test(
        "Where others can reach the service, somebody has to say that they may",
        arguments: [
            (":8080", "0.0.0.0:8080"), ("0.0.0.0:0", "0.0.0.0:0"), ("[::]:8080", "[::]:8080"),
            ("192.168.1.9:80", "192.168.1.9:80"), ("[2001:db8::1]:80", "[2001:db8::1]:80"),
            ("[fe80::1%eth0]:80", "[fe80::1%eth0]:80"), ("[::ffff:10.0.0.1]:80", "[::ffff:10.0.0.1]:80"),
            ("128.0.0.1:80", "128.0.0.1:80"),
        ])
    func exposed(listener: String, address: String) throws {
        let expected =
            "listen: \(address) can be reached from other machines, and no token is asked for: set access.tokens, "
            + "PAGINATORD_ACCESS_TOKEN or PAGINATORD_ACCESS_TOKEN_FILE, or access.allowAnonymous: true if whoever reaches "
            + "it may use it"
        let variables = ["PAGINATORD_LISTEN": "127.0.0.1:1," + listener]
        #expect(Self.problems(nil, variables) == [expected])
        #expect(Self.problems("{ access: { allowAnonymous: true } }", variables) == [])
        #expect(Self.problems("{ access: { tokens: { a: { env: 'A' } } } }", variables) == [])
        // On the command line as well, with the demo as well; an export listens nowhere.
        let listeners = try #require(Listener.parse(listener))
        for isDemo in [false, true] {
            #expect(throws: ConfigurationFailure.self) {
                try ConfigurationTests.read(
                    nil, isDemo ? [:] : ConfigurationTests.url, isDemo: isDemo, listeners: listeners)
            }
        }
        let export = ConfigurationSource(
            environment: ConfigurationTests.url.merging(variables) { $1 }, isForService: false)
        #expect(throws: Never.self) { try Configuration(from: export) }
    }

    @Test("Callers’ own credentials are no tokens: that has to be allowed too")
    func exposedForward() {
        let text = """
            { listen: ['0.0.0.0:1'], access: { },
              instances: { own: { url: 'https://b.example', auth: { type: 'forward' } } } }
            """
        let problems = Self.problems(text)
        #expect(problems.count == 1 && problems[0].contains("access.allowAnonymous: true"))
        #expect(!problems[0].contains("set access.tokens"))
        #expect(Self.problems(text.replacing("access: { }", with: "access: { allowAnonymous: true }")) == [])
    }

    @Test(
        "What only this machine reaches needs no token; of a name and a descriptor the socket tells",
        arguments: [
            "127.0.0.1:1", "127.9.9.9:1", "[::1]:1", "[0:0::0:1]:1", "[::ffff:127.0.0.1]:1", "unix:/tmp/x", "fd:3",
            "localhost:1",
        ])
    func local(listener: String) {
        #expect(Self.problems(nil, ["PAGINATORD_LISTEN": listener]) == [])
    }

    @Test("Nothing secret is printed with the configuration")
    func printed() throws {
        let access = try Self.access("{ access: { tokens: { a: { env: 'A' }, b: { file: 't' } } } }")
        var dumped = "\(access) \(access.table())"
        dump(access, to: &dumped)
        dump(access.table(), to: &dumped)
        #expect(!dumped.contains("0123456789"))
    }

    @Test("Files are read again on demand; one that cannot be used leaves its token as it was, and says so")
    func renewed() throws {
        let folder = try TemporaryFolder()
        let events = Events()
        let texts = ["a": "a" + Self.token, "b": "b" + Self.token, "c": "c" + Self.token]
        for (name, text) in texts { try folder.write(text + "\n", to: name) }
        let list = texts.keys.sorted().map { "\($0): { file: '\(folder.path)/\($0)' }" }.joined(separator: ", ")
        let access = try Self.access("{ access: { tokens: { \(list), fixed: { env: 'A' } } } }")
        var table = access.table()

        func renew(_ changes: [String: String]) throws -> [String] {
            for (name, text) in changes { try folder.write(text, to: name) }
            events.list.withLock { $0 = [] }
            access.tokens.renew(&table, observer: events)
            return events.list.withLock { $0 }.map { event in
                switch event {
                case .settingRenewed(let setting): "\(setting) renewed"
                case .settingNotRenewed(let setting, let reason):
                    "\(setting) kept: \(reason.replacing(folder.path + "/", with: ""))"
                default: "?"
                }
            }
        }
        let all = ["a", "b", "c"].map { "access.tokens.\($0) renewed" }
        #expect(try renew([:]) == all)
        #expect(try renew(["b": "new" + Self.token]) == all)
        #expect(table.names(of: ["a" + Self.token, "b" + Self.token, "new" + Self.token]) == ["a", nil, "b"])
        // c gets what a had, in whichever order they are read.
        #expect(try Set(renew(["a": "fresh" + Self.token, "c": "a" + Self.token])) == Set(all))
        #expect(table.names(of: ["a" + Self.token, "fresh" + Self.token]) == ["c", "a"])
        #expect(try Set(renew(["a": "c" + Self.token, "c": "fresh" + Self.token])).count == 3)
        let before = table.names(of: ["c" + Self.token, "new" + Self.token, Self.token])
        #expect(
            try renew(["b": "short"]).first { $0.contains(".b ") }
                == "access.tokens.b kept: the token is shorter than 16 bytes; take one such as openssl rand -hex 32 makes"
        )
        #expect(try renew(["b": ""]).first { $0.contains(".b ") } == "access.tokens.b kept: b is empty")
        try FileManager.default.removeItem(atPath: folder.path + "/b")
        #expect(
            try renew([:]).first { $0.contains(".b ") }
                == "access.tokens.b kept: b cannot be read: No such file or directory")
        #expect(table.names(of: ["c" + Self.token, "new" + Self.token, Self.token]) == before)
        #expect(before[1] == "b" && before[2] == "fixed")
    }
}

private final class Events: Observer {
    let list = Mutex<[Event]>([])

    func observe(_ event: Event) {
        list.withLock { $0.append(event) }
    }
}

extension AccessTokens {
    /// Who is known by each of these.
    fileprivate func names(of tokens: [String]) -> [String?] {
        tokens.map { holder(of: ["Authorization": "Bearer " + $0])?.name }
    }
}
