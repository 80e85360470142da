internal import SQLite

/// The SQL of one list: how its rows are counted, and how the row numbers of a page are found.
///
/// A page takes two steps, first its row numbers, then record by record: what is sorted and skipped stays small.
struct ListPlan: Sendable {
    /// Gives one number: how many records match.
    let count: SQLFragment
    /// Gives the row numbers of all records that match, in order.
    let all: SQLFragment
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

    /// Whether a condition is on the list's first term: an index then leads to where its range begins.
    private let startsInRange: Bool
    /// Whether the index that has the list's order has all that the conditions read: walking through it costs little.
    let walksWithinIndex: Bool

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
        let conditioned = translator.scope
        let orders = translator.orders(query)
        let terms = orders + [tieBreak(orders)]
        self.terms = terms
        startsInRange = terms.first.map { conditioned.reads($0.column) } ?? false
        order = terms.map(\.text).joined(separator: ", ")
        readsProtectedField = translator.scope.readsProtectedField
        let scope = translator.scope
        source = scope.source()
        all = SQLFragment(
            text: "SELECT t.id FROM \(source) WHERE \(condition.text) ORDER BY \(order)", values: condition.values)
        walksWithinIndex = table.indexes.contains { $0.first == terms.first?.column && conditioned.isCovered(by: $0) }
        walk = terms.first.flatMap { first in
            guard first.alias == "t" else { return nil }
            if first.column == "id" { return scope.source(advice: " NOT INDEXED") }
            return table.indexes.first { $0.first == first.column }.map {
                scope.source(advice: " INDEXED BY \(table.indexName($0))")
            }
        }
    }

    /// Gives the row numbers of all records that match, in no order.
    var matching: SQLFragment {
        SQLFragment(text: "SELECT t.id FROM \(source) WHERE \(condition.text)", values: condition.values)
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
        return page(isDense ? walk ?? source : source, condition, order, limit, offset)
    }

    // MARK: Walks that may be in vain

    /// How many rows of the table a walk to the end of a page should go through at most: some times as many as it would
    /// where what matches lay evenly in the list's order. It need not: the oldest records are at the end of a list that
    /// begins with the newest. `nil` for a page that is not walked to, or where nearly all rows may be gone through.
    ///
    /// - Parameter shortest: the least that it is worth.
    func reach(limit: Int, offset: Int, total: Int, size: Int, shortest: Int) -> Int? {
        guard walk != nil, !startsInRange, let first = terms.first, first.column != "id" else { return nil }
        let wanted = Double(limit) + Double(min(offset, total))
        guard total > 0, wanted < Double(total) * Double(total) / Double(size) else { return nil }
        var reach = max(1, shortest)
        while Double(reach) < 4 * wanted * Double(size) / Double(total) { reach *= 2 }
        return reach < size / 2 ? reach : nil
    }

    /// Gives the value that the row has in the list's first term which a walk of that reach ends at; none, or NULL, where
    /// there is no such row or empty values come first.
    func boundary(reach: Int) -> SQLFragment? {
        guard let first = terms.first else { return nil }
        let present =
            first.isDescending ? "1" : "NOT EXISTS (SELECT 1 FROM \(storage) WHERE \"\(first.column)\" IS NULL)"
        return SQLFragment(
            text: "SELECT \(first.expression) FROM \(storage) AS t WHERE \(present) ORDER BY \(first.text) "
                + "LIMIT 1 OFFSET ?",
            values: [.integer(Int64(reach))])
    }

    /// Gives those row numbers of a page that a walk up to a boundary meets. Where that are fewer than the page has, the
    /// others are beyond.
    func page(limit: Int, offset: Int, upTo boundary: SQLiteValue) -> SQLFragment {
        let comparison = terms.first.map { "\($0.expression) \($0.isDescending ? ">=" : "<=") ?" } ?? "1"
        let bounded = SQLFragment(
            text: "(\(condition.text)) AND \(comparison)", values: condition.values + [boundary])
        return page(walk ?? source, bounded, order, limit, offset)
    }

    /// `all` without any walk: what matches is found first, then sorted.
    var allSorted: SQLFragment {
        SQLFragment(
            text: "SELECT t.id FROM \(source) WHERE \(condition.text) ORDER BY \(sorting)", values: condition.values)
    }

    /// Gives the row numbers of one page without any walk: what matches is found first, then sorted.
    func sortedPage(limit: Int, offset: Int) -> SQLFragment {
        page(source, condition, sorting, limit, offset)
    }

    /// The order with a sign that keeps SQLite from an index which has it.
    private var sorting: String {
        terms.map { "+" + $0.text }.joined(separator: ", ")
    }

    private func page(
        _ source: String, _ condition: SQLFragment, _ order: String, _ limit: Int, _ offset: Int
    ) -> SQLFragment {
        SQLFragment(
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
