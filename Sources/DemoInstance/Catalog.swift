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

    /// The rows of every table that has rows of its own.
    static func storedRows(incidents: Int) -> [StoredRows] {
        [
            Company.table.rows(count: DemoTexts.companies.count), Location.table.rows(count: DemoSizes.locations),
            UserGroup.table.rows(count: DemoTexts.groups.count), User.table.rows(count: DemoSizes.users),
            Server.table.rows(count: DemoSizes.servers), ChangeRequest.table.rows(count: DemoSizes.changes),
            Problem.table.rows(count: DemoSizes.problems),
            KnowledgeBase.table.rows(count: DemoTexts.knowledgeBases.count),
            KnowledgeArticle.table.rows(count: DemoSizes.articles), Incident.table.rows(count: max(0, incidents)),
        ]
    }
}
