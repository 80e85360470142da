internal import SQLite

/// The SQL of one list: how its rows are counted, and how the row numbers of a page are found.
///
/// A page takes two steps, first its row numbers, then record by record: what is sorted and skipped stays small.
struct ListPlan: Sendable {
    /// Gives one number: how many records match.
    let count: SQLFragment
    /// Gives the row numbers of all records that match, in order.
    let all: SQLFragment
    /// Gives the row numbers of all records that match, in no order.
    let matching: SQLFragment
    /// What the records are ordered by.
    let terms: [OrderTerm]
    /// Whether the count comes from the table of counts.
    let isSummarised: Bool
    /// Whether a condition is on a field that nobody may read.
    let readsProtectedField: Bool
    /// The table of SQLite that has the rows.
    let storage: String
    private let condition: SQLFragment
    private let order: String
    private let source: String
    /// The source with the advice to walk in the list's order and to leave out what does not match; `nil` where no
    /// index has that order.
    private let walk: String?

    /// Plans a list.
    ///
    /// - Parameters:
    ///   - present: the moment that the query takes for now, in seconds since 1970.
    ///   - tieBreak: the order in which rows come that the query's orders leave equal.
    init(
        _ query: EncodedQuery, of table: TableSchema, catalog: Catalog, present: Int64,
        tieBreak: (_ orders: [OrderTerm]) -> OrderTerm
    ) {
        var translator = QueryTranslator(scope: QueryScope(catalog: catalog, root: table), present: present)
        let condition = translator.condition(query) ?? .always
        self.condition = condition
        storage = table.storage
        isSummarised = translator.scope.isSummarised
        count =
            isSummarised
            ? SQLFragment(
                text: "SELECT coalesce(sum(t.records), 0) FROM \(table.summaryStorage) AS t WHERE \(condition.text)",
                values: condition.values)
            : SQLFragment(
                text: "SELECT count(*) FROM \(translator.scope.source()) WHERE \(condition.text)",
                values: condition.values)
        let orders = translator.orders(query)
        let terms = orders + [tieBreak(orders)]
        self.terms = terms
        order = terms.map(\.text).joined(separator: ", ")
        readsProtectedField = translator.scope.readsProtectedField
        let scope = translator.scope
        source = scope.source()
        all = SQLFragment(
            text: "SELECT t.id FROM \(source) WHERE \(condition.text) ORDER BY \(order)", values: condition.values)
        matching = SQLFragment(
            text: "SELECT t.id FROM \(source) WHERE \(condition.text)", values: condition.values)
        walk = terms.first.flatMap { first in
            guard first.alias == "t" else { return nil }
            if first.column == "id" { return scope.source(advice: " NOT INDEXED") }
            return table.indexes.first { $0.first == first.column }.map {
                scope.source(advice: " INDEXED BY \(table.indexName($0))")
            }
        }
    }

    /// Whether an index has the list's order.
    var hasIndexedOrder: Bool { walk != nil }

    /// Whether the records are ordered by few of their own fields and by nothing behind a reference.
    var hasOwnOrder: Bool {
        terms.count <= 4 && terms.allSatisfy { $0.alias == "t" }
    }

    /// Gives all row numbers of the table with the values of one of the list's own terms, as they ascend.
    func values(of term: OrderTerm) -> SQLFragment {
        SQLFragment(text: "SELECT t.id, \(term.expression) FROM \(storage) AS t ORDER BY \(term.expression)")
    }

    /// Gives the row numbers of one page.
    ///
    /// - Parameters:
    ///   - total: how many records match, where that is known.
    ///   - size: how many records the table has.
    func page(limit: Int, offset: Int, total: Int?, size: Int) -> SQLFragment {
        // Where many match, walking in the list's order meets enough of them soon; where few do, finding and sorting
        // them is cheaper. SQLite does not know how many conditions together match.
        let isDense =
            total.map { Double(limit) + Double(min(offset, $0)) < Double($0) * Double($0) / Double(max(size, 1)) }
            ?? false
        let source = isDense ? walk ?? source : source
        return SQLFragment(
            text: "SELECT t.id FROM \(source) WHERE \(condition.text) ORDER BY \(order) LIMIT ? OFFSET ?",
            values: condition.values + [.integer(Int64(limit)), .integer(Int64(offset))])
    }
}

/// One term of ORDER BY.
struct OrderTerm: Equatable, Sendable {
    /// The table's alias in the statement.
    var alias: String
    /// The column.
    var column: String
    /// Whether the largest value comes first.
    var isDescending: Bool

    /// Whether the records are ordered by the column having a value at all, and not by which.
    var isPresence = false

    /// What is ordered by, as SQL.
    var expression: String { "\(alias).\"\(column)\"\(isPresence ? " IS NOT NULL" : "")" }

    /// The term as SQL.
    var text: String { "\(expression) \(isDescending ? "DESC" : "ASC")" }
}
