import Foundation
import HTTPModel
import Synchronization

/// The instance's records as the Table API shows them, and columns of them: the data of the plain evaluation.
final class PlainRecords: Sendable {
    /// The values of one field, or of a dotted one, for every record of a table.
    struct Column: Sendable {
        let kind: PlainKind
        /// The values; empty where there is none.
        let values: [String]
        /// What a person is shown of a reference; else the values.
        let shown: [[UInt8]]
        /// The places of the values in their order; equal ones have the same.
        let ranks: [Int]

        init(kind: PlainKind, values: [String], shown: [String]) {
            self.kind = kind
            self.values = values
            let lowered = shown.map { $0.utf8.map { (0x41...0x5A).contains($0) ? $0 + 32 : $0 } }
            self.shown = lowered
            if kind == .number {
                ranks = values.map { Int($0) ?? .min }
            } else {
                let order = Set(lowered).sorted { $0.lexicographicallyPrecedes($1) }
                let places = Dictionary(uniqueKeysWithValues: order.enumerated().map { ($1, $0) })
                ranks = lowered.map { places[$0] ?? 0 }
            }
        }
    }

    private let tables: [String: [[String: String]]]
    private let rows: [String: [String: Int]]
    private let keys: [String: [String]]
    private let columns = Mutex<[String: Column?]>([:])

    /// Reads every record of every table.
    init(_ client: Client) async throws {
        var tables: [String: [[String: String]]] = [:]
        for table in PlainKind.fields.keys {
            tables[table] = try await client.rows(
                table, [("sysparm_exclude_reference_link", "true"), ("sysparm_query", "ORDERBYsys_id")])
        }
        self.tables = tables
        keys = tables.mapValues { $0.map { $0["sys_id"] ?? "" } }
        rows = tables.mapValues { records in
            Dictionary(uniqueKeysWithValues: records.enumerated().map { ($1["sys_id"] ?? "", $0) })
        }
    }

    /// How many records a table has.
    func count(_ table: String) -> Int { tables[table]?.count ?? 0 }

    /// The `sys_id`s of a table's records.
    func identifiers(_ table: String) -> [String] { keys[table] ?? [] }

    /// The column of a field; `nil` where a name leads nowhere.
    func column(_ path: String, of table: String) -> Column? {
        let key = "\(table)/\(path)"
        if let known = columns.withLock({ $0[key] }) { return known }
        let column = made(path, of: table)
        columns.withLock { $0[key] = .some(column) }
        return column
    }

    private func made(_ path: String, of table: String) -> Column? {
        var table = table
        var current: [Int?] = Array(0..<count(table)).map { $0 }
        let steps = path.components(separatedBy: ".")
        for (index, step) in steps.enumerated() {
            guard let kind = PlainKind.fields[table]?[step] else { return nil }
            let records = tables[table] ?? []
            let values = current.map { row in row.flatMap { records[$0][step] } ?? "" }
            if index == steps.count - 1 {
                guard case .reference(let target) = kind else {
                    return Column(kind: kind, values: values, shown: values)
                }
                let display = PlainKind.displayFields[target] ?? "?"
                let shown = values.map { value in
                    rows[target]?[value].flatMap { tables[target]?[$0][display] } ?? ""
                }
                return Column(kind: kind, values: values, shown: shown)
            }
            guard case .reference(let target) = kind else { return nil }
            current = values.map { rows[target]?[$0] }
            table = target
        }
        return nil
    }
}
