/// A table: its fields, where its rows are, and how records of it are called.
struct TableSchema: Sendable {
    /// Its name in URLs, such as `incident`.
    let name: String
    /// The table of SQLite that holds the rows. Several tables share one where one extends the other.
    let storage: String
    /// The number that sets the rows of this storage apart from those of others.
    let seed: UInt64
    /// The field whose value stands for a record where it is referred to.
    let displayField: String
    /// All fields, in the order in which a record shows them.
    let fields: [Field]
    /// Whether row numbers are in the order of the `sys_id`.
    let isSortedBySysID: Bool
    /// The indexes, each a list of columns.
    let indexes: [[String]]
    /// The columns of the table of counts, `summaryStorage`; empty where there is none.
    let summary: [String]
    private let positions: [String: Int]

    /// Makes a table.
    init(
        name: String, storage: String, displayField: String, fields: [Field], isSortedBySysID: Bool = false,
        indexes: [[String]] = [], summary: [String] = []
    ) {
        self.isSortedBySysID = isSortedBySysID
        self.indexes = indexes
        self.summary = summary
        self.name = name
        self.storage = storage
        self.displayField = displayField
        self.fields = fields
        seed = storage.utf8.reduce(0x5EED) { RandomSource.mixed($0 ^ UInt64($1)) }
        positions = Dictionary(fields.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// The table of SQLite that says in `records` how many rows have each combination of the summary's columns.
    var summaryStorage: String { "\(storage)_summary" }

    /// Fields that an instance has and lets nobody read: a query with one of them is refused.
    var protectedFields: Set<String> { name == "sys_user" ? ["user_password"] : [] }

    /// What the index over those columns is called.
    func indexName(_ columns: [String]) -> String {
        "\(storage)_by_\(columns.joined(separator: "_"))"
    }

    /// The field of that name; names are case-sensitive.
    func field(named name: String) -> Field? {
        positions[name].map { fields[$0] }
    }
}
