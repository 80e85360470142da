import Foundation
import HTTPModel

/// The demo instance's incidents as another run of it holds them, to compare with.
enum DemoRecords {
    /// A field of all incidents in the order of a query, asked for in one request.
    static func incidents(
        _ query: String = "ORDERBYsys_id", field: String = "sys_id", arguments: [String] = []
    ) async throws -> [String] {
        let instance = try RunningProgram(["demo-instance", "--listen", "127.0.0.1:0"] + arguments)
        let caller = try Caller(await instance.listeningURL())
        let list = try await caller.call(
            "GET", "/api/now/table/incident?sysparm_query=\(query)&sysparm_fields=\(field)&sysparm_limit=10000")
        await caller.close()
        _ = try await instance.stop()
        return (list["result", as: [[String: String]].self] ?? []).compactMap { $0[field] }
    }

    /// One field of records as they were written.
    static func values(_ text: String, _ format: String, field: String = "sys_id") throws -> [String] {
        switch format {
        case "csv":
            // None of these fields has a quote or a line break.
            let lines = text.components(separatedBy: "\r\n").filter { !$0.isEmpty && !$0.hasPrefix("# ") }
                .map { $0.components(separatedBy: ",") }
            guard let column = lines.first?.firstIndex(of: field) else { return [] }
            return lines.dropFirst().compactMap { $0.indices.contains(column) ? $0[column] : nil }
        case "json":
            let rows = try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [[String: String]] ?? []
            return rows.compactMap { $0[field] }
        default:
            return try text.split(separator: "\n").compactMap {
                try (JSONSerialization.jsonObject(with: Data($0.utf8)) as? [String: Any])?[field] as? String
            }
        }
    }

    /// The members of the report in the last line of a stream that is not whole.
    static func report(_ text: String) throws -> [String: Any] {
        var line = text.split(whereSeparator: \.isNewline).last.map(String.init) ?? ""
        if line.hasPrefix("# error: ") { line = #"{"$error":"# + line.dropFirst(9) + "}" }
        let object = try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any]
        return object?["$error"] as? [String: Any] ?? [:]
    }
}

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
