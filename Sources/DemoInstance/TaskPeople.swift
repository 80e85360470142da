/// Who works on a task: the fields that change requests and problems have in common.
struct TaskPeople: Sendable {
    /// The row of the user who entered it.
    var openedBy: Int
    /// The row of the group that works on it.
    var assignmentGroup: Int?
    /// The row of the user who works on it.
    var assignedTo: Int?
    /// The row of the server that it is about.
    var item: Int?
    /// The row of the company that has it.
    var company: Int?

    /// Picks the people of one task.
    init(_ random: inout RandomSource) {
        openedBy = 1 + random.below(DemoSizes.users)
        assignmentGroup = random.chance(85) ? 1 + random.below(DemoTexts.groups.count) : nil
        assignedTo = random.chance(70) ? 1 + random.below(DemoSizes.users) : nil
        item = random.chance(60) ? 1 + random.below(DemoSizes.servers) : nil
        company = random.chance(90) ? 1 + random.below(DemoTexts.companies.count) : nil
    }

    /// The fields.
    static func fields<Record>(
        _ read: @escaping @Sendable (Record) -> TaskPeople
    ) -> [DefinedField<Record>] {
        [
            .integer("opened_by", .reference("sys_user")) { read($0).openedBy },
            .integer("assignment_group", .reference("sys_user_group")) { read($0).assignmentGroup },
            .integer("assigned_to", .reference("sys_user")) { read($0).assignedTo },
            .integer("cmdb_ci", .reference("cmdb_ci")) { read($0).item },
            .integer("company", .reference("core_company")) { read($0).company },
        ]
    }

    /// The labels of `impact` and `urgency`.
    static let levels: [Int64: String] = [1: "1 - High", 2: "2 - Medium", 3: "3 - Low"]

    /// The labels of `priority`.
    static let priorities: [Int64: String] = [
        1: "1 - Critical", 2: "2 - High", 3: "3 - Moderate", 4: "4 - Low", 5: "5 - Planning",
    ]
}
