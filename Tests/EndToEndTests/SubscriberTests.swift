import Foundation
import PaginatordTesting
import Testing

/// A crowd of subscribers to one session.
@Suite(.timeLimit(.minutes(10)))
struct SubscriberTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Subscribers/crowd.py")

    @Test("A subscriber who never reads is cut by the service, and its session may expire again")
    func neverReads() async throws {
        let service = try RunningProgram(["serve", "--demo", "--listen", "127.0.0.1:0", "--log-level", "info"])
        let caller = try Caller(await service.listeningURL())
        let session = try await caller.open(
            #"{"table":"incident","itemsPerPage":1000,"readAhead":0,"idleTimeout":20}"#)
        let peer = try RawConnection(port: await service.listeningPort(), receiveBuffer: 4096)
        try await peer.send("GET \(session)/events HTTP/1.1\r\nHost: localhost\r\n\r\n")
        for _ in 0..<8 { #expect(try await caller.call("POST", "\(session)/next").status == 200) }
        // Sooner than the server gives up a peer that takes nothing.
        try await eventually("it is cut") {
            service.standardError.contains(#""route":"/sessions/{id}/events","status":200"#)
        }
        try await eventually("the session has expired") {
            (try await caller.call("GET", "/sessions")["sessions", as: [Any].self])?.isEmpty == true
        }
        await peer.close()
        await caller.close()
        #expect(try await service.stop() == 0)
    }

    /// Whether a program may have as many sockets as the crowd needs.
    private static var hasDescriptors: Bool {
        var limit = rlimit()
        return getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 && limit.rlim_max >= 2048
    }

    @Test(
        "1,000 subscribers of 100 moves get every page in order; those who do not read are cut alone, in bounded memory",
        .enabled(if: hasDescriptors, "it needs 2,048 open files (ulimit -Hn)"))
    func crowd() async throws {
        let folder = try OwnFolder()
        let socket = folder.path("socket")
        let service = try RunningProgram(["serve", "--demo", "--listen", "unix:\(socket)", "--log-level", "warning"])
        _ = try await service.listeningURL()
        let crowd = try await OtherProgram.run(
            URL(fileURLWithPath: "/usr/bin/env"),
            ["python3", Self.script.path, socket, String(service.identifier), "990", "10", "100"])
        try #require(crowd.status == 0, "\(crowd.said)")
        let seen = try #require(
            try JSONSerialization.jsonObject(with: Data(crowd.said.utf8)) as? [String: Any], "\(crowd.said)")
        #expect(seen["events"] as? [Int] == [100])
        // A subscriber who does not read has more waiting than it may have, so each of them is cut.
        #expect(try #require(seen["bytesEach"] as? Int) > 3 << 19)
        #expect(seen["cut"] as? Int == 10)
        // A sanitizer keeps freed memory for a while (the address sanitizer 256 MiB of it) and more beside what is in use.
        let isSanitized = ProcessInfo.processInfo.environment.keys.contains {
            $0 == "ASAN_OPTIONS" || $0 == "TSAN_OPTIONS"
        }
        #expect(try #require(seen["growth"] as? Int) < (isSanitized ? 512 : 128) << 20, "\(crowd.said)")
        #expect(service.standardError.isEmpty, "\(service.standardError.prefix(2000))")
        #expect(try await service.stop() == 0)
    }
}
