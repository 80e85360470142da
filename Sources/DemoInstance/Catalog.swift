/// The tables of the instance.
struct Catalog: Sendable {
    private let tables: [String: TableSchema]

    /// Makes a catalog.
    init(_ tables: [TableSchema]) {
        self.tables = Dictionary(tables.map { ($0.name, $0) }) { first, _ in first }
    }

    /// The table of that name; names are case-sensitive.
    func table(named name: String) -> TableSchema? {
        tables[name]
    }
}
