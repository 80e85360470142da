internal import SQLite

/// A server; incidents are about some of them.
struct Server: Sendable {
    /// Its name.
    var name: String
    /// Its IP address.
    var address: String
    /// Its operating system.
    var system: String
    /// Whether it is in use: a key of `statuses`.
    var status: Int
    /// The row of its company.
    var company: Int
    /// The row of the place where it stands.
    var location: Int
    /// The row of the group that looks after it.
    var supportGroup: Int?
    /// The row of the user who has it.
    var assignedTo: Int?
    /// The record's own history.
    var history: Bookkeeping

    /// The choices of `install_status`.
    private static let statuses: [Int64: String] = [1: "Installed", 3: "In Maintenance", 7: "Retired"]

    /// The table `cmdb_ci_server`.
    static let table = TableDefinition<Server>(
        name: "cmdb_ci_server", displayField: "name", indexes: [["name"]],
        record: { row, random in
            let system = random.pick(["Linux Red Hat", "Windows 2022 Standard", "AIX", "Solaris", "Linux Debian"])
            return Server(
                name: "srv-\(random.pick(["web", "db", "app", "batch", "büro"]))-\(row)",
                address: "10.\(row / 65536).\(row / 256 % 256).\(row % 256)", system: system,
                status: random.pick([1, 1, 1, 1, 3, 7]), company: 1 + random.below(DemoTexts.companies.count),
                location: 1 + random.below(DemoSizes.locations),
                supportGroup: random.chance(80) ? 1 + random.below(DemoTexts.groups.count) : nil,
                assignedTo: random.chance(60) ? 1 + random.below(DemoSizes.users) : nil, history: .old(&random))
        },
        fields: [
            .sysID, .constant("sys_class_name", .choice(["cmdb_ci_server": "Server"]), .text("cmdb_ci_server")),
            .string("name") { $0.name }, .string("ip_address") { $0.address }, .string("os") { $0.system },
            .integer("install_status", .integerChoice(statuses)) { $0.status },
            .integer("company", .reference("core_company")) { $0.company },
            .integer("location", .reference("cmn_location")) { $0.location },
            .integer("support_group", .reference("sys_user_group")) { $0.supportGroup },
            .integer("assigned_to", .reference("sys_user")) { $0.assignedTo },
        ] + DefinedField.empty("fqdn", "serial_number", "short_description") + Bookkeeping.fields { $0.history })

    /// The table `cmdb_ci`, which `cmdb_ci_server` extends: the same records with the fields that all items have.
    static var parentSchema: TableSchema {
        let schema = table.schema
        return TableSchema(
            name: "cmdb_ci", storage: schema.storage, displayField: schema.displayField,
            fields: schema.fields.filter { $0.name != "os" })
    }
}
