internal import SQLite

/// A company.
struct Company: Sendable {
    var name: String
    var city: String
    var country: String
    var isCustomer: Bool
    var history: Bookkeeping

    /// The table `core_company`.
    static let table = TableDefinition<Company>(
        name: "core_company", displayField: "name", indexes: [],
        record: { row, random in
            let place = random.pick(DemoTexts.places)
            return Company(
                name: DemoTexts.companies[(row - 1) % DemoTexts.companies.count], city: place.0, country: place.1,
                isCustomer: random.chance(50), history: .old(&random))
        },
        fields: [.sysID, .string("name") { $0.name }, .string("city") { $0.city }, .string("country") { $0.country }]
            + [.boolean("customer") { $0.isCustomer }] + DefinedField.empty("stock_symbol", "website", "notes")
            + Bookkeeping.fields { $0.history })
}

/// A place where people work.
struct Location: Sendable {
    var name: String
    var street: String
    var city: String
    var country: String
    var company: Int
    var history: Bookkeeping

    /// The table `cmn_location`.
    static let table = TableDefinition<Location>(
        name: "cmn_location", displayField: "name", indexes: [],
        record: { row, random in
            let place = DemoTexts.places[(row - 1) % DemoTexts.places.count]
            let floor = (row - 1) / DemoTexts.places.count
            return Location(
                name: floor == 0 ? "\(place.2), \(place.0)" : "\(place.2), \(place.0), floor \(floor)",
                street: place.2, city: place.0, country: place.1,
                company: 1 + random.below(DemoTexts.companies.count), history: .old(&random))
        },
        fields: [
            .sysID, .string("name") { $0.name }, .string("street") { $0.street }, .string("city") { $0.city },
            .string("country") { $0.country }, .integer("company", .reference("core_company")) { $0.company },
        ] + DefinedField.empty("zip", "state", "phone") + Bookkeeping.fields { $0.history })
}

/// A group that incidents are assigned to.
struct UserGroup: Sendable {
    var name: String
    var email: String
    var manager: Int?
    var isActive: Bool
    var history: Bookkeeping

    /// The table `sys_user_group`.
    static let table = TableDefinition<UserGroup>(
        name: "sys_user_group", displayField: "name", indexes: [["name"]],
        record: { row, random in
            UserGroup(
                name: DemoTexts.groups[(row - 1) % DemoTexts.groups.count], email: "group\(row)@example.com",
                manager: random.chance(70) ? 1 + random.below(DemoSizes.users) : nil, isActive: row != 17,
                history: .old(&random))
        },
        fields: [
            .sysID, .string("name") { $0.name }, .string("email") { $0.email },
            .integer("manager", .reference("sys_user")) { $0.manager }, .boolean("active") { $0.isActive },
        ] + DefinedField.empty("description", "type", "parent") + Bookkeeping.fields { $0.history })
}

/// A server; incidents are about some of them.
struct Server: Sendable {
    var name: String
    var address: String
    var system: String
    var status: Int
    var company: Int
    var location: Int
    var supportGroup: Int?
    var assignedTo: Int?
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

/// How many records the tables of fixed size have.
enum DemoSizes {
    /// `sys_user`
    static let users = 500
    /// `cmn_location`
    static let locations = 42
    /// `cmdb_ci_server`
    static let servers = 2000
}

extension Bookkeeping {
    /// The history of a record that has been there for long: made in 2022 or 2023.
    static func old(_ random: inout RandomSource) -> Bookkeeping {
        let createdOn = 1_640_995_200 + random.below(63_000_000)
        return Bookkeeping(createdOn: createdOn, updatedOn: createdOn + random.below(40_000_000), random: &random)
    }
}
