internal import SQLite

/// A change that somebody wants to make to a server.
struct ChangeRequest: Sendable {
    /// Its number, such as `CHG0030001`.
    var number: String
    /// What is to change, in one line.
    var shortDescription: String
    /// More about it; may be empty.
    var description: String
    /// Why it is needed; may be empty.
    var justification: String
    /// How to do it, as HTML.
    var plan: String
    /// How far it is: a key of `states`.
    var state: Int
    /// What kind of change it is: a key of `kinds`.
    var kind: String
    /// How dangerous it is: 2 for high to 4 for low.
    var risk: Int
    /// How many are affected: 1 for many to 3 for few.
    var impact: Int
    /// How soon it matters: 1 for critical to 4 for low.
    var priority: Int
    /// Who agreed: a key of `approvals`.
    var approval: String
    /// The row of the user who asked for it.
    var requestedBy: Int?
    /// Who works on it.
    var people: TaskPeople
    /// When work is to begin, in seconds since 1970.
    var start: Int?
    /// When work is to end.
    var end: Int?
    /// When it was closed.
    var closedAt: Int?
    /// The journal, as one text; may be empty.
    var notes: String
    /// The record's own history.
    var history: Bookkeeping

    private init(row: Int, random: inout RandomSource) {
        number = "CHG\(String(30000 + row).leftPadded(to: 7))"
        let subject = random.pick(DemoTexts.subjects)
        shortDescription = DemoTexts.filled(random.pick(DemoTexts.changes), with: subject)
        description = (0..<random.below(4)).map { _ in random.pick(DemoTexts.sentences) }.joined(separator: " ")
        justification = random.chance(60) ? random.pick(DemoTexts.sentences) : ""
        plan =
            "<ol>" + (0...random.below(5)).map { _ in "<li>\(random.pick(DemoTexts.solutions))</li>" }.joined()
            + "</ol>"
        state = random.pick([-5, -4, -3, -2, -1, 0, 3, 3, 3, 4])
        kind = random.pick(["normal", "normal", "standard", "emergency"])
        risk = random.pick([2, 3, 3, 4, 4])
        impact = random.pick([1, 2, 3, 3])
        priority = random.pick([1, 2, 3, 4, 4])
        approval = state < -3 ? "not requested" : random.pick(["requested", "approved", "approved", "rejected"])
        requestedBy = random.chance(90) ? 1 + random.below(DemoSizes.users) : nil
        people = TaskPeople(&random)
        let createdOn = 1_704_067_200 + random.below(60_000_000)
        start = random.chance(80) ? createdOn + 86400 + random.below(1_000_000) : nil
        end = start.map { $0 + 1800 + random.below(40000) }
        closedAt = state >= 3 ? (end ?? createdOn) + random.below(86400) : nil
        history = Bookkeeping(
            createdOn: createdOn, updatedOn: closedAt ?? createdOn + random.below(80000), random: &random)
        notes = Journal.text(entries: random.below(12), until: history.updatedOn, &random)
    }

    /// The table `change_request`, which extends `task`.
    static let table = TableDefinition<ChangeRequest>(
        name: "change_request", displayField: "number", indexes: [["number"], ["state"]],
        record: { row, random in ChangeRequest(row: row, random: &random) },
        fields: [
            .sysID, .string("number") { $0.number },
            .constant("sys_class_name", .choice(["change_request": "Change Request"]), .text("change_request")),
            .constant("sys_domain", .foreignReference("sys_user_group"), .text("global")),
            .boolean("active") { $0.state < 3 }, .integer("state", .integerChoice(states)) { $0.state },
            .string("type", .choice(kinds)) { $0.kind }, .integer("risk", .integerChoice(risks)) { $0.risk },
            .integer("impact", .integerChoice(TaskPeople.levels)) { $0.impact },
            .integer("priority", .integerChoice(TaskPeople.priorities)) { $0.priority },
            .string("approval", .choice(approvals)) { $0.approval },
            .integer("requested_by", .reference("sys_user")) { $0.requestedBy },
        ] + TaskPeople.fields { $0.people } + [
            .integer("start_date", .dateTime) { $0.start }, .integer("end_date", .dateTime) { $0.end },
            .integer("opened_at", .dateTime) { $0.history.createdOn },
            .integer("closed_at", .dateTime) { $0.closedAt },
            .string("short_description") { $0.shortDescription }, .string("description") { $0.description },
            .string("justification") { $0.justification }, .string("implementation_plan") { $0.plan },
            .string("comments_and_work_notes") { $0.notes },
        ] + Bookkeeping.fields { $0.history }
            + DefinedField.empty(
                "backout_plan", "test_plan", "cab_date", "cab_recommendation", "category", "close_code", "close_notes",
                "comments", "conflict_last_run", "conflict_status", "correlation_id", "due_date", "reason",
                "review_comments", "review_date", "risk_impact_analysis", "work_end", "work_notes", "work_start")
            + DefinedField.empty("parent", type: .reference("change_request")))

    private static let states: [Int64: String] = [
        -5: "New", -4: "Assess", -3: "Authorize", -2: "Scheduled", -1: "Implement", 0: "Review", 3: "Closed",
        4: "Canceled",
    ]
    private static let kinds = ["normal": "Normal", "standard": "Standard", "emergency": "Emergency"]
    private static let risks: [Int64: String] = [2: "High", 3: "Moderate", 4: "Low"]
    private static let approvals = [
        "not requested": "Not Yet Requested", "requested": "Requested", "approved": "Approved", "rejected": "Rejected",
    ]
}
