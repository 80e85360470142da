import HTTPModel
import Pagination
import SimdJSON

@testable import DemoInstance
@testable import TableAPI

/// An encoded query, run over the incidents of a small instance.
enum EncodedQueryTarget {
    private static let instance = Task { try await DemoInstance(incidents: 40) }
    private static let schemas = Catalog.storedRows(incidents: 1).map(\.schema) + [Server.parentSchema]
    private static let headers: HeaderFields = ["Host": "demo.example"]

    static func check(_ bytes: [UInt8]) async throws(BrokenProperty) {
        // What is longer makes a URL that the instance refuses.
        guard bytes.count <= 1500 else { return }
        let query = String(decoding: bytes, as: UTF8.self)
        let stable = Filter.stablyOrdered(query)
        try require(Filter.stablyOrdered(stable) == stable, "a stable order is stable: \(shown(stable))")
        let parsed = EncodedQueryParser.parse(query)
        try require(
            EncodedQueryParser.parse(stable).groups == parsed.groups, "an order changes no condition: \(shown(query))")
        try checkSQL(parsed)
        guard let all = try await keys(query) else { return }
        let ordered = try await keys(stable)
        try require(Set(ordered ?? []) == Set(all), "an order changes no records: \(shown(query))")
        try await checkParts(query, parsed, all)
    }

    /// What the caller wrote stands in parameters, or is one of the known names.
    private static func checkSQL(_ query: EncodedQuery) throws(BrokenProperty) {
        var translator = QueryTranslator(
            scope: QueryScope(catalog: Catalog(schemas), root: Incident.table.schema), present: 1_767_182_400)
        let condition = translator.condition(query)
        if let condition {
            try require(
                condition.text.filter { $0 == "?" }.count == condition.values.count, "each parameter has its value")
            try require(
                condition.text.utf8.allSatisfy { 0x20...0x7E ~= $0 && $0 != 0x3B }, "no SQL but ours: \(condition.text)"
            )
        }
        try require(translator.orders(query).count <= 64, "few terms of order")
    }

    /// The parts of a query that can be divided by keys have all its records, each once.
    private static func checkParts(
        _ query: String, _ parsed: EncodedQuery, _ all: [String]
    ) async throws(BrokenProperty) {
        guard let keyed = KeyedQuery(query), isUnderstood(parsed, query) else { return }
        let middle: UInt128 = 0x80 << 120
        let parts: [KeyedQuery.Part] = [
            .range(KeyRange(lower: nil, upper: middle)), .range(KeyRange(lower: middle, upper: nil)),
        ]
        for parts in [parts, [.belowNumbers, .amongNumbers, .aboveNumbers], [.range(.all)]] {
            var found: [String] = []
            for part in parts {
                let text = keyed.text(part)
                found += try require(try await keys(text), "a part of \(shown(query)) can be asked: \(shown(text))")
            }
            try require(found == all.sorted(), "the parts of \(shown(query)) are the whole")
        }
    }

    /// Whether the instance drops nothing of a query: a branch of which nothing is left means all records or none.
    private static func isUnderstood(_ query: EncodedQuery, _ text: String) -> Bool {
        var count = 0
        for group in query.groups {
            for alternatives in group.alternatives {
                for condition in alternatives.conditions {
                    var translator = QueryTranslator(
                        scope: QueryScope(catalog: Catalog(schemas), root: Incident.table.schema),
                        present: 1_767_182_400)
                    let single = EncodedQuery(
                        groups: [.init(alternatives: [.init(conditions: [condition])])], orders: [])
                    guard translator.condition(single) != nil else { return false }
                    count += 1
                }
            }
        }
        let terms = text.utf8.split(separator: 0x5E).filter { !$0.elementsEqual("ORDERBYsys_id".utf8) }
        return terms.count == count
    }

    /// The keys that a query finds, in their order; `nil` where the instance refuses it.
    private static func keys(_ query: String) async throws(BrokenProperty) -> [String]? {
        var target = Array("/api/now/table/incident?sysparm_fields=sys_id&sysparm_limit=1000&sysparm_query=".utf8)
        appendPercentEncoded(query, to: &target)
        let head = RequestHead(method: "GET", target: String(decoding: target, as: UTF8.self), headers: headers)
        guard let instance = try? await instance.value else {
            throw BrokenProperty(description: "there is an instance")
        }
        let response = await instance.respond(to: Request(head))
        try require(response.status < 500, "no query breaks the instance: \(shown(query))")
        guard response.status == 200, case .pieces(let pieces) = response.body else { return nil }
        guard case .rows(let rows, _) = PageBody.read(Array(pieces.joined())) else {
            throw BrokenProperty(description: "an answer is a page")
        }
        var keys: [String] = []
        for block in rows.blocks {
            let cells = try require(try? RowCells(block, fields: ["sys_id"]), "rows have cells")
            for row in 0..<cells.rowCount { keys.append(String(decoding: cells[row, 0], as: UTF8.self)) }
        }
        try require(Set(keys).count == keys.count, "each record comes once: \(shown(query))")
        return keys
    }
}
