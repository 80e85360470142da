import Foundation
import Glibc
import HTTPModel
import PaginatordTesting
import Testing

/// A service whose sessions' file cannot be used, or not for now.
@Suite(.timeLimit(.minutes(10)))
struct UnwritableStoreTests {
    private static let isRoot = getuid() == 0
    /// Rights do not bind root.
    private static let asNobody =
        isRoot ? ["/usr/bin/setpriv", "--reuid", "65534", "--regid", "65534", "--clear-groups"] : []

    /// Expects the service to live, to say that it is not ready, and to refuse what has to be written.
    private func expectUnavailable(_ service: DurableService, _ session: String) async throws {
        for (method, target, body) in [
            ("GET", "/readyz", ""), ("POST", "/sessions", #"{"table":"incident"}"#), ("POST", session + "/next", ""),
        ] {
            let answer = try await service.caller.call(method, target, body)
            #expect(answer.status == 503 && answer["type"] == "/problems/store-unavailable", "\(method) \(target)")
            #expect(answer.headers["Retry-After"].flatMap { Int($0) } ?? 0 >= 1)
            #expect(!String(decoding: answer.body, as: UTF8.self).contains(service.folder.path))
        }
        #expect(try await service.caller.call("GET", "/livez").status == 200)
    }

    @Test("With a file that may only be read it lives and refuses, and goes on by itself once the file may be written")
    func readOnly() async throws {
        let service = try await DurableService(incidents: 50, wrapper: Self.asNobody) { folder in
            if Self.isRoot { #expect(chown(folder.path, 65_534, 65_534) == 0) }
        }
        let session = try await service.caller.open(#"{"table":"incident","itemsPerPage":5}"#)
        let page = try await service.caller.call("POST", session + "/next?after=0")
        #expect(page.status == 200)
        #expect(try await service.program.stop() == 0)
        #expect(chmod(service.file.path, 0o400) == 0 && chmod(service.folder.path, 0o500) == 0)
        try await service.start()
        try await expectUnavailable(service, session)
        try await eventually("the log says so") { !service.told.isEmpty }
        #expect(service.told == ["store-unavailable"])
        #expect(chmod(service.folder.path, 0o700) == 0 && chmod(service.file.path, 0o600) == 0)
        let caller = service.caller
        try await eventually("it is ready again") { try await caller.call("GET", "/readyz").status == 200 }
        try await eventually("the log says so") { service.told == ["store-unavailable", "store-available"] }
        #expect(try await service.caller.call("POST", session + "/next?after=0").body == page.body)
        #expect(try await service.caller.call("POST", session + "/next?after=1")["page"] == 2)
        #expect(try await service.close() == 0)
    }

    /// A disk of four megabytes, where the system lets us have one.
    private static let hasSmallDisk: Bool = {
        guard isRoot else { return false }
        let folder = FileManager.default.temporaryDirectory.appendingPathComponent("paginatord-\(UUID().uuidString)")
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: false)
        defer { rmdir(folder.path) }
        guard mount("tmpfs", folder.path, "tmpfs", 0, "size=4m") == 0 else { return false }
        return umount(folder.path) == 0
    }()

    @Test(
        "On a full disk it lives and refuses, with no move half made, and goes on by itself when there is room",
        .enabled(if: hasSmallDisk))
    func fullDisk() async throws {
        let service = try await DurableService(incidents: 500) { folder in
            #expect(mount("tmpfs", folder.path, "tmpfs", 0, "size=4m") == 0)
        }
        let session = try await service.caller.open(#"{"table":"incident","itemsPerPage":300,"readAhead":0}"#)
        let page = try await service.caller.call("POST", session + "/next?after=0")
        #expect(page.status == 200 && page.body.count > 200_000)
        let ballast = service.folder.appendingPathComponent("ballast")
        try Data().write(to: ballast)
        let descriptor = Glibc.open(ballast.path, O_WRONLY)
        let chunk = [UInt8](repeating: 1, count: 4096)
        while write(descriptor, chunk, chunk.count) == chunk.count {}
        Glibc.close(descriptor)
        // What the log has room for still is used up first.
        var opened = 0
        while try await service.caller.call("POST", "/sessions", #"{"table":"incident"}"#).status == 201 {
            opened += 1
            try #require(opened < 10_000)
        }
        let caller = service.caller
        try await eventually("it is not ready") { try await caller.call("GET", "/readyz").status == 503 }
        try await expectUnavailable(service, session)
        #expect(try await service.caller.call("GET", session)["position"] == 1)
        #expect(try await service.caller.call("POST", session + "/next?after=0").body == page.body)
        try await eventually("the log says so") { service.told.last == "store-unavailable" }
        try FileManager.default.removeItem(at: ballast)
        try await eventually("it is ready again") { try await caller.call("GET", "/readyz").status == 200 }
        #expect(try await service.caller.call("POST", session + "/next?after=1")["position"] == 2)
        try await eventually("the log says so") { service.told.last == "store-available" }
        try await service.restart()
        #expect(try await service.caller.call("GET", session)["position"] == 2)
        #expect(try await service.program.stop() == 0)
        #expect(umount(service.folder.path) == 0)
        #expect(try await service.close() == 0)
    }

    @Test("A second service on the same file ends with 69 and names it; the first is not disturbed")
    func second() async throws {
        let service = try await DurableService(incidents: 50)
        let session = try await service.caller.open(#"{"table":"incident"}"#)
        let second = try service.startAnother()
        #expect(try await second.exitStatus() == 69)
        try await second.silence()
        #expect(second.standardError.contains(service.file.path + ": it is in use by another process"))
        #expect(second.standardOutput.isEmpty)
        #expect(try await service.caller.call("POST", session + "/next").status == 200)
        #expect(try await service.close() == 0)
    }

    @Test("A damaged file keeps it from starting: it ends with 69, names the file, and leaves it as it is")
    func damaged() async throws {
        let service = try await DurableService(incidents: 50)
        #expect(try await service.program.stop() == 0)
        let letter = Data("This is no database.\n".utf8)
        try letter.write(to: service.file)
        let program = try service.startAnother()
        #expect(try await program.exitStatus() == 69)
        try await program.silence()
        #expect(program.standardError.contains(service.file.path + ": it is damaged"))
        #expect(program.standardOutput.isEmpty)
        #expect(try Data(contentsOf: service.file) == letter)
        _ = try await service.close()
    }
}

extension DurableService {
    /// What the log has said of the store, in order.
    fileprivate var told: [String] {
        program.standardError.split(separator: "\n").compactMap { line in
            ["store-unavailable", "store-available"].first { line.contains("\"event\":\"\($0)\"") }
        }
    }
}
