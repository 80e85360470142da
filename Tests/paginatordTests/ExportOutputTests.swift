import Foundation
import Glibc
import Testing

@testable import paginatord

struct ExportOutputTests {
    private func mode(_ path: String) -> mode_t {
        var status = stat()
        return stat(path, &status) == 0 ? status.st_mode & 0o777 : 0
    }

    private func names(_ folder: TemporaryFolder) throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted()
    }

    @Test("A file is there once it is finished, and not before")
    func whole() async throws {
        let folder = try TemporaryFolder()
        let path = folder.path + "/a"
        let output = try await ExportOutput(path: path)
        #expect(!output.isStream)
        try await output.write(Array("one".utf8)[...])
        #expect(!FileManager.default.fileExists(atPath: path))
        try await output.write(Array("two".utf8)[...])
        try output.finish()
        #expect(try String(contentsOfFile: path, encoding: .utf8) == "onetwo" && names(folder) == ["a"])
        output.discard()
        #expect(try names(folder) == ["a"])
    }

    @Test("What is given up, or forgotten, leaves nothing", arguments: [true, false])
    func givenUp(isExplicit: Bool) async throws {
        let folder = try TemporaryFolder()
        let old = try folder.write("old", to: "a")
        do {
            let output = try await ExportOutput(path: old)
            try await output.write(Array("new".utf8)[...])
            #expect(try names(folder).count == 2)
            if isExplicit { output.discard() }
        }
        #expect(try names(folder) == ["a"] && String(contentsOfFile: old, encoding: .utf8) == "old")
    }

    @Test("A file that is replaced keeps its permissions; behind a link it is the file that is replaced")
    func replaced() async throws {
        let folder = try TemporaryFolder()
        let old = try folder.write("old", to: "a")
        try #require(chmod(old, 0o640) == 0)
        let link = folder.path + "/link"
        try #require(symlink("a", link) == 0)
        let output = try await ExportOutput(path: link)
        try await output.write(Array("new".utf8)[...])
        try output.finish()
        #expect(try String(contentsOfFile: old, encoding: .utf8) == "new" && mode(old) == 0o640)
        #expect(
            try FileManager.default.destinationOfSymbolicLink(atPath: link) == "a" && names(folder) == ["a", "link"])
    }

    @Test("Behind links to what is not there yet it is that file that comes into being", arguments: [1, 2, 39])
    func dangling(links: Int) async throws {
        let folder = try TemporaryFolder()
        try FileManager.default.createDirectory(atPath: folder.path + "/b", withIntermediateDirectories: false)
        try #require(symlink(folder.path + "/b/new", folder.path + "/b/0") == 0)
        for number in 1..<max(2, links) { try #require(symlink("\(number - 1)", folder.path + "/b/\(number)") == 0) }
        try #require(symlink("b/\(links - 1)", folder.path + "/link") == 0)
        let output = try await ExportOutput(path: folder.path + "/link")
        try await output.write(Array("new".utf8)[...])
        try output.finish()
        #expect(try String(contentsOfFile: folder.path + "/b/new", encoding: .utf8) == "new")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder.path + "/link") == "b/\(links - 1)")
    }

    @Test(
        "Every name that the system takes can be written, of whatever characters",
        arguments: ["x", "é", "漢", "😀", "e\u{301}\u{302}\u{303}\u{304}\u{305}\u{306}"])
    func names(character: String) async throws {
        let folder = try TemporaryFolder()
        let name = String(repeating: character, count: Int(NAME_MAX) / character.utf8.count)
        let output = try await ExportOutput(path: folder.path + "/" + name)
        try await output.write(Array("new".utf8)[...])
        try output.finish()
        #expect(try String(contentsOfFile: folder.path + "/" + name, encoding: .utf8) == "new")
        #expect(try names(folder).count == 1)
    }

    @Test("A new file has the permissions of any new file")
    func mask() async throws {
        let folder = try TemporaryFolder()
        let other = try #require(fopen(folder.path + "/b", "w"))
        fclose(other)
        let output = try await ExportOutput(path: folder.path + "/a")
        try output.finish()
        #expect(mode(folder.path + "/a") == mode(folder.path + "/b"))
    }

    @Test(
        "A path that cannot be written is refused at once",
        arguments: [
            ("", "is a folder"), ("/none/a", "No such file or directory"), ("/none/", "No such file or directory"),
            ("/file/", "Not a directory"), ("/file/a", "Not a directory"),
            ("/loop", "Too many levels of symbolic links"),
            ("/" + String(repeating: "x", count: 256), "File name too long"),
            ("/" + String(repeating: "漢", count: 86), "File name too long"),
        ])
    func refused(path: String, reason: String) async throws {
        let folder = try TemporaryFolder()
        _ = try folder.write("old", to: "file")
        try #require(symlink("loop", folder.path + "/loop") == 0)
        await #expect(throws: OutputError.failed(reason)) { try await ExportOutput(path: folder.path + path) }
    }
}
