internal import SQLite

/// A person.
struct User: Sendable {
    /// Their given name.
    var givenName: String
    /// Their family name.
    var familyName: String
    /// The name that they sign in with.
    var userName: String
    /// What they do; may be empty.
    var title: String
    /// Their telephone number; may be empty.
    var phone: String
    /// Whether they still work here.
    var isActive: Bool
    /// Whether they are important.
    var isVIP: Bool
    /// The row of their company.
    var company: Int
    /// The row of the place where they work.
    var location: Int?
    /// The row of their manager, always a lower one, so that chains of managers end.
    var manager: Int?
    /// When they signed in last, in seconds since 1970.
    var lastLogin: Int?
    /// The record's own history.
    var history: Bookkeeping

    private init(row: Int, random: inout RandomSource) {
        givenName = random.pick(DemoTexts.givenNames)
        familyName = random.pick(DemoTexts.familyNames)
        userName = "user.\(row)"
        title = random.pick(DemoTexts.titles)
        phone = random.chance(60) ? "+1 858 555 \(1000 + random.below(9000))" : ""
        isActive = random.chance(90)
        isVIP = random.chance(5)
        company = 1 + random.below(DemoTexts.companies.count)
        location = random.chance(85) ? 1 + random.below(DemoSizes.locations) : nil
        manager = row > 1 && random.chance(80) ? 1 + random.below(row - 1) : nil
        history = .old(&random)
        lastLogin = random.chance(70) ? history.updatedOn : nil
    }

    /// The table `sys_user`.
    static let table = TableDefinition<User>(
        name: "sys_user", displayField: "name", indexes: [["name"], ["user_name"], ["email"]],
        record: { row, random in User(row: row, random: &random) },
        fields: [
            .sysID, .string("user_name") { $0.userName }, .string("name") { "\($0.givenName) \($0.familyName)" },
            .string("first_name") { $0.givenName }, .string("last_name") { $0.familyName },
            .string("email") { "\($0.userName)@example.com" }, .string("title") { $0.title },
            .string("phone") { $0.phone }, .boolean("active") { $0.isActive }, .boolean("vip") { $0.isVIP },
            .integer("company", .reference("core_company")) { $0.company },
            .integer("location", .reference("cmn_location")) { $0.location },
            .integer("manager", .reference("sys_user")) { $0.manager },
            .integer("last_login_time", .dateTime) { $0.lastLogin },
            .constant("locked_out", .boolean, .integer(0)), .constant("notification", .integer, .integer(2)),
            .constant("sys_class_name", .choice(["sys_user": "User"]), .text("sys_user")),
            .constant("sys_domain", .foreignReference("sys_user_group"), .text("global")),
        ]
            + DefinedField.empty(
                "middle_name", "mobile_phone", "home_phone", "employee_number", "gender", "street", "city", "zip",
                "country", "preferred_language", "time_zone", "date_format", "time_format", "photo", "roles", "source",
                "department", "cost_center", "building")
            + Bookkeeping.fields { $0.history })
}
