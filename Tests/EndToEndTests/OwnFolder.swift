import Foundation

/// A folder of a test's own.
final class OwnFolder {
    let url = FileManager.default.temporaryDirectory.appendingPathComponent("paginatord-\(UUID().uuidString)")

    init() throws {
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: true)
    }

    /// The path of a file in it.
    func path(_ name: String) -> String { url.appendingPathComponent(name).path }

    /// What a file in it holds.
    func text(_ name: String) throws -> String {
        try String(contentsOf: url.appendingPathComponent(name), encoding: .utf8)
    }

    /// The names of everything in it.
    var names: [String] {
        get throws { try FileManager.default.contentsOfDirectory(atPath: url.path).sorted() }
    }

    deinit {
        try? FileManager.default.removeItem(at: url)
    }
}
