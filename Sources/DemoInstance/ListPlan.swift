internal import SQLite

/// The SQL of one list: how its rows are counted, and how the row numbers of a page are found.
///
/// A page takes two steps, first its row numbers, then record by record: what is sorted and skipped stays small.
struct ListPlan: Sendable {
    /// Gives one number: how many records match.
    let count: SQLFragment
    /// Gives the row numbers of the page.
    let page: SQLFragment

    /// Plans a list.
    ///
    /// - Parameter tieBreak: the order, as terms of ORDER BY, in which rows come that the query's orders leave equal.
    init(_ parameters: ReadParameters, of table: TableSchema, catalog: Catalog, tieBreak: String) {
        var translator = QueryTranslator(scope: QueryScope(catalog: catalog, root: table))
        let condition = translator.condition(parameters.query) ?? .always
        count = SQLFragment(
            text: "SELECT count(*) FROM \(translator.scope.source) WHERE \(condition.text)", values: condition.values)
        let orders = translator.orders(parameters.query) + [tieBreak]
        page = SQLFragment(
            text: "SELECT t.id FROM \(translator.scope.source) WHERE \(condition.text)"
                + " ORDER BY \(orders.joined(separator: ", ")) LIMIT ? OFFSET ?",
            values: condition.values + [.integer(Int64(parameters.limit)), .integer(Int64(parameters.offset))])
    }
}

/// An order that changes from request to request, as it does on an instance for a list without ORDERBY: a client that
/// pages without an order of its own gets rows twice and misses others. The same seed gives the same changes.
struct UnstableOrder: Sendable {
    /// Sets one instance's changes apart from another's.
    let seed: UInt64

    /// The terms of ORDER BY for one request, by its number.
    func terms(request: UInt64) -> String {
        switch RandomSource.mixed(seed ^ RandomSource.mixed(request)) % 4 {
        case 0: "t.id ASC"
        case 1: "t.id DESC"
        case 2: "t.sys_id ASC"
        default: "t.sys_id DESC"
        }
    }
}
