import Foundation
import Testing

/// A crowd of subscribers to one session.
@Suite(.timeLimit(.minutes(6)))
struct SubscriberTests {
    private static let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().appendingPathComponent("Subscribers/crowd.py")

    @Test(
        "1,000 subscribers of 100 moves get every page in order; those who do not read are cut alone, in bounded memory"
    )
    func crowd() async throws {
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("paginatord-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let socket = folder.appendingPathComponent("socket").path
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
        #expect(try #require(seen["growth"] as? Int) < 128 << 20, "\(crowd.said)")
        #expect(service.standardError.isEmpty, "\(service.standardError.prefix(2000))")
        #expect(try await service.stop() == 0)
    }
}
