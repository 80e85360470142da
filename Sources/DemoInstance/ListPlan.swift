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
