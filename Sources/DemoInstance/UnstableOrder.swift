/// An order that changes from request to request, as it does on an instance for a list without ORDERBY: a client that
/// pages without an order of its own gets rows twice and misses others. The same seed gives the same changes.
struct UnstableOrder: Sendable {
    /// Sets one instance's changes apart from another's.
    let seed: UInt64

    /// The last term of ORDER BY for one request, by its number.
    ///
    /// - Parameters:
    ///   - orders: the query's own terms.
    ///   - isLarge: whether the table has so many rows that sorting those which the query's orders leave equal would
    ///     take long. Those then always come in the same order, which an index has.
    func term(request: UInt64, after orders: [OrderTerm], in table: TableSchema, isLarge: Bool) -> OrderTerm {
        if isLarge, let last = orders.last {
            return OrderTerm(alias: "t", column: "id", isDescending: last.isDescending)
        }
        let choice = RandomSource.mixed(seed ^ RandomSource.mixed(request)) % 4
        let other = table.isSortedBySysID ? table.displayField : "sys_id"
        return OrderTerm(alias: "t", column: choice < 2 ? "id" : other, isDescending: choice % 2 == 1)
    }
}
