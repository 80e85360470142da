import Foundation

/// A folder that is gone with this object.
final class TemporaryFolder: Sendable {
    let path: String

    init() throws {
        let url = FileManager.default.temporaryDirectory.appendingPathComponent("paginatord-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: url, withIntermediateDirectories: false)
        path = url.path
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of a file in it.
    func file(_ name: String) -> String {
        path + "/" + name
    }

    /// Who may do what with a file, as in `0o600`; `nil` where there is none.
    func mode(of name: String) -> Int? {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file(name))
        return (attributes?[.posixPermissions] as? NSNumber)?.intValue
    }

    /// How many bytes a file has; 0 where there is none.
    func size(of name: String) -> Int {
        let attributes = try? FileManager.default.attributesOfItem(atPath: file(name))
        return (attributes?[.size] as? NSNumber)?.intValue ?? 0
    }
}
