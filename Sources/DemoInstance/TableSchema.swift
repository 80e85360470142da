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
    private let positions: [String: Int]

    /// Makes a table.
    init(name: String, storage: String, displayField: String, fields: [Field]) {
        self.name = name
        self.storage = storage
        self.displayField = displayField
        self.fields = fields
        seed = storage.utf8.reduce(0x5EED) { RandomSource.mixed($0 ^ UInt64($1)) }
        positions = Dictionary(fields.enumerated().map { ($1.name, $0) }) { first, _ in first }
    }

    /// The field of that name; names are case-sensitive.
    func field(named name: String) -> Field? {
        positions[name].map { fields[$0] }
    }
}
