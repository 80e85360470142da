import Foundation
import HTTPModel
import PaginatordTesting
import Testing

/// A walk through everything that an instance does wrong at once, by a client that repeats whatever failed.
@Suite(.timeLimit(.minutes(10)))
struct FaultyWalkTests {
    /// Hidden rows first, so that an instance with this fault alone hides the same ones.
    private static let hiding = ["--fault", "hide:ratio=0.2"]
    private static let faults =
        hiding + [
            "--fault", "rate-limit:every=10,retry-after=1", "--fault", "truncate:every=7", "--fault",
            "status:502,ratio=0.05",
        ]
    private static let oauth = [
        "--username", "reader", "--password-env", "INSTANCE_PASSWORD", "--oauth-client", "app", "--oauth-secret-env",
        "INSTANCE_SECRET", "--token-lifetime", "2s",
    ]
    private static let secrets = ["INSTANCE_PASSWORD": "hunter2", "INSTANCE_SECRET": "hunter3"]

    @Test("Every visible one of 10,000 records comes exactly once and in order, whatever the instance does")
    func walk() async throws {
        let visible = try await DemoRecords.incidents("ORDERBYDESCnumber", arguments: Self.hiding)
        #expect((7_500..<8_500).contains(visible.count))
        let instance = try RunningProgram(
            ["demo-instance", "--listen", "127.0.0.1:0"] + Self.faults + Self.oauth, environment: Self.secrets)
        let folder = try OwnFolder()
        let configuration = folder.path("c.json5")
        let text = """
            { instances: { default: { url: "\(try await instance.listeningURL())", auth: {
              type: "oauth", grant: "password", clientID: "app", clientSecret: { env: "INSTANCE_SECRET" },
              username: "reader", password: { env: "INSTANCE_PASSWORD" } } } } }
            """
        try text.write(toFile: configuration, atomically: true, encoding: .utf8)
        let service = try RunningProgram(
            ["serve", "--config", configuration, "--listen", "127.0.0.1:0", "--log-level", "error"],
            environment: Self.secrets)
        let caller = try Caller(await service.listeningURL())

        let session = try await caller.open(
            #"{"table":"incident","query":"ORDERBYDESCnumber","fields":["sys_id"],"itemsPerPage":100}"#)
        var delivered: [String] = []
        var repeats = 0
        var target: String? = session + "/next?after=0"
        while let move = target {
            let answer = try await caller.call("POST", move)
            guard answer.status == 200 else {
                // What a failed move says is true: it can simply be made again, at the latest after as long as it names.
                try #require([429, 502, 503, 504].contains(answer.status), "\(answer.members)")
                repeats += 1
                try #require(repeats < 200)
                if let seconds = answer.headers["Retry-After"].flatMap(Int.init) {
                    try await Task.sleep(for: .seconds(min(seconds, 5)))
                }
                continue
            }
            #expect(answer["totalItems"] == 10_000)
            delivered += answer.keys
            target = answer["hasNext"] == true ? answer.link("next") : nil
        }
        #expect(delivered == visible)

        await caller.close()
        #expect(try await service.stop() == 0)
        #expect(try await instance.stop() == 0)
    }
}
