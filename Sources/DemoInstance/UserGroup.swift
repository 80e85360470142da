/// A group that incidents are assigned to.
struct UserGroup: Sendable {
    /// Its name.
    var name: String
    /// Its e-mail address.
    var email: String
    /// The row of the user who leads it.
    var manager: Int?
    /// Whether it is in use.
    var isActive: Bool
    /// The record's own history.
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
