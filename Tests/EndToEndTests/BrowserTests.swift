import Foundation
import PaginatordTesting
import Testing

/// Web pages in Debian's Chromium that call the running service: those of a listed origin may, no other may.
///
/// The pages are in Tests/Browsers.
struct BrowserTests {
    private static let chromium = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"]
        .first { FileManager.default.isExecutableFile(atPath: $0) }

    @Test(
        "A foreign page reads, opens, moves and closes nothing, and a listed page can do everything",
        .timeLimit(.minutes(10)), arguments: [nil, "browser-0123456789abcdef"])
    func pages(token: String?) async throws {
        let chromium = try #require(Self.chromium, "there is no Chromium: run make test, or apt-get install chromium")
        let folder = try OwnFolder()
        let log = folder.path("log")
        var environment = ["PAGINATORD_ACCESS_ORIGINS": "http://allowed.example"]
        environment["PAGINATORD_ACCESS_TOKEN"] = token
        let service = try RunningProgram(
            ["-c", #"exec "$0" serve --demo --listen 127.0.0.1:0 2>"$1""#, RunningProgram.executable.path, log],
            environment: environment, executable: URL(fileURLWithPath: "/bin/sh"))
        var settings = ["SERVICE_URL": try await service.listeningURL(), "SERVICE_LOG": log, "CHROMIUM": chromium]
        settings["ACCESS_TOKEN"] = token
        let script = try await PythonScript.run("Browsers/pages_in_chromium.py", environment: settings)
        #expect(script.status == 0, "\(script.said)")
        #expect(script.said.contains(#/Ran [1-9]\d* tests/#), "\(script.said)")
        #expect(try await service.stop() == 0)
        let lines = try folder.text("log")
        #expect(lines.contains("\"status\":403,") && !lines.contains("0123456789abcdef"))
    }
}
