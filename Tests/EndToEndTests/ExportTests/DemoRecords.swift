import Foundation
import HTTPModel
import PaginatordTesting
import Testing

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
        #expect(try await instance.stop() == 0)
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
