internal import SQLite

/// The tables that one statement reads: the root, called `t`, and those that its dotted fields lead to.
struct QueryScope {
    /// The tables that there are.
    let catalog: Catalog
    /// The table that is listed.
    let root: TableSchema
    private var joined: [String: (alias: String, table: TableSchema)] = [:]
    private var clauses: [String] = []
    private var columns: Set<String> = []
    /// Whether a field has been asked for that nobody may read.
    private(set) var readsProtectedField = false

    /// SQLite joins at most 64 tables.
    private static let maxJoins = 60

    /// Starts with the root alone.
    init(catalog: Catalog, root: TableSchema) {
        self.catalog = catalog
        self.root = root
    }

    /// The FROM clause with every join made so far.
    ///
    /// - Parameter advice: what SQLite is told about indexes of the root.
    func source(advice: String = "") -> String {
        (["\(root.storage) AS t\(advice)"] + clauses).joined(separator: " ")
    }

    /// Whether all that has been resolved so far is in the root's table of counts too.
    var isSummarised: Bool {
        !root.summary.isEmpty && clauses.isEmpty && columns.isSubset(of: root.summary)
    }

    /// Whether all that has been resolved so far is among those columns of the root.
    func isCovered(by columns: [String]) -> Bool {
        clauses.isEmpty && self.columns.isSubset(of: columns)
    }

    /// Whether a column of the root's own has been resolved so far.
    func reads(_ column: String) -> Bool { columns.contains(column) }

    /// Finds a field by its name; dots walk along references, and the tables on the way are joined. `nil` for a name
    /// that leads nowhere.
    mutating func resolve(_ path: String) -> ScopedField? {
        var table = root
        var alias = "t"
        var walked = ""
        var steps = path.split(separator: ".", omittingEmptySubsequences: false)[...]
        while let step = steps.popFirst() {
            if table.protectedFields.contains(String(step)) { readsProtectedField = true }
            guard let field = table.field(named: String(step)) else { return nil }
            guard !steps.isEmpty else {
                if alias == "t", let column = field.column { columns.insert(column) }
                return ScopedField(field: field, table: table, alias: alias)
            }
            guard case .reference(let target) = field.type, let column = field.column,
                let next = catalog.table(named: target)
            else { return nil }
            walked += ".\(step)"
            guard let reached = join(walked, from: "\(alias).\"\(column)\"", to: next) else { return nil }
            alias = reached
            table = next
        }
        return nil
    }

    /// The field that stands for the record which a reference leads to.
    mutating func display(of path: String) -> ScopedField? {
        guard let field = resolve(path), case .reference(let target) = field.field.type,
            let table = catalog.table(named: target)
        else { return nil }
        return resolve("\(path).\(table.displayField)")
    }

    private mutating func join(_ path: String, from column: String, to table: TableSchema) -> String? {
        if let known = joined[path] { return known.alias }
        guard clauses.count < Self.maxJoins else { return nil }
        let alias = "j\(clauses.count)"
        clauses.append("LEFT JOIN \(table.storage) AS \(alias) ON \(alias).id = \(column)")
        joined[path] = (alias, table)
        return alias
    }
}

/// A field of a table within a statement.
struct ScopedField {
    /// The field.
    let field: Field
    /// The table that has it.
    let table: TableSchema
    /// What the table is called in the statement.
    let alias: String

    /// The SQL of its value as SQLite keeps it. A constant is NULL where no record has been reached.
    var expression: SQLFragment {
        switch field.content {
        case .column: SQLFragment(text: "\(alias).\"\(field.name)\"")
        case .columnOf(let other): SQLFragment(text: "\(alias).\"\(other)\"")
        case .constant(.null): SQLFragment(text: "NULL")
        case .constant(let value): SQLFragment(text: "CASE WHEN \(alias).id IS NOT NULL THEN ? END", values: [value])
        }
    }
}
