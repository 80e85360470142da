import Foundation
import TableAPI
import Testing

@testable import paginatord

struct ExampleConfigurationTests {
    private static let file = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("config/paginatord.json5").path

    @Test("The example is accepted as it stands, and says what the defaults are")
    func example() throws {
        let example = try Configuration(from: ConfigurationSource(file: Self.file, environment: [:]))
        var environment = ["PAGINATORD_INSTANCE_URL": "https://example.service-now.com"]
        environment["PAGINATORD_LISTEN"] = "127.0.0.1:8080,[::1]:8080"
        let defaults = try Configuration(from: ConfigurationSource(environment: environment))
        #expect("\(example)" == "\(defaults)")
    }

    @Test("The example with sessions in a file is accepted, and has them in the data directory")
    func sessionsInFile() throws {
        let file = Self.file.replacing("paginatord.json5", with: "sqlite.json5")
        let configuration = try Configuration(
            from: ConfigurationSource(file: file, environment: ["SN_PASSWORD": "x"], dataDirectory: "/data"))
        #expect(try configuration.sessionStorage(isDemo: false) == .file(path: "/data/sessions.db"))
        #expect(configuration.sessions.replayPageBytes == 256 << 10)
    }

    @Test("The example with sessions in Redis is accepted, and takes the password from a variable")
    func sessionsInRedis() throws {
        let file = Self.file.replacing("paginatord.json5", with: "redis.json5")
        let configuration = try Configuration(
            from: ConfigurationSource(
                file: file,
                environment: ["SN_PASSWORD": "x", "REDIS_PASSWORD": "y", "ACCESS_TOKEN": "0123456789abcdef"]))
        let location = try RedisLocation("redis://redis:6379/0")
        #expect(try configuration.sessionStorage(isDemo: false) == .redis(location))
        #expect(configuration.sessions.redisPassword == Secret("y"))
    }

    @Test("The configuration of the image’s demo lets it listen to everybody")
    func demo() throws {
        let file = Self.file.replacing("paginatord.json5", with: "demo.json5")
        let source = ConfigurationSource(file: file, environment: ["PAGINATORD_LISTEN": ":8080"], isDemo: true)
        #expect(throws: Never.self) { try Configuration(from: source) }
    }

    @Test("The example is accepted with everything in it put into force, and has every key there is")
    func wholeExample() throws {
        let folder = try TemporaryFolder()
        let text = try String(contentsOfFile: Self.file, encoding: .utf8).replacing("//: ", with: "")
        let file = try folder.write(text, to: "paginatord.json5")
        let identity = try Identity()
        try folder.write(identity.certificate, to: "certificate.pem")
        try folder.write("-----BEGIN CERTIFICATE-----", to: "authority.pem")
        try folder.write(identity.key, to: "key.pem")
        try folder.write("y", to: "client-secret")
        try folder.write("nightly-0123456789abcdef", to: "nightly-token")
        let environment = ["SN_PASSWORD": "x", "REDIS_PASSWORD": "y", "DASHBOARD_TOKEN": "0123456789abcdef"]
        let (configuration, reading) = try Configuration.read(
            from: ConfigurationSource(file: file, environment: environment))
        // The two ways in which callers can be told apart exclude each other.
        #expect(reading.problems.map(\.path) == ["access.tokens.dashboard"])
        #expect(reading.problems.allSatisfy { $0.detail.contains("instances.personal.auth") })
        #expect(configuration.access.tokens.map(\.name) == ["dashboard", "nightly"])
        let credentials = Dictionary(
            uniqueKeysWithValues: configuration.instances.map { ($0.instance.name, $0.instance.credentials) })
        let password = Secret("x")
        #expect(
            credentials == [
                "default": .none, "test": .basic(username: "reader", password: password), "token": .bearer(password),
                "granted": .oauth(
                    OAuthClient(
                        id: "0123456789abcdef", secret: Secret("y"),
                        grant: .password(username: "reader", password: password))),
                "key": .apiKey(password), "personal": .forward,
                "certified": .certificate(
                    certificateFile: folder.path + "/certificate.pem", keyFile: folder.path + "/key.pem"),
            ])
        #expect(configuration.tls != nil)
        #expect(configuration.adminListeners == Listener.parse("127.0.0.1:9090"))
        #expect(configuration.sessions.redisPassword == Secret("y"))
        for key in reading.knownKeys {
            let name = key.split(separator: ".").last ?? ""
            #expect(key.hasSuffix("*") || text.contains("\(name): "), "\(key)")
        }
    }
}
