/// Which tables extend which, on a real instance too: what INSTANCEOF follows.
enum TableClasses {
    private static let parents = [
        "incident": "task", "problem": "task", "change_request": "task", "cmdb_ci_server": "cmdb_ci_computer",
        "cmdb_ci_computer": "cmdb_ci_hardware", "cmdb_ci_hardware": "cmdb_ci", "cmdb_ci": "cmdb",
    ]

    /// The table itself and all that extend it, directly or not.
    static func extensions(of table: String) -> [String] {
        [table]
            + parents.keys.sorted().filter { name in
                var ancestor = parents[name]
                while let current = ancestor, current != table { ancestor = parents[current] }
                return ancestor != nil
            }
    }
}
